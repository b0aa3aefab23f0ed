package mcts

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"warren/game"
)

// evenly is an interior rule that takes each edge of a node in turn.
type evenly struct{}

func (evenly) choose(t *tree, at int32, _ choice) int32 {
	first, end := t.nodes[at].span()
	return leastVisited(t, first, end)
}

func leastVisited(t *tree, first, end int32) int32 {
	best := first
	for e := first; e < end; e++ {
		if t.edges[e].visits < t.edges[best].visits {
			best = e
		}
	}
	return best
}

// halving is a root rule in two rounds. It gives four actions an equal share of
// the first half of the planned visits, and the two of higher Q an equal share
// of the second. It changes the priors, as noise does.
type halving struct {
	t       *testing.T
	plans   []int // visits of each call of prepare
	chance  bool  // whether the last call had an rng
	visits  int   // of the root's actions at the end
	actions []int32
}

func (h *halving) prepare(t *tree, visits int, rng *rand.Rand) {
	h.plans, h.chance, h.visits = append(h.plans, visits), rng != nil, visits-1
	h.actions = h.actions[:0]
	edges := t.rootEdges()
	for i := range edges {
		if edges[i].prior != t.rootPriors[i] {
			h.t.Errorf("prepare %d: action %d has the prior %g, want its own %g", len(h.plans), i, edges[i].prior, t.rootPriors[i])
		}
		edges[i].prior = t.rootPriors[len(edges)-1-i]
	}
	t.nodes[0].open = t.nodes[0].count
	for i := range min(4, int32(len(edges))) {
		h.actions = append(h.actions, t.nodes[0].first+i)
	}
}

func (h *halving) choose(t *tree) int32 {
	visits := 0
	for _, e := range t.rootEdges() {
		visits += int(e.visits)
	}
	if len(h.actions) == 4 && h.visits > 0 && visits >= h.visits/2 {
		h.sort(t)
		h.actions = h.actions[:2]
	}
	return slices.MinFunc(h.actions, func(a, b int32) int { return int(t.edges[a].visits - t.edges[b].visits) })
}

// sort puts the actions in order of falling Q.
func (h *halving) sort(t *tree) {
	q := func(e int32) float32 { return mean(t.edges[e].sum.total(), max(1, t.edges[e].visits)) }
	slices.SortStableFunc(h.actions, func(a, b int32) int {
		if q(a) > q(b) {
			return -1
		}
		return 1
	})
}

func (h *halving) preferred(t *tree) int32 {
	h.sort(t)
	return h.actions[0]
}

func (h *halving) outcome(t *tree, _ []float32, _ float64, _ *rand.Rand, target []Share) Outcome {
	best := t.actions[h.preferred(t)]
	return Outcome{Action: best, Target: append(target, Share{best, 1}), Weight: 0.5}
}

// TestRules runs the one search with other rules: alone, with PUCT, with
// leaves in flight, and from one root to the next.
func TestRules(t *testing.T) {
	const visits = 81 // the root's own and 80 of its actions
	config := AlphaZeroConfig()
	for _, flying := range []int{1, 3} {
		root := &halving{t: t}
		s := newSearch(config, newTree(1000, edgesPerNode), root, evenly{})
		s.Reset(positions(t)[0])
		s.Begin(visits, rand.New(rand.NewPCG(9, 9)))
		if len(root.plans) > 0 {
			t.Fatal("a root without an evaluation was prepared")
		}
		runFlying(s, visits, flying)
		recount(t, s)
		if !slices.Equal(root.plans, []int{visits}) || !root.chance {
			t.Fatalf("the root was prepared for %v, want %d visits and an rng", root.plans, visits)
		}
		var counts []int
		for _, m := range s.Root(nil) {
			if m.Visits > 0 {
				counts = append(counts, m.Visits)
			}
		}
		slices.Sort(counts)
		if flying == 1 && !slices.Equal(counts, []int{10, 10, 30, 30}) {
			t.Errorf("the root's actions have the visits %v, want 10, 10, 30 and 30", counts)
		}
		for at := 1; at < len(s.nodes); at++ {
			first, end := s.nodes[at].span()
			fewest, most := s.edges[leastVisited(&s.tree, first, end)].visits, s.edges[s.mostVisited(int32(at))].visits
			if flying == 1 && most-fewest > 1 {
				t.Fatalf("node %d: an edge has %d visits, another %d", at, most, fewest)
			}
		}
		out, ok := s.Outcome(1, nil)
		if !ok || out.Weight != 0.5 || !slices.Equal(out.Target, []Share{{out.Action, 1}}) {
			t.Fatalf("the outcome is %+v, want the rule's own", out)
		}

		s.Advance(out.Action)
		kept := s.Simulations()
		s.Begin(kept+20, nil)
		if !slices.Equal(root.plans, []int{visits, 0, kept + 20}) || root.chance {
			t.Fatalf("the roots were prepared for %v, want first no plan and then %d visits without an rng", root.plans, kept+20)
		}
		runFlying(s, kept+20, flying)
		recount(t, s)
	}

	mixed := newSearch(config, newTree(1000, edgesPerNode), newPUCTRoot(config), evenly{})
	mixed.Reset(positions(t)[0])
	run(mixed, visits, hashed)
	recount(t, mixed)
}

// runFlying completes simulations until the root of s has n, with up to flying
// leaves out at a time.
func runFlying(s *Search, n, flying int) {
	var out []*Leaf
	var priors [game.NumActions]float32
	for s.Simulations() < n {
		leaf, status := (*Leaf)(nil), Wait
		if s.Simulations()+len(out) < n {
			leaf, status = s.Select()
		}
		if status == Evaluate {
			out = append(out, leaf)
		}
		for len(out) > 0 && (status == Wait || len(out) == flying) {
			p := priors[:len(out[0].Legal)]
			s.Expand(out[0], Evaluation{Priors: p, Value: hashed(out[0].Game, out[0].Legal, p)})
			out = out[1:]
		}
	}
}

// The settings allow the rules of the table and no others.
func TestRulesAreAllowed(t *testing.T) {
	field, _ := reflect.TypeFor[Config]().FieldByName("Rule")
	allowed := strings.Fields(field.Tag.Get("oneof"))
	slices.Sort(allowed)
	if table := slices.Sorted(maps.Keys(rules)); !slices.Equal(allowed, table) {
		t.Errorf("the settings allow %q, and the table has %q", allowed, table)
	}
}
