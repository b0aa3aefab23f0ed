package gpu

import (
	"testing"

	"warren/internal/compute/kernels"
	"warren/internal/nettest"
	"warren/net"
)

// otherHeads has a policy with more channels than the kernel of the usual heads reads, and a value whose
// layer has an odd number of them.
var otherHeads = net.Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 72, ValueChannels: 5, ValueHidden: 16, Auxiliary: "stopped"}

// TestJoined changes networks whose heads are one launch. Other heads are a launch for each product.
func TestJoined(t *testing.T) {
	usual := net.Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16, Auxiliary: "stopped"}
	head := func(p *net.Program, i int) net.Head {
		var played []net.Head
		for _, h := range p.Heads {
			if h.Play {
				played = append(played, h)
			}
		}
		return played[i]
	}
	for what, c := range map[string]struct {
		config net.Config
		change func(p *net.Program)
		want   bool
	}{
		"the usual heads":           {usual, func(*net.Program) {}, true},
		"many channels":             {otherHeads, func(*net.Program) {}, false},
		"a ReLU of steps":           {usual, func(p *net.Program) { p.Op(head(p, 0).Outputs[0]).Activation = net.ReLU }, false},
		"five numbers for a square": {usual, func(p *net.Program) { p.Op(head(p, 0).Outputs[0]).Channels = 5 }, false},
		"nine for the board":        {usual, func(p *net.Program) { p.Op(head(p, 0).Outputs[1]).Channels = 9 }, false},
		"a policy of one product":   {usual, func(p *net.Program) { h := &p.Heads[0]; h.Outputs = h.Outputs[:1] }, false},
		"the means of the value": {usual, func(p *net.Program) {
			o := p.Op(head(p, 0).Outputs[1])
			p.Op(o.X).X = p.Op(p.Op(head(p, 1).Outputs[0]).X).X
		}, false},
		"hidden units without a ReLU": {usual, func(p *net.Program) { p.Op(p.Op(head(p, 2).Outputs[0]).X).Activation = net.Linear }, false},
		"a chance of the features":    {usual, func(p *net.Program) { o := p.Op(head(p, 1).Outputs[0]); o.X = p.Op(o.X).X }, false},
		"two hidden layers":           {usual, func(p *net.Program) { o := p.Op(p.Op(head(p, 1).Outputs[0]).X); o.X = head(p, 0).Outputs[1] }, false},
	} {
		n := nettest.Lively(t, c.config, 1)
		first, err := n.FirstLayers()
		if err != nil {
			t.Fatal(err)
		}
		c.change(n.Program)
		p := &lowering{plan: &plan{}, network: n, program: n.Program}
		played, err := p.played()
		if err != nil {
			t.Fatal(err)
		}
		if _, got := joinedOf(n.Program, played, first); got != c.want {
			t.Errorf("%s: joined is %v", what, got)
		}
	}
}

// TestMultiplies has products that tensor cores compute, and others.
func TestMultiplies(t *testing.T) {
	d := kernels.Dense{Rows: 1, Inputs: 512, Inner: 8, XAt: 32}
	change := func(f func(*kernels.Dense)) kernels.Dense {
		c := d
		f(&c)
		return c
	}
	if !tensor16.Multiplies(d) || halves.Multiplies(d) {
		t.Error("a usual product is none, or is one without tensor cores")
	}
	for _, c := range []kernels.Dense{
		change(func(d *kernels.Dense) { d.Rows = 64 }), change(func(d *kernels.Dense) { d.Inputs = 64 }),
		change(func(d *kernels.Dense) { d.Inner = 5 }), change(func(d *kernels.Dense) { d.XAt = 33 }),
	} {
		if tensor16.Multiplies(c) {
			t.Errorf("%+v is a product on tensor cores", c)
		}
	}
}
