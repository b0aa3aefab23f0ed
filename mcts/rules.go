package mcts

import "math/rand/v2"

// An interiorRule selects below the root.
type interiorRule interface {
	// choose returns the index of the edge that a simulation takes from node
	// at, which it reached by in. It may return any edge of the node.
	choose(t *tree, at int32, in choice) (edge int32)
}

// A rootRule selects at the root, node 0, and says what the search found.
type rootRule interface {
	// prepare is called before the first choice at a root and again whenever
	// the caller begins a search there. The root's edges have their own priors,
	// and may have visits from an earlier search. Visits is the number of
	// visits that the root is planned to have in the end, 0 if the caller does
	// not know. The rng is nil if the search must not be random.
	//
	// A rule that changes the priors, and with them their order, must also open
	// all of the root's edges.
	prepare(t *tree, visits int, rng *rand.Rand)

	// choose returns the index of the root's edge that the next simulation
	// takes. The visits it sees include those in flight.
	choose(t *tree) (edge int32)

	// preferred returns the index of the root's edge to play at temperature 0.
	preferred(t *tree) (edge int32)

	// outcome returns the result of the search so far. The priors are those of
	// the root's actions without noise and without the share for captures. It
	// appends the policy target to target, which is empty. The rng may be nil if
	// the temperature is 0.
	outcome(t *tree, priors []float32, temperature float64, rng *rand.Rand, target []Share) Outcome
}
