package recipe

import (
	"strings"
	"testing"
)

// A device for learning that cannot be used here is refused in one line, which says why and names the processor.
func TestLearnerWithoutItsDevice(t *testing.T) {
	c := DefaultConfig()
	c.Learner.Device = "opencl:99"
	err := c.Validate()
	if err == nil || !strings.Contains(err.Error(), `the device "opencl:99" cannot be used`) && !strings.Contains(err.Error(), `there is no device "opencl:99"`) ||
		!strings.HasSuffix(err.Error(), "; --set learner.device=cpu learns on the processor") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}
