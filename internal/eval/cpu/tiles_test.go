package cpu

import (
	"math"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/kernel"
	"warren/internal/kernel/bf16"
	"warren/internal/nettest"
	"warren/net"
)

// tileBackends returns the back ends of a network in bf16: on the tile unit, if there is
// one, and in plain Go.
func tileBackends(t testing.TB, n *net.Network) []*Backend {
	t.Helper()
	var all []*Backend
	units := []*bf16.Unit{bf16.Go()}
	if amx, err := bf16.AMX(); err == nil {
		units = append(units, amx)
	} else {
		t.Logf("plain Go only: %v", err)
	}
	for _, u := range units {
		b, err := newTileBackend(n, u, kernel.Best())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// TestTilesMatchReference holds the tiles to plain Go bit for bit, and both to the reference
// within what 8 bits of precision allow.
func TestTilesMatchReference(t *testing.T) {
	for i, c := range nettest.Configs {
		const batch = 3
		n := nettest.Lively(t, c, uint64(i))
		x := nettest.Inputs(uint64(i), batch)
		var first []float32
		for _, b := range tileBackends(t, n) {
			policy, value := make([]float32, batch*game.NumActions), make([]float32, batch)
			b.NewPlan(batch).Forward(x, batch, policy, value)
			all := append(slices.Clone(policy), value...)
			if first == nil {
				first = all
			}
			if !slices.Equal(all, first) {
				t.Errorf("%v: the tile unit and plain Go differ", c)
			}
			for i := range batch {
				outputs := nettest.Reference(n, &x[i])
				peak := 0.0
				for _, v := range outputs[0] {
					peak = max(peak, math.Abs(v))
				}
				for a, v := range outputs[0] {
					if got := float64(policy[i*game.NumActions+a]); !(math.Abs(got-v) <= 0.05*peak) {
						t.Fatalf("%v, position %d, logit %d: got %v, want %v (largest %v)", c, i, a, got, v, peak)
					}
				}
				if want := nettest.Chance(outputs[1][0]); !(math.Abs(float64(value[i])-want) <= 0.02) {
					t.Fatalf("%v, position %d: chance %v, want %v", c, i, value[i], want)
				}
			}
		}
	}
}

func TestTilesAreBatchInvariant(t *testing.T) {
	c := net.Config{Blocks: 2, Channels: 24, PoolEvery: 2, PolicyChannels: 7, ValueChannels: 3, ValueHidden: 9}
	n := nettest.Lively(t, c, 1)
	const batch = 5
	x := nettest.Inputs(1, batch)
	for _, b := range tileBackends(t, n) {
		alone, together := b.NewPlan(1), b.NewPlan(batch)
		var want [batch][]float32
		for i := range batch {
			policy, value := make([]float32, game.NumActions), make([]float32, 1)
			alone.Forward(x[i:], 1, policy, value)
			want[i] = append(policy, value...)
		}
		shifted := make([]net.Bits, batch)
		policy, value := make([]float32, batch*game.NumActions), make([]float32, batch)
		for shift := range batch {
			size := batch - shift/2
			for i := range batch {
				shifted[(i+shift)%batch] = x[i]
			}
			together.Forward(shifted, size, policy, value)
			for i := range batch {
				if at := (i + shift) % batch; at < size && !slices.Equal(append(slices.Clone(policy[at*game.NumActions:][:game.NumActions]), value[at]), want[i]) {
					t.Errorf("position %d at place %d of %d is not what it is alone", i, at, size)
				}
			}
		}
	}
}

func TestTilesDoNotAllocate(t *testing.T) {
	c := net.Config{Blocks: 2, Channels: 16, PoolEvery: 1, PolicyChannels: 7, ValueChannels: 3, ValueHidden: 9}
	for _, b := range tileBackends(t, nettest.Lively(t, c, 1)) {
		p, x := b.NewPlan(3), nettest.Inputs(1, 3)
		policy, value := make([]float32, 3*game.NumActions), make([]float32, 3)
		if a := testing.AllocsPerRun(2, func() { p.Forward(x, 3, policy, value) }); a != 0 {
			t.Errorf("%s: Forward allocates %v times", b.Attributes().Path, a)
		}
	}
}

func TestAMX(t *testing.T) {
	n := nettest.Lively(t, nettest.Configs[0], 1)
	_, none := bf16.AMX()
	for name, open := range map[string]func(*net.Network) (*Backend, error){
		"named": NewAMX,
		"forced": func(n *net.Network) (*Backend, error) {
			t.Setenv(kernel.Variable, kernel.AMX)
			return New(n)
		},
	} {
		b, err := open(n)
		if none != nil {
			if err == nil || !strings.Contains(err.Error(), "AMX") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: want one line about AMX, got %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if a := b.Attributes(); a.Device != "cpu" || a.Path != "amx" || a.Precision != "bf16" {
			t.Errorf("%s: attributes are %+v", name, a)
		}
	}
}
