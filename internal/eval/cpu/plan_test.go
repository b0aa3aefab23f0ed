package cpu

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"warren/game"
	"warren/internal/nettest"
	"warren/net"
)

// newPlan makes a plan in fp32 of a back end of its own.
func newPlan(t testing.TB, n *net.Network, batch int) *Plan {
	t.Helper()
	b, err := newFloats(n)
	if err != nil {
		t.Fatal(err)
	}
	return b.NewPlan(batch)
}

func TestPlanMatchesReference(t *testing.T) {
	for i, c := range nettest.Configs {
		for _, batch := range []int{1, 3, 6} {
			t.Run(fmt.Sprintf("%+v/batch=%d", c, batch), func(t *testing.T) {
				n := nettest.Lively(t, c, uint64(i))
				x := nettest.Inputs(uint64(10*i+batch), batch)
				policy, value := make([]float32, batch*game.NumActions), make([]float32, batch)
				outputs := [][]float32{policy, value}
				if c.Has("stopped") {
					outputs = append(outputs, make([]float32, batch))
				}
				newPlan(t, n, batch+2).Forward(x, batch, outputs...)
				for b := range batch {
					reference := nettest.Reference(n, &x[b])
					want := reference[0]
					peak := 0.0
					for _, v := range want {
						peak = max(peak, math.Abs(v))
					}
					if peak < 0.05 {
						t.Fatalf("the reference's largest logit is %v: the test would show nothing", peak)
					}
					for a, v := range want {
						if got := float64(policy[b*game.NumActions+a]); !(math.Abs(got-v) <= 1e-4*peak) {
							t.Fatalf("position %d, logit %d: got %v, want %v (largest %v)", b, a, got, v, peak)
						}
					}
					for k, h := range n.Config.Heads() {
						if !h.Play || h.Size > 1 {
							continue
						}
						// The heads that play needs but the first two are the last of all.
						at := min(k, len(outputs)-1)
						if got, chance := float64(outputs[at][b]), nettest.Chance(reference[k][0]); !(math.Abs(got-chance) <= 1e-4*chance) {
							t.Fatalf("position %d: %s %v, want %v", b, h.Name, got, chance)
						}
					}
				}
			})
		}
	}
}

// Heads that no search reads cost nothing in play: the plan is that of the network without them.
func TestAuxiliaryHeadsCostNothing(t *testing.T) {
	n := nettest.Lively(t, nettest.Everything, 1)
	all, played := newPlan(t, n, 3), newPlan(t, nettest.ForPlay(t, n), 3)
	names := func(p *Plan) (names []string) {
		for _, h := range p.weights.heads.heads {
			names = append(names, h.Name)
		}
		return names
	}
	if got, want := names(all), []string{"policy", "value", "stopped"}; !slices.Equal(got, want) || !slices.Equal(names(played), want) {
		t.Errorf("the plan computes the heads %v, and without the others %v, want %v", got, names(played), want)
	}
	if got, want := len(all.weights.heads.firstBias), len(played.weights.heads.firstBias); got != want {
		t.Errorf("the first layers of the heads have %d channels, and without the others %d", got, want)
	}
	x := nettest.Inputs(1, 3)
	outputs := func(p *Plan) []float32 {
		policy, value, stopped := make([]float32, 3*game.NumActions), make([]float32, 3), make([]float32, 3)
		p.Forward(x, 3, policy, value, stopped)
		return slices.Concat(policy, value, stopped)
	}
	if !slices.Equal(outputs(all), outputs(played)) {
		t.Error("the outputs depend on heads that no search reads")
	}
}

func TestPlanIsBatchInvariant(t *testing.T) {
	for i, c := range nettest.Configs {
		n := nettest.Lively(t, c, uint64(i))
		const batch = 11
		x := nettest.Inputs(uint64(i), batch)
		policy, value := make([]float32, batch*game.NumActions), make([]float32, batch)
		newPlan(t, n, batch).Forward(x, batch, policy, value)

		alone := newPlan(t, n, 1)
		one, chance := make([]float32, game.NumActions), make([]float32, 1)
		for b := range batch {
			alone.Forward(x[b:], 1, one, chance)
			if !slices.Equal(one, policy[b*game.NumActions:][:game.NumActions]) || chance[0] != value[b] {
				t.Errorf("%v: position %d of %d alone is not what it is in the batch", c, b, batch)
			}
		}

		// The same positions in every other place, in a plan used before.
		busy := newPlan(t, n, batch+3)
		shifted := make([]net.Bits, batch)
		p2, v2 := make([]float32, len(policy)), make([]float32, batch)
		for shift := range batch {
			for b := range batch {
				shifted[(b+shift)%batch] = x[b]
			}
			busy.Forward(shifted, batch-shift/2, p2, v2)
			for b := range batch {
				to := (b + shift) % batch
				if to >= batch-shift/2 {
					continue
				}
				if !slices.Equal(p2[to*game.NumActions:][:game.NumActions], policy[b*game.NumActions:][:game.NumActions]) || v2[to] != value[b] {
					t.Fatalf("%v: position %d moved to place %d changed", c, b, to)
				}
			}
		}
	}
}

func TestPlanDoesNotAllocate(t *testing.T) {
	for _, c := range nettest.Configs[:3] {
		n := nettest.Lively(t, c, 1)
		x := nettest.Inputs(1, 5)
		p := newPlan(t, n, 5)
		policy, value := make([]float32, 5*game.NumActions), make([]float32, 5)
		if a := testing.AllocsPerRun(3, func() { p.Forward(x, 5, policy, value) }); a != 0 {
			t.Errorf("%v: Forward allocates %v times", c, a)
		}
	}
}

func TestWeightsAreCopied(t *testing.T) {
	n := nettest.Lively(t, nettest.Configs[0], 1)
	b, err := newFloats(n)
	if err != nil {
		t.Fatal(err)
	}
	frozen := n.Clone()
	clear(n.Params[0].Data)
	x := nettest.Inputs(1, 1)
	var want, got [game.NumActions]float32
	var v, w [1]float32
	newPlan(t, frozen, 1).Forward(x, 1, want[:], v[:])
	b.NewPlan(1).Forward(x, 1, got[:], w[:])
	if got != want || v != w {
		t.Error("a change of the parameters reached a back end that was there before")
	}
}

// Plans of one back end share its weights, and nothing that they write.
func TestPlansRunConcurrently(t *testing.T) {
	n := nettest.Lively(t, nettest.Configs[2], 1)
	for name, open := range map[string]func(*net.Network) (*Backend, error){"fp32": newFloats, "int16": NewInt16} {
		b, err := open(n)
		if err != nil {
			t.Fatal(err)
		}
		evaluate := func(i int) (policy [4 * game.NumActions]float32) {
			b.NewPlan(4).Forward(nettest.Inputs(uint64(i), 4), 4, policy[:], make([]float32, 4))
			return policy
		}
		const plans = 4
		var alone, together [plans][4 * game.NumActions]float32
		var wg sync.WaitGroup
		for i := range plans {
			alone[i] = evaluate(i)
		}
		for i := range plans {
			wg.Go(func() { together[i] = evaluate(i) })
		}
		wg.Wait()
		for i := range plans {
			if together[i] != alone[i] {
				t.Errorf("%s: plan %d differs from one that runs alone", name, i)
			}
		}
	}
}
