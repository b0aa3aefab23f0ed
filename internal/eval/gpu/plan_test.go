package gpu

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/compute/kernels"
	"warren/internal/nettest"
	"warren/net"
)

// Heads that no search reads cost nothing in play: the plan is that of the network without them.
func TestAuxiliaryHeadsCostNothing(t *testing.T) {
	plan := func(n *net.Network) *plan {
		p, err := newPlan(n, build{form: kernels.Form{}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	n := nettest.Lively(t, nettest.Everything, 1)
	all, played := plan(n), plan(nettest.ForPlay(t, n))
	if all.size != game.NumActions+2 || all.size != played.size || len(all.steps) != len(played.steps) || !slices.Equal(all.activations, played.activations) {
		t.Errorf("%d outputs, %d steps and activations of %d bytes; without those heads %d, %d and %d",
			all.size, len(all.steps), all.activations, played.size, len(played.steps), played.activations)
	}
	if !slices.EqualFunc(all.tensors, played.tensors, bytes.Equal) {
		t.Error("the weights depend on heads that no search reads")
	}
}

// TestPlanRefusesOperations changes a network's operations to some that no kernel computes.
func TestPlanRefusesOperations(t *testing.T) {
	plan := func(n *net.Network) error {
		_, err := newPlan(n, build{form: kernels.Form{}})
		return err
	}
	config := net.Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}
	if err := plan(nettest.Lively(t, config, 1)); err != nil {
		t.Fatal(err)
	}
	// of returns the operation that has a layer, and its result.
	of := func(p *net.Program, layer string) (*net.Op, net.Value) {
		for v := range p.Ops {
			if o := p.Op(net.Value(v)); o.Layer >= 0 && p.Layers[o.Layer].Name == layer {
				return o, net.Value(v)
			}
		}
		t.Fatalf("there is no layer %s", layer)
		return nil, 0
	}
	const unknown = "no kernel computes operation "
	for name, c := range map[string]struct {
		change func(p *net.Program)
		want   string
	}{
		"a convolution without a ReLU in the trunk": {func(p *net.Program) { p.Op(p.Trunk).Activation = net.Linear }, unknown},
		"pooling with a residual in the trunk": {func(p *net.Program) {
			o, _ := of(p, "blocks.1.pool")
			p.Op(o.X).Residual = o.X - 1
		}, unknown},
		"a row bias with a ReLU": {func(p *net.Program) {
			o, _ := of(p, "blocks.1.pool")
			o.Activation = net.ReLU
		}, unknown},
		"a row bias that is also the input of a head": {func(p *net.Program) {
			_, v := of(p, "blocks.1.pool")
			o, _ := of(p, "value.hidden")
			o.X = v
		}, unknown},
		"a product with a residual in a head": {func(p *net.Program) {
			o, _ := of(p, "value.hidden")
			o.Residual = p.Trunk
		}, "the head value: " + unknown},
		"another activation in a head": {func(p *net.Program) {
			o, _ := of(p, "value.hidden")
			o.Activation = net.Logistic
		}, "the head value: " + unknown},
		"a convolution in a head": {func(p *net.Program) {
			o, _ := of(p, "policy.step")
			o.Kind = net.Conv3x3
		}, "the head policy: " + unknown},
		"pooling with a ReLU in a head": {func(p *net.Program) {
			o, _ := of(p, "policy.other")
			p.Op(o.X).Activation = net.ReLU
		}, "the head policy: " + unknown},
		"a product for every square of a row": {func(p *net.Program) {
			o, _ := of(p, "policy.other")
			o.Kind = net.Conv1x1
		}, "the head policy: " + unknown},
		"a product that reads an output": {func(p *net.Program) {
			o, _ := of(p, "value.hidden")
			_, o.X = of(p, "policy.step")
		}, "the head value: " + unknown},
		"the features as an output": {func(p *net.Program) {
			_, v := of(p, "value.conv")
			p.Heads[1].Outputs = []net.Value{v}
		}, "the head value: its output has the result of operation "},
		"no head": {func(p *net.Program) {
			for i := range p.Heads {
				p.Heads[i].Play = false
			}
		}, "the heads that play needs have 0 outputs"},
	} {
		n := nettest.Lively(t, config, 1)
		c.change(n.Program)
		if err := plan(n); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
