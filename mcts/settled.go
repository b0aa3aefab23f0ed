package mcts

// Settled reports whether further simulations are useless: the root is proven, or has so many
// visits that no more can be counted.
func (s *Search) Settled() bool { return s.Proof() != Unproven || s.Simulations() >= mostVisits }
