package gpu

import (
	"fmt"
	"math"
	"testing"

	"warren/internal/compute/kernels"
	"warren/internal/compute/ptx"
	"warren/internal/nettest"
)

// TestInterpreted evaluates networks with the kernels' PTX, which an interpreter runs that reports
// races and reads of what was never written. Nothing of OpenCL is needed.
func TestInterpreted(t *testing.T) {
	for i, c := range nettest.Configs {
		if testing.Short() && c.Channels > 16 {
			continue
		}
		for _, form := range []kernels.Form{{}, {Half: true, Tensor: true}} {
			t.Run(fmt.Sprintf("%v/%s", c, form.Precision()), func(t *testing.T) {
				n := lively(t, c, uint64(i))
				positions := random(3)
				want := reference(t, n, positions)
				got := outputs(t, open(t, NewDevice(&ptx.Device{Seed: uint64(i)}), n, form, 3), positions)
				most := 0.0
				for k := range got {
					most = max(most, math.Abs(float64(got[k])-want[k]))
				}
				tolerance := 1e-4
				if form.Half {
					tolerance = 5e-3
				}
				t.Logf("largest difference of logits %.2g", most)
				if !(most <= tolerance) {
					t.Errorf("logits differ by %.2g", most)
				}
			})
		}
	}
}
