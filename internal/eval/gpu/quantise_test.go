package gpu

import (
	"hash/fnv"
	"testing"

	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
	"warren/internal/kernel"
	"warren/net"
)

// TestQuantiseEverywhere rounds a network with the kernels of every path of this processor. The result
// is the same on every processor.
func TestQuantiseEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("plain Go and the race detector take minutes for a whole 6x64")
	}
	n, _, err := net.Load("../../../docs/climb/stage-11.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	const want = 0x6a61003aeaabfee1
	tower, _ := hopper.TowerOf(n.Config.Channels)
	for _, path := range kernel.Paths() {
		t.Setenv(kernel.Variable, path.Name)
		q, err := quantise("cuda:0", n)
		if err != nil {
			t.Fatal(err)
		}
		weights, biases, scales, pools := q.blocks.Memory(tower.InBytes())
		h := fnv.New64()
		for _, b := range [][]byte{weights, kernels.Floats(biases), kernels.Floats(scales), kernels.Floats(pools)} {
			h.Write(b)
		}
		if got := h.Sum64(); got != want {
			t.Errorf("%s: the hash is %#x, want %#x", path.Name, got, uint64(want))
		}
	}
}
