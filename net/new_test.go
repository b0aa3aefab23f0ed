package net_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"warren/internal/nettest"
	"warren/net"
)

func TestNewPlaysAlmostUniformly(t *testing.T) {
	c := net.Config{Blocks: 20, Channels: 32, PoolEvery: 3, PolicyChannels: 16, ValueChannels: 8, ValueHidden: 32}
	n, err := net.New(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	var x net.Bits
	net.EncodeBits(nettest.Played(3, 90), &x)
	outputs := nettest.Reference(n, &x)
	lo, hi := slices.Min(outputs[0]), slices.Max(outputs[0])
	if hi-lo > 2 || hi == lo {
		t.Errorf("logits of a new network of 20 blocks lie between %v and %v", lo, hi)
	}
	if chance := nettest.Chance(outputs[1][0]); math.Abs(chance-0.5) > 0.2 {
		t.Errorf("a new network gives the chance %v", chance)
	}
}

func TestHeadsHaveTheirSizes(t *testing.T) {
	c := net.DefaultConfig()
	c.Auxiliary = ""
	heads := c.Heads()
	if len(heads) != 2 || heads[0].Name != "policy" || heads[0].Size != 263 || heads[1].Name != "value" || heads[1].Size != 1 {
		t.Errorf("the heads are %+v", heads)
	}
	for _, h := range heads {
		if !h.Play || h.Auxiliary || h.Meaning == "" || h.Weight != 1 {
			t.Errorf("the head %s is %+v", h.Name, h)
		}
	}
}

func TestAuxiliaryHeads(t *testing.T) {
	c := net.DefaultConfig()
	plain, err := net.New(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	names := net.AuxiliaryHeads()
	slices.Reverse(names) // the table's order counts, not the setting's
	c.Auxiliary = strings.Join(names, " ")
	n, err := net.New(c, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range plain.Params {
		if q := n.Params[i]; q.Name != p.Name || !slices.Equal(p.Data, q.Data) {
			t.Errorf("with auxiliary heads, parameter %d is %s instead of %s, or has other numbers", i, q.Name, p.Name)
		}
	}
	slices.Reverse(names)
	for i, h := range c.Heads()[2:] {
		if h.Name != names[i] || !h.Auxiliary || h.Meaning == "" || h.Weight <= 0 || h.Size == 0 {
			t.Errorf("the head %s is %+v", h.Name, h)
		}
		for v := h.First; v < h.End; v++ {
			if o := n.Program.Op(v); o.Layer >= 0 && !strings.HasPrefix(n.Program.Layers[o.Layer].Name, h.Name+".") {
				t.Errorf("a layer of the head %s is named %s", h.Name, n.Program.Layers[o.Layer].Name)
			}
		}
	}
	for heads, want := range map[string]string{"reply repply": `"repply", which is not an auxiliary head; there are survival, moves_left,`, "reply reply": "twice", "reply lead": "begin a new run", "policy": "not an auxiliary head"} {
		c.Auxiliary = heads
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("heads %q: error %v, want one with %q", heads, err, want)
		}
	}
}
