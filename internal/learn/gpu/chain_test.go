package gpu

import (
	"maps"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/ptx"
	"warren/internal/nettest"
	"warren/net"
)

// counting counts the kernels that are made on a device.
type counting struct {
	compute.Device
	kernels map[string]int
}

type countingContext struct {
	compute.Context
	kernels map[string]int
}

func (c counting) Open(p compute.Program) (compute.Context, error) {
	context, err := c.Device.Open(p)
	return countingContext{context, c.kernels}, err
}

func (c countingContext) Kernel(name string, group int, args ...any) (compute.Kernel, error) {
	c.kernels[name]++
	return c.Context.Kernel(name, group, args...)
}

// TestChains counts the launches that compute the trunk of networks with and without pooled blocks.
func TestChains(t *testing.T) {
	for _, c := range []struct {
		blocks, every, channels, boards int
		forward, backward               string
		launches                        int // of either pass
	}{
		{6, 3, 64, 256, "forward64x1", "backward64x1", 2},
		{3, 2, 64, 1024, "forward64x4", "backward64x4", 1},
		{4, 1, 128, 256, "forward128x2", "backward128x2", 4},
		{2, 0, 128, 1024, "forward128x4", "backward128x4", 1},
		{2, 2, 256, 128, "forward256x2", "backward256x2", 1},
	} {
		d := counting{new(ptx.Device), map[string]int{}}
		n := nettest.Lively(t, net.Config{Blocks: c.blocks, Channels: c.channels, PoolEvery: c.every, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 4}, 1)
		tr, err := New(d, n, config(c.boards), BF16)
		if err != nil {
			t.Fatal(err)
		}
		tr.Close()
		got := maps.Clone(d.kernels)
		pools := got["poolMixed"] + got["poolMixedGradient"]
		maps.DeleteFunc(got, func(name string, _ int) bool {
			return !strings.HasPrefix(name, "forward") && !strings.HasPrefix(name, "backward")
		})
		want := map[string]int{c.forward: c.launches, c.backward: c.launches}
		if c.blocks == 3 { // the last block follows the pooled one, so the backward pass begins with it
			want[c.backward]++
		}
		if !maps.Equal(got, want) || pools > 0 {
			t.Errorf("%+v: the launches are %v, and %d of pools", c, got, pools)
		}
	}
}
