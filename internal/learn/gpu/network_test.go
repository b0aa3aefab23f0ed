package gpu

import (
	"errors"
	"strings"
	"testing"

	"warren/internal/nettest"
	"warren/net"
)

// TestNetworkRefusesOperations changes a network's operations to some whose result or gradient the
// kernels do not compute.
func TestNetworkRefusesOperations(t *testing.T) {
	build := func(n *net.Network) error {
		_, err := newNetwork(&memory{err: errors.New("nothing is allocated")}, n, 4)
		return err
	}
	for _, c := range nettest.Configs {
		if err := build(nettest.Lively(t, c, 1)); err != nil {
			t.Errorf("%v: %v", c, err)
		}
	}
	// find returns the first operation for which is holds.
	find := func(p *net.Program, is func(o *net.Op) bool) *net.Op {
		for v := range p.Ops {
			if o := p.Op(net.Value(v)); is(o) {
				return o
			}
		}
		t.Fatal("there is no such operation")
		return nil
	}
	of := func(k net.Kind) func(*net.Op) bool { return func(o *net.Op) bool { return o.Kind == k } }
	residual := func(o *net.Op) bool { return o.Residual != net.None }
	for name, c := range map[string]struct {
		change func(p *net.Program)
		want   string
	}{
		"another kind":                                {func(p *net.Program) { find(p, of(net.Conv1x1)).Kind = net.Dense + 1 }, "no kernel computes operation "},
		"a second input":                              {func(p *net.Program) { find(p, of(net.Conv1x1)).Kind = net.Position }, "no kernel computes operation "},
		"another activation":                          {func(p *net.Program) { find(p, of(net.Dense)).Activation = net.Logistic }, "no kernel computes operation "},
		"pooling with a ReLU":                         {func(p *net.Program) { find(p, of(net.Pool)).Activation = net.ReLU }, "no kernel computes operation "},
		"pooling with a bias":                         {func(p *net.Program) { o := find(p, of(net.Pool)); o.RowBias = o.X }, "no kernel computes operation "},
		"a row with a row bias":                       {func(p *net.Program) { p.Op(net.Value(len(p.Ops) - 1)).RowBias = p.Heads[0].Outputs[1] }, "no kernel computes operation "},
		"a residual that is the input of its product": {func(p *net.Program) { o := find(p, residual); o.X = o.Residual }, "no kernel computes operation "},
		"a residual that is read later":               {func(p *net.Program) { p.Op(p.Trunk + 1).X = find(p, residual).Residual }, "no kernel computes operation "},
		"another loss":                                {func(p *net.Program) { p.Heads[1].Loss = "none" }, `the head value has the loss "none"`},
		"a policy of another size":                    {func(p *net.Program) { p.Heads[0].Size-- }, "the head policy: the policy loss needs outputs for "},
	} {
		n := nettest.Lively(t, nettest.Configs[3], 1)
		c.change(n.Program)
		if err := build(n); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
