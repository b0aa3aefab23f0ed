package hopper_test

import (
	"testing"

	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
	"warren/internal/compute/kernels/hopper/hoppertest"
)

// TestCallsAreTheKernels compares the calls with the parameters of the kernels.
func TestCallsAreTheKernels(t *testing.T) {
	for _, channels := range []int{64, 128, 256} {
		tower, _ := hopper.TowerOf(channels)
		for _, c := range []struct {
			tower hopper.Tower
			call  kernels.Call
		}{{tower, kernels.Tower{}}, {tower.Network(), kernels.Network{}}, {tower.InBytes(), kernels.ByteNetwork{}}} {
			text, err := c.tower.PTX()
			if err != nil {
				t.Fatal(err)
			}
			hoppertest.CompareCall(t, text, c.tower.Kernel, c.call)
		}
	}
	for _, c := range hopper.Chains() {
		text := chainText(t, c)
		hoppertest.CompareCall(t, text, c.Kernel(), kernels.Chain{})
		hoppertest.CompareCall(t, text, c.PackKernel(), kernels.PackChain{})
	}
	text, err := hopper.OuterPTX()
	if err != nil {
		t.Fatal(err)
	}
	hoppertest.CompareCall(t, text, hopper.Outer, kernels.Segments{})
}
