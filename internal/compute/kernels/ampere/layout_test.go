package ampere_test

import (
	"testing"

	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/ampere"
	"warren/internal/compute/kernels/hopper/hoppertest"
)

// TestShared compares what a group of threads needs with what the devices have.
func TestShared(t *testing.T) {
	const most = 99 << 10 // with compute capability 8.6 and 8.9, the least of all
	for _, all := range modules(t) {
		for _, k := range all {
			if got := k.Shared(); got > most {
				t.Errorf("%s needs %d bytes of shared memory", k.Kernel(), got)
			}
			if warps := k.Boards * k.Channels / k.Outputs() * 8 / k.Ranks(); warps != ampere.Warps {
				t.Errorf("%s needs %d warps", k.Kernel(), warps)
			}
		}
	}
}

// TestFor has batches for which one of the kernels is faster.
func TestFor(t *testing.T) {
	for _, c := range []struct{ channels, batch, units, want int }{
		{64, 1, 80, 1}, {64, 80, 80, 1}, {64, 240, 80, 1}, {64, 241, 80, 4}, {64, 320, 80, 4}, {64, 321, 80, 1}, {64, 480, 80, 1}, {64, 500, 80, 4}, {64, 640, 80, 4}, {64, 4096, 80, 4},
		{128, 80, 80, 1}, {128, 81, 80, 2}, {128, 4096, 108, 2}, {256, 1, 80, 1}, {256, 4096, 80, 1},
	} {
		many, _ := ampere.NetworkOf(c.channels)
		if got := many.For(c.batch, c.units); got.Boards != c.want || got.Channels != c.channels {
			t.Errorf("%d positions on %d multiprocessors are for %+v, want %d boards", c.batch, c.units, got, c.want)
		}
	}
}

// TestCallIsTheKernel compares the call with the parameters of the kernels.
func TestCallIsTheKernel(t *testing.T) {
	for _, all := range modules(t) {
		text, err := all[0].PTX()
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range all {
			hoppertest.CompareCall(t, text, k.Kernel(), kernels.Resident{})
		}
	}
}
