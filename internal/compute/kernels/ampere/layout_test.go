package ampere_test

import (
	"errors"
	"regexp"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/ampere"
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

// memoryAt is memory that is only compared.
type memoryAt int

func (memoryAt) Release() {}

// passed is a context that keeps the arguments of the last kernel.
type passed struct {
	compute.Context
	args []any
}

func (p *passed) Kernel(_ string, _ int, args ...any) (compute.Kernel, error) {
	p.args = args
	return nil, errors.New("made")
}

// TestCallIsTheKernel compares the call with the parameters of the kernels.
func TestCallIsTheKernel(t *testing.T) {
	want := []struct {
		text  string
		value any
	}{
		{".param .u64 positions", memoryAt(1)}, {".param .u64 y", memoryAt(2)}, {".param .u64 weights", memoryAt(3)}, {".param .u64 biases", memoryAt(4)},
		{".param .u64 products", memoryAt(5)}, {".param .u32 blocks", int32(6)}, {".param .u32 every", int32(7)}, {".param .u32 width", int32(8)},
	}
	c := new(passed)
	kernels.New(c, kernels.Resident{
		Positions: memoryAt(1), Y: memoryAt(2), Weights: memoryAt(3), Biases: memoryAt(4), Products: memoryAt(5), Blocks: 6, Every: 7, Width: 8, Local: 9,
	})
	if len(c.args) != len(want)+1 || c.args[len(want)] != compute.Local(9) {
		t.Fatalf("the arguments are %v", c.args)
	}
	for _, all := range modules(t) {
		text, err := all[0].PTX()
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range all {
			list := regexp.MustCompile(`(?s)\.entry ` + k.Kernel() + `\((.*?)\)`).FindSubmatch(text)
			got := regexp.MustCompile(`\.param \.u\d+ \w+`).FindAllString(string(list[1]), -1)
			if len(got) != len(want) {
				t.Fatalf("%s has the parameters %q", k.Kernel(), got)
			}
			for i, p := range want {
				if got[i] != p.text || c.args[i] != p.value {
					t.Errorf("%s: the parameter %q has the argument %v, want %q, %v", k.Kernel(), got[i], c.args[i], p.text, p.value)
				}
			}
		}
	}
}
