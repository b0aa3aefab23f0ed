package mcts

// Settled reports whether further simulations are useless to a caller who plays
// at temperature 0 and stops at the given number of root visits (0 for never).
// This is the case if the root is proven, or has so many visits that no more can
// be counted. With [Config.EarlyStop] it is also
// the case if no other action can still reach the visits of the first, as in
// the engines KataGo and Leela Zero; a proof might still change the choice.
func (s *Search) Settled(visits int) bool {
	if s.Proof() != Unproven || s.Simulations() >= mostVisits {
		return true
	}
	if !s.config.EarlyStop || visits == 0 || len(s.nodes) == 0 {
		return false
	}
	r, ok := s.root.(settler)
	return ok && r.settled(&s.tree, visits-s.Simulations())
}

// A settler is a root rule that plays by visits.
type settler interface {
	// settled reports whether the given number of further simulations cannot
	// change the action with the most visits.
	settled(t *tree, left int) bool
}

func (r *puctRoot) settled(t *tree, left int) bool {
	if r.bound > 0 {
		return false
	}
	best := t.mostVisited(0)
	ahead := int(t.edges[best].visits) - left
	for e, end := t.nodes[0].span(); e < end; e++ {
		if e != best && int(t.edges[e].visits) >= ahead && !t.avoided(e) {
			return false
		}
	}
	return true
}
