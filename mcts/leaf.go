package mcts

import "warren/game"

// Leaf is a position to be evaluated. It belongs to its search, which does not
// touch it until it is handed back to [Search.Expand] or [Search.Cancel]. The
// caller must not use it after that.
type Leaf struct {
	Game *game.Game // the position; it must not be changed
	// Legal holds the legal actions that are searched, in the order of game.Legal. With
	// Config.PruneReversals a step may be missing, and which one depends on the order of the
	// steps before: leaves with equal game.EvalKey may have different actions.
	Legal []game.Action

	path []choice // by which it was reached
	slot int      // 1 + index in flying, or landed
	key  uint64
	hash uint64 // of the position, as in a node

	quiet bool    // see wintest.go
	turns []int32 // nodes that count it as in flight; see pending.go
	// followers are leaves with the same position, which the search has kept to itself.
	followers []*Leaf
	following bool // whether it is a follower

	wins bool        // whether the root is known to be won,
	win  game.Action // by a turn that begins with this step
}

// landed is the slot of a leaf that is not in flight, or that this package did
// not make: handing it back has no effect.
const landed = 0

// via returns the edge that leads to the leaf.
func (l *Leaf) via() int32 { return l.path[len(l.path)-1].edge }

// fly puts the leaf at the end of the present simulation in flight.
func (s *Search) fly(leaf *Leaf) {
	leaf.path, s.path = s.path, leaf.path
	leaf.hash = s.hashes[len(s.hashes)-1]
	s.flying = append(s.flying, leaf)
	leaf.slot = len(s.flying)
	s.edges[leaf.via()].child = inFlight
	s.count(leaf.path, 1)
	s.newest = leaf
}

// mostCompared is the number of leaves in flight that a new one is compared with, at
// most. Virtual visits send simulations apart by a step or two, so equal positions
// are in flight next to each other.
const mostCompared = 64

// follow puts the leaf in flight behind another one of the same position, if there is
// one, and reports whether there is: while an order of steps is in flight, its
// virtual visits make the search try the other orders of the same steps. The leaf
// is not handed out, and comes back with the one it follows.
func (s *Search) follow(leaf *Leaf) bool {
	if s.config.SeparateEvaluations {
		return false
	}
	for _, l := range s.flying[max(0, len(s.flying)-mostCompared):] {
		if l.key == leaf.key && !l.following {
			l.followers = append(l.followers, leaf)
			leaf.following = true
			s.fly(leaf)
			return true
		}
	}
	return false
}

// leave returns the leaf's followers, which no longer follow it.
func (l *Leaf) leave() []*Leaf {
	followers := l.followers
	l.followers = l.followers[:0]
	for _, f := range followers {
		f.following = false
	}
	return followers
}

// undo takes back the visits of a leaf in flight.
func (s *Search) undo(leaf *Leaf) {
	s.edges[leaf.via()].child = unvisited
	s.count(leaf.path, -1)
}

// takeLeaf returns a leaf to use, one used before if there is one.
func (s *Search) takeLeaf() *Leaf {
	if n := len(s.spare); n > 0 {
		leaf := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return leaf
	}
	return &Leaf{Game: game.New()}
}

// land takes a leaf back and reports whether it was in flight.
func (s *Search) land(leaf *Leaf) bool {
	if leaf.slot == landed {
		return false
	}
	last := len(s.flying) - 1
	s.flying[leaf.slot-1] = s.flying[last]
	s.flying[leaf.slot-1].slot = leaf.slot
	s.flying = s.flying[:last]
	leaf.slot = landed
	s.resume(leaf)
	s.spare = append(s.spare, leaf)
	return true
}

// orphan undoes the simulations in flight. Their leaves stay with the caller
// and are not used again.
func (s *Search) orphan() {
	for _, leaf := range s.flying {
		s.undo(leaf)
		s.resume(leaf)
		leaf.slot = landed
	}
	s.flying = s.flying[:0]
}
