package gpu

import (
	"testing"

	"warren/internal/compute/ptx"
)

// TestInterpreted learns with the kernels' PTX on an interpreter that reports races and reads of what was
// never written. Nothing of OpenCL is needed.
func TestInterpreted(t *testing.T) {
	t.Run("gradients", func(t *testing.T) { testGradients(t, &ptx.Device{}, []int{3}) })
	t.Run("steps", func(t *testing.T) {
		if testing.Short() {
			t.Skip("too slow for a short test")
		}
		testSteps(t, &ptx.Device{Seed: 1}, 2)
	})
}
