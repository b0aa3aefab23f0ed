package gpu

import (
	"math"
	"slices"
	"testing"

	"warren/internal/compute/ptx"
	"warren/internal/eval"
	"warren/net"
)

// TestHopperInterpreted evaluates networks of which one launch computes all but the heads, by the
// interpreter of PTX: whole, and with the stem and the first layers on their own because these have many
// outputs. The bits are the same in every batch.
func TestHopperInterpreted(t *testing.T) {
	for _, c := range []struct {
		net.Config
		kernel string
		slow   bool
	}{
		{net.Config{Blocks: 2, Channels: 64, PoolEvery: 2, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 16, Auxiliary: "stopped"}, "network64", false},
		{net.Config{Blocks: 1, Channels: 64, PolicyChannels: 64, ValueChannels: 8, ValueHidden: 16}, "tower64", true},
		{net.Config{Blocks: 2, Channels: 128, PoolEvery: 2, PolicyChannels: 32, ValueChannels: 16, ValueHidden: 16}, "network128", true},
		{net.Config{Blocks: 1, Channels: 256, PoolEvery: 1, PolicyChannels: 32, ValueChannels: 32, ValueHidden: 16}, "network256", true},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			if c.slow && testing.Short() {
				t.Skip("an interpreter is slow")
			}
			n, d := lively(t, c.Config, 1), NewDevice(&ptx.Device{Seed: 1})
			of := build{form: tensor16, tower: towerOf(d.Info(), tensor16, n)}
			if of.tower.Kernel != c.kernel {
				t.Fatalf("the kernel is %s", of.tower.Kernel)
			}
			b, err := newBackend(d, n, of)
			if err != nil {
				t.Fatal(err)
			}
			s, err := b.Open(9)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			all := random(9)
			got, want, most := outputs(t, s.(*stream), all), reference(t, n, all), 0.0
			for k := range got {
				most = max(most, math.Abs(float64(got[k])-want[k]))
			}
			t.Logf("largest difference of logits %.2g", most)
			if !(most <= 5e-3) {
				t.Errorf("logits differ by %.2g", most)
			}
			one := new(eval.Batch)
			one.Add(all.Position(7), all.Legal(7))
			if err := eval.Evaluate(s, one); err != nil {
				t.Fatal(err)
			}
			if one.Value(0) != all.Value(7) || !slices.Equal(one.Priors(0), all.Priors(7)) {
				t.Error("alone a position has other bits")
			}
		})
	}
}

// TestLargeNumbers puts a network on a device whose numbers are too large for fp16. The kernel that fails
// with it computes the next network.
func TestLargeNumbers(t *testing.T) {
	c := net.Config{Blocks: 1, Channels: 64, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}
	n, d := lively(t, c, 1), NewDevice(&ptx.Device{Seed: 1})
	large := n.Clone()
	for _, p := range large.Params {
		if p.Name == "stem.bias" {
			for i := range p.Data {
				p.Data[i] = 1e5
			}
		}
	}
	if _, err := New(d, large, tensor16); err == nil {
		t.Error("a network with large numbers is accepted")
	}
	b, err := New(d, n, tensor16)
	if err != nil {
		t.Fatal(err)
	}
	if path := b.Attributes().Path; path != "ptx-fp16-wgmma90" {
		t.Errorf("the next network is on the path %s", path)
	}
}
