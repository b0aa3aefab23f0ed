package hopper_test

import (
	"errors"
	"regexp"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
)

// memory is memory that is only compared.
type memory int

func (memory) Release() {}

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
	c := new(passed)
	kernels.New(c, kernels.Tower{X: memory(1), Y: memory(2), Weights: memory(3), Biases: memory(4), Pool: memory(5), Boards: 6, Blocks: 7, Every: 8, Local: 9})
	parameters := []struct {
		text  string
		value any
	}{
		{".param .u64 x", memory(1)}, {".param .u64 y", memory(2)}, {".param .u64 weights", memory(3)}, {".param .u64 biases", memory(4)},
		{".param .u64 pool", memory(5)}, {".param .u32 boards", int32(6)}, {".param .u32 blocks", int32(7)}, {".param .u32 every", int32(8)},
	}
	if len(c.args) != len(parameters)+1 || c.args[len(parameters)] != compute.Local(9) {
		t.Fatalf("the arguments are %v", c.args)
	}
	for _, channels := range []int{64, 128, 256} {
		tower, _ := hopper.TowerOf(channels)
		text, err := tower.PTX()
		if err != nil {
			t.Fatal(err)
		}
		list := regexp.MustCompile(`(?s)\.entry ` + tower.Kernel + `\((.*?)\)`).FindSubmatch(text)
		all := regexp.MustCompile(`\.param \.u\d+ \w+`).FindAllString(string(list[1]), -1)
		if len(all) != len(parameters) {
			t.Fatalf("%s has the parameters %q", tower.Kernel, all)
		}
		for i, p := range parameters {
			if all[i] != p.text || c.args[i] != p.value {
				t.Errorf("%s: the parameter %q has the argument %v, want %q, %v", tower.Kernel, all[i], c.args[i], p.text, p.value)
			}
		}
	}
}
