package eval

import (
	"strings"
	"testing"
)

func TestSaturationWarns(t *testing.T) {
	if (*Saturation)(nil).Warning() != "" {
		t.Error("a format without a limit gives a warning")
	}
	var s Saturation
	for i := range 1000 {
		s.Count(i >= 987) // 13 of 1000
		if s.Warning() != "" {
			t.Fatalf("a warning after %d positions", i+1)
		}
	}
	s.Count(true)
	if want := "in 14 of 1001 positions"; !strings.Contains(s.Warning(), want) {
		t.Errorf("the warning is %q, want one with %q", s.Warning(), want)
	}
}
