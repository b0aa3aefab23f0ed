package net_test

import (
	"math"
	"slices"
	"testing"

	"warren/net"
	"warren/net/nettest"
)

func TestNewPlaysAlmostUniformly(t *testing.T) {
	c := net.Config{Blocks: 20, Channels: 32, PoolEvery: 3, PolicyChannels: 16, ValueChannels: 8, ValueHidden: 32}
	n, err := net.New(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float32, net.InputSize)
	net.Encode(nettest.Played(3, 90), x)
	outputs := nettest.Reference(n, x)
	lo, hi := slices.Min(outputs[0]), slices.Max(outputs[0])
	if hi-lo > 2 || hi == lo {
		t.Errorf("logits of a new network of 20 blocks lie between %v and %v", lo, hi)
	}
	if chance := nettest.Chance(outputs[1][0]); math.Abs(chance-0.5) > 0.2 {
		t.Errorf("a new network gives the chance %v", chance)
	}
}

func TestHeadsHaveTheirSizes(t *testing.T) {
	heads := net.DefaultConfig().Heads()
	if len(heads) != 2 || heads[0].Name != "policy" || heads[0].Size() != 263 || heads[1].Name != "value" || heads[1].Size() != 1 {
		t.Errorf("the heads are %+v", heads)
	}
	for _, h := range heads {
		if !h.Play || h.Meaning == "" || h.Weight != 1 {
			t.Errorf("the head %s is %+v", h.Name, h)
		}
	}
}
