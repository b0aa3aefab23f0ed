package cpu

import (
	"strings"
	"testing"

	"warren/internal/nettest"
	"warren/net"
)

// TestPlanRefusesOperations changes a network's operations to some that the plan does not compute.
func TestPlanRefusesOperations(t *testing.T) {
	config := net.Config{Blocks: 4, Channels: 16, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}
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
	const cannot = "the processor's plan cannot compute operation "
	const policy, value = "the head policy: " + cannot, "the head value: " + cannot
	for name, c := range map[string]struct {
		change func(p *net.Program)
		want   string
	}{
		"a convolution without a ReLU": {func(p *net.Program) { p.Op(p.Trunk).Activation = net.Linear }, cannot},
		"pooling with a ReLU": {func(p *net.Program) {
			o, _ := of(p, "blocks.1.pool")
			p.Op(o.X).Activation = net.ReLU
		}, cannot},
		"pooling with a residual": {func(p *net.Program) {
			o, _ := of(p, "blocks.1.pool")
			p.Op(o.X).Residual = o.X - 1
		}, cannot},
		"a row bias with a residual": {func(p *net.Program) {
			o, _ := of(p, "blocks.1.pool")
			o.Residual = o.X
		}, cannot},
		"a row bias of two convolutions": {func(p *net.Program) {
			_, v := of(p, "blocks.1.pool")
			p.Op(p.Trunk).RowBias = v
		}, cannot},
		"a first layer with a residual": {func(p *net.Program) {
			o, _ := of(p, "value.conv")
			o.Residual = p.Trunk
		}, "the head value: operation "},
		"pooling that reads the trunk": {func(p *net.Program) {
			o, _ := of(p, "policy.other")
			p.Op(o.X).X = p.Trunk
		}, "the head policy: operation "},
		"a product with a residual": {func(p *net.Program) {
			o, _ := of(p, "value.hidden")
			o.Residual = p.Trunk
		}, value},
		"a product with a row bias": {func(p *net.Program) {
			o, _ := of(p, "policy.step")
			_, o.RowBias = of(p, "policy.other")
		}, policy},
		"pooling with a ReLU in a head": {func(p *net.Program) {
			o, _ := of(p, "policy.other")
			p.Op(o.X).Activation = net.ReLU
		}, policy},
		"another activation": {func(p *net.Program) {
			o, _ := of(p, "value.out")
			o.Activation = net.Logistic
		}, value},
		"a convolution in a head": {func(p *net.Program) {
			o, _ := of(p, "policy.step")
			o.Kind = net.Conv3x3
		}, policy},
	} {
		n := nettest.Lively(t, config, 1)
		c.change(n.Program)
		_, err := newFloats(n)
		if err == nil || !strings.Contains(err.Error(), "for the processor: "+c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	if _, err := newFloats(nettest.Lively(t, config, 1)); err != nil {
		t.Error(err)
	}
}
