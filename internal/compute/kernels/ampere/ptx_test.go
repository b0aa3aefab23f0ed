package ampere_test

import (
	"flag"
	"testing"

	"warren/internal/compute/kernels/ampere"
	"warren/internal/compute/kernels/ampere/source"
	"warren/internal/compute/ptx"
)

var update = flag.Bool("update", false, "write the PTX")

// modules are the kernels of each number of channels, that for large batches first.
func modules(t *testing.T) (all [][]ampere.Network) {
	t.Helper()
	for channels := range 513 {
		if n, ok := ampere.NetworkOf(channels); ok {
			all = append(all, n.Kernels())
		}
	}
	if len(all) != 3 {
		t.Fatalf("there are %d modules", len(all))
	}
	return all
}

// TestPTX compares the PTX with what package source writes.
func TestPTX(t *testing.T) {
	for _, kernels := range modules(t) {
		ptx.Compare(t, kernels[0].File(), kernels[0].PTX, []byte(source.Networks(kernels...)), *update)
	}
}

func TestAssembler(t *testing.T) {
	for _, kernels := range modules(t) {
		text, err := kernels[0].PTX()
		if err != nil {
			t.Fatal(err)
		}
		for _, processor := range []string{"sm_80", "sm_86", "sm_89"} {
			ptx.Assemble(t, kernels[0].File(), text, processor, 255)
		}
	}
}
