package mcts

import "warren/game"

// Graph search (Czech, Korus and Kersting 2021, "Improving AlphaZero using
// Monte-Carlo graph search"; Wu 2023, "Monte-Carlo graph search from first
// principles"): positions that are reached by several orders of steps share one
// node. Visits belong to edges, because they show what a node's player prefers;
// a value belongs to the node that an edge leads to. A node's value is the mean
// of its own evaluation and of its edges' values, weighted by their visits, and
// is recomputed from them after each simulation that went through the node. A
// value therefore reaches every parent, and no value counts twice.
//
// Nodes are identified by [game.Game.Hash], which covers everything that
// determines how the game can go on. The edges of a node are therefore right
// for every path to it. (With [Config.SkipReturns] a node lacks the step that
// takes back the last step of the path by which it was first reached. Fewer
// steps lead to the same position.)
//
// No node can be reached from itself, so every simulation ends: a step leaves
// fewer steps in the turn, and a turn either adds its position to those that
// have occurred or removes a piece for good. The hash covers all of this.

// known is what graph search keeps about a node, besides its edges.
type known struct {
	visits int32   // its own and its edges', as of the last simulation through it; 0 if it has no value yet
	mean   float32 // chance to win for its side to move
}

// refresh recomputes what is known about a node, including its winner, and the
// sums of its edges. Proven losses of its player count only if there is nothing
// else.
func (t *tree) refresh(at int32) {
	n := &t.nodes[at]
	var sum, weight float32
	won, lost := false, uint16(0)
	k := known{}
	if !n.forced {
		sum, weight, k.visits = n.value, 1, 1
	}
	first, end := n.opened()
	for i := first; i < end; i++ {
		e := &t.edges[i]
		t.inherit(e)
		if e.decided() {
			if e.winner() == n.side {
				won = true
			} else {
				lost++
			}
		}
		if e.visits == 0 {
			continue
		}
		k.visits += e.visits
		valued := e.visits
		switch {
		case e.decided():
			e.sum = 0
			if e.winner() == n.side {
				e.sum = float32(e.visits)
			} else if t.lost != none {
				continue
			}
		case e.child > 0:
			child := t.known[e.child]
			if child.visits == 0 {
				continue
			}
			if t.nodes[e.child].side != n.side {
				child.mean = 1 - child.mean
			}
			e.sum = child.mean * float32(e.visits)
		case e.child == inFlight:
			valued--
		}
		sum += e.sum
		weight += float32(valued)
	}
	if t.lost != none && n.winner == 0 {
		switch {
		case won:
			n.winner = 1 + n.side
		case lost == n.count && lost > 0:
			n.winner = 1 + n.side.Other()
		}
	}
	switch {
	case n.winner != 0:
		k.mean = forSide(goldChance(n.winner-1), n.side, game.Gold)
	case weight > 0:
		k.mean = sum / weight
	default:
		k.visits = 0
	}
	t.known[at] = k
}

// inherit decides an edge if it leads to a node whose winner has been proven by
// another path.
func (t *tree) inherit(e *edge) {
	if e.child > 0 && t.nodes[e.child].winner != 0 {
		e.decide(t.nodes[e.child].winner - 1)
	}
}

// refreshPath brings the nodes on the path up to date, from the last one up.
func (s *Search) refreshPath(path []choice) {
	for i := len(path) - 1; i > 0; i-- {
		s.refresh(path[i].node)
	}
	s.refreshRoot()
}

// refreshRoot gives the edge to the root the root's value and winner.
func (s *Search) refreshRoot() {
	if len(s.nodes) > 0 {
		if w := s.nodes[0].winner; w != 0 && !s.edges[0].decided() {
			s.edges[0].decide(w - 1)
		}
		s.edges[0].sum = s.known[0].mean * float32(s.Simulations())
	}
}

// link makes the edge via lead to the node of g's position, if there is one, and
// completes the simulation there.
func (s *Search) link(leaf *Leaf, via int32) bool {
	leaf.key = leaf.Game.Hash()
	id := s.shared.find(leaf.key, s.nodes)
	if id == 0 || via == 0 {
		return false
	}
	s.count(s.path, 1)
	s.edges[via].child = id
	s.credit(s.path, forSide(s.known[id].mean, s.nodes[id].side, game.Gold), 0)
	s.spare = append(s.spare, leaf)
	return true
}

// rejoin is like link, but for a leaf that comes back from evaluation. Another
// leaf may have added its position in the meantime.
func (s *Search) rejoin(leaf *Leaf, via int32) bool {
	id := s.shared.find(leaf.key, s.nodes)
	if id == 0 || via == 0 {
		return false
	}
	s.edges[via].child = id
	return true
}
