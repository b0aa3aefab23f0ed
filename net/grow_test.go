package net_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"warren/internal/nettest"
	"warren/net"
)

var (
	small = net.Config{Blocks: 2, Channels: 8, PoolEvery: 2, PolicyChannels: 4, ValueChannels: 2, ValueHidden: 3, Auxiliary: "stopped survival reply"}
	large = net.Config{Blocks: 4, Channels: 24, PoolEvery: 2, PolicyChannels: 6, ValueChannels: 5, ValueHidden: 9, Auxiliary: "stopped survival reply"}
)

func TestGrownNetworkComputesTheSame(t *testing.T) {
	n := nettest.Lively(t, small, 1)
	pools := small
	pools.PoolEvery = 1 // the first block gains a pooling
	for _, c := range []net.Config{small, pools, large} {
		grown, err := n.Grow(c, 2)
		if err != nil {
			t.Fatal(err)
		}
		if grown.Config != c {
			t.Fatalf("%+v has become %+v instead of %+v", small, grown.Config, c)
		}
		for k := range 5 {
			var x net.Bits
			net.EncodeBits(nettest.Played(uint64(k), 7+20*k), &x)
			want, got := nettest.Reference(n, &x), nettest.Reference(grown, &x)
			for h := range want {
				for i := range want[h] {
					if math.Abs(got[h][i]-want[h][i]) > 1e-9*(1+math.Abs(want[h][i])) {
						t.Fatalf("%v: output %d of head %d is %v instead of %v", c, i, h, got[h][i], want[h][i])
					}
				}
			}
		}
	}
}

func TestGrownNetworkGainsHeads(t *testing.T) {
	n := nettest.Lively(t, small, 1)
	for _, c := range []net.Config{small, large} {
		c.Auxiliary = "soft_policy values reply survival stopped"
		grown, err := n.Grow(c, 2)
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := net.New(c, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"values.conv.weight", "values.out.weight", "soft_policy.step.weight", "soft_policy.other.weight"} {
			if got, want := grown.Param(name), fresh.Param(name); !slices.Equal(got.Data, want.Data) {
				t.Errorf("%s is not as in a fresh network", name)
			}
		}
		var x net.Bits
		net.EncodeBits(nettest.Played(1, 30), &x)
		want, got := nettest.Reference(n, &x), nettest.Reference(grown, &x)
		heads := n.Config.Heads()
		for g, h := range c.Heads() {
			old := slices.IndexFunc(heads, func(o net.Head) bool { return o.Name == h.Name })
			if old < 0 {
				continue
			}
			for i := range want[old] {
				if math.Abs(got[g][i]-want[old][i]) > 1e-9*(1+math.Abs(want[old][i])) {
					t.Fatalf("%v: output %d of %s is %v instead of %v", c, i, h.Name, got[g][i], want[old][i])
				}
			}
		}
	}
}

// Added units that all start at zero would stay there: nothing would tell them apart.
func TestAddedUnitsAreAlive(t *testing.T) {
	grown, err := nettest.Lively(t, small, 1).Grow(large, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range large.Program().Rectified() {
		p := grown.Param(l.Name + ".weight")
		for unit := range l.Outputs() {
			alive := false
			for at := unit; at < len(p.Data); at += l.Outputs() {
				alive = alive || p.Data[at] != 0
			}
			if !alive {
				t.Errorf("unit %d of %s reads nothing", unit, l.Name)
			}
		}
	}
}

func TestGrowRefusesWhatDoesNotFit(t *testing.T) {
	n := nettest.Lively(t, small, 1)
	for want, change := range map[string]func(*net.Config){
		"blocks 2":                       func(c *net.Config) { c.Blocks = 1 },
		"channels 8":                     func(c *net.Config) { c.Channels = 0 },
		"policy_channels 4":              func(c *net.Config) { c.PolicyChannels = 3 },
		"value_channels 2":               func(c *net.Config) { c.ValueChannels = 1 },
		"value_hidden 3":                 func(c *net.Config) { c.ValueHidden = 2 },
		"block 2 would lose the pooling": func(c *net.Config) { c.PoolEvery = 3 },
		"the head survival":              func(c *net.Config) { c.Auxiliary = "stopped reply" },
		"must be a multiple of 8":        func(c *net.Config) { c.Channels = 12 },
		"must be from 1 to":              func(c *net.Config) { c.Blocks = 1000 },
	} {
		c := small
		change(&c)
		if _, err := n.Grow(c, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, not about %q", err, want)
		}
	}
}
