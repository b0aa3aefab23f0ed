package hopper_test

import (
	"errors"
	"regexp"
	"slices"
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

// parameter is a parameter of a kernel and its argument.
type parameter struct {
	text  string
	value any
}

// TestCallsAreTheKernels compares the calls with the parameters of the kernels.
func TestCallsAreTheKernels(t *testing.T) {
	parameters := []parameter{
		{".param .u64 weights", memory(3)}, {".param .u64 biases", memory(4)}, {".param .u64 pool", memory(5)},
		{".param .u32 boards", int32(6)}, {".param .u32 blocks", int32(7)}, {".param .u32 every", int32(8)},
	}
	compare(t, func(t hopper.Tower) hopper.Tower { return t }, kernels.Tower{X: memory(1), Y: memory(2), Weights: memory(3), Biases: memory(4), Pool: memory(5), Boards: 6, Blocks: 7, Every: 8, Local: 9},
		slices.Concat([]parameter{{".param .u64 x", memory(1)}, {".param .u64 y", memory(2)}}, parameters))
	compare(t, hopper.Tower.Network, kernels.Network{
		Positions: memory(1), Y: memory(2), Scratch: memory(10), Weights: memory(3), Biases: memory(4), Pool: memory(5),
		Boards: 6, Blocks: 7, Every: 8, Width: 11, Local: 9,
	}, slices.Concat([]parameter{{".param .u64 positions", memory(1)}, {".param .u64 y", memory(2)}, {".param .u64 scratch", memory(10)}},
		parameters, []parameter{{".param .u32 width", int32(11)}}))
	compare(t, hopper.Tower.InBytes, kernels.ByteNetwork{
		Positions: memory(1), Y: memory(2), Scratch: memory(10), Weights: memory(3), Biases: memory(4), Scales: memory(12), Pool: memory(5),
		Boards: 6, Blocks: 7, Every: 8, Width: 11, Local: 9,
	}, slices.Concat([]parameter{{".param .u64 positions", memory(1)}, {".param .u64 y", memory(2)}, {".param .u64 scratch", memory(10)}},
		parameters[:2], []parameter{{".param .u64 scales", memory(12)}}, parameters[2:], []parameter{{".param .u32 width", int32(11)}}))
}

// TestOuterCall compares the call of Outer with the kernel's parameters.
func TestOuterCall(t *testing.T) {
	c := new(passed)
	kernels.New(c, kernels.Segments{X: memory(1), G: memory(2), Parts: memory(3), Segments: memory(4), Firsts: memory(5), Memory: 6})
	text, err := hopper.OuterPTX()
	if err != nil {
		t.Fatal(err)
	}
	want := []any{memory(1), memory(2), memory(3), memory(4), memory(5), compute.Local(6)}
	names := regexp.MustCompile(`\.param \.u64 (\w+)`).FindAllSubmatch(text, -1)
	if !slices.Equal(c.args, want) || len(names) != len(want)-1 {
		t.Errorf("the arguments are %v, of %q", c.args, names)
	}
	for i, name := range []string{"x", "g", "parts", "segments", "firsts"} {
		if string(names[i][1]) != name {
			t.Errorf("parameter %d is %s, want %s", i, names[i][1], name)
		}
	}
}

func compare(t *testing.T, of func(hopper.Tower) hopper.Tower, call kernels.Call, parameters []parameter) {
	c := new(passed)
	kernels.New(c, call)
	if len(c.args) != len(parameters)+1 || c.args[len(parameters)] != compute.Local(9) {
		t.Fatalf("the arguments are %v", c.args)
	}
	for _, channels := range []int{64, 128, 256} {
		tower, _ := hopper.TowerOf(channels)
		tower = of(tower)
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

// TestChainCallsAreTheKernels does the same for chains and the packing of their weights.
func TestChainCallsAreTheKernels(t *testing.T) {
	addresses := func(names ...string) (all []parameter) {
		for i, name := range names {
			all = append(all, parameter{".param .u64 " + name, memory(i)})
		}
		return all
	}
	packing := addresses("weights", "packed", "layers")
	all := addresses("x", "mask", "weights", "numbers", "boardBias", "pooled", "products", "steps")
	for i, name := range []string{"xAt", "residualAt", "boards", "count"} {
		all = append(all, parameter{".param .u32 " + name, int32(10 + i)})
	}
	for _, c := range hopper.Chains() {
		text := string(chainText(t, c))
		compareCall(t, text, c.Kernel(), all, kernels.Chain{
			X: memory(0), Mask: memory(1), Weights: memory(2), Numbers: memory(3), BoardBias: memory(4), Pooled: memory(5), Products: memory(6), Steps: memory(7),
			XAt: 10, ResidualAt: 11, Boards: 12, Count: 13, Local: 9,
		})
		compareCall(t, text, c.PackKernel(), packing, kernels.PackChain{Weights: memory(0), Packed: memory(1), Layers: memory(2)})
	}
}

// compareCall compares a call with the parameters of a kernel.
func compareCall(t *testing.T, text, kernel string, parameters []parameter, call kernels.Call) {
	c := new(passed)
	kernels.New(c, call)
	list := regexp.MustCompile(`(?s)\.entry ` + kernel + `\((.*?)\)`).FindStringSubmatch(text)
	all := regexp.MustCompile(`\.param \.u\d+ \w+`).FindAllString(list[1], -1)
	if len(all) != len(parameters) || len(c.args) < len(all) {
		t.Fatalf("%s has the parameters %q and the arguments %v", kernel, all, c.args)
	}
	for i, p := range parameters {
		if all[i] != p.text || c.args[i] != p.value {
			t.Errorf("%s: the parameter %q has the argument %v, want %q, %v", kernel, all[i], c.args[i], p.text, p.value)
		}
	}
}
