package turnsearch

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The perturbations of the edges have the maximum they are told, and the edge that
// has it is distributed by the priors.
func TestPerturb(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	edges := []edge{{sampled: 0.5}, {sampled: 0.3}, {sampled: 0.15}, {sampled: 0.05}}
	noise := make([]float64, len(edges))
	const n = 20000
	first := make([]float64, len(edges))
	second := 0.0
	for range n {
		largest := math.Log(0.2) + gumbel(rng)
		perturb(noise, edges, math.Log(0.2), largest, rng)
		best, next := -1, -1
		for i, g := range noise {
			if best < 0 || g > noise[best] {
				best, next = i, best
			} else if next < 0 || g > noise[next] {
				next = i
			}
		}
		if math.Abs(noise[best]-largest) > 1e-9 {
			t.Fatalf("the maximum is %v, want %v", noise[best], largest)
		}
		first[best]++
		if best == 0 && next == 1 {
			second++
		}
	}
	for i, e := range edges {
		if got := first[i] / n; math.Abs(got-float64(e.sampled)) > 0.015 {
			t.Errorf("edge %d comes first in %.3f of the draws, want %.3f", i, got, e.sampled)
		}
	}
	// Without replacement: after the first, the rest by its own proportions.
	if got, want := second/n, 0.5*0.3/0.5; math.Abs(got-want) > 0.015 {
		t.Errorf("edges 0 and 1 come first in %.3f of the draws, want %.3f", got, want)
	}
}

// An end that is reached by two ways is sampled by the sum of their
// probabilities, also if its second way is found after it was expanded.
func TestPerturbationsOfMergedPositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 20000
	merged, late := 0.0, 0.0
	for range n {
		// The root leads to 1, 2 and 3; 1 and 2 lead to 4 and 5 alone, and 4 to 6 and 7.
		tree := tree{rng: rng, heat: 1}
		root := position{prior: 1, sampled: 1, priority: gumbel(rng), parent: -1, state: expanded, first: 0, count: 3}
		tree.positions = append(tree.positions, root)
		for range 7 {
			tree.positions = append(tree.positions, position{priority: math.Inf(-1)})
		}
		add := func(to int32, p float32) { tree.edges = append(tree.edges, edge{to: to, prior: p, sampled: p}) }
		add(1, 0.3)
		add(2, 0.2)
		add(3, 0.5)
		add(4, 0.5)
		add(5, 0.5)
		add(4, 0.9)
		add(5, 0.1)
		add(6, 0.25)
		add(7, 0.75)
		expand := func(at int, first, count int32) {
			p := &tree.positions[at]
			p.state, p.first, p.count = expanded, first, count
			tree.spread(int32(at), p.prior, p.sampled, p.priority)
		}
		expand(0, 0, 3)
		expand(1, 3, 2)
		expand(4, 7, 2)
		expand(2, 5, 2)
		best := 3
		for _, at := range []int{5, 6, 7} {
			if tree.positions[at].priority > tree.positions[best].priority {
				best = at
			}
		}
		switch best {
		case 5:
			merged++
		case 7:
			late++
		}
	}
	if got, want := merged/n, 0.3*0.5+0.2*0.1; math.Abs(got-want) > 0.015 {
		t.Errorf("a merged end comes first in %.3f of the draws, want %.3f", got, want)
	}
	if got, want := late/n, 0.75*(0.3*0.5+0.2*0.9); math.Abs(got-want) > 0.015 {
		t.Errorf("an end beyond a merged position comes first in %.3f of the draws, want %.3f", got, want)
	}
}
