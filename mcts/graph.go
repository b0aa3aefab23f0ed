package mcts

// Graph search (Czech, Korus and Kersting 2021, "Improving AlphaZero using
// Monte-Carlo graph search"; Wu 2023, "Monte-Carlo graph search from first
// principles"): positions that are reached by several orders of steps share one
// node. Visits belong to edges, as they say what a node's player prefers; a value
// belongs to the node that an edge leads to. A node's value is the mean of its own
// evaluation and of its edges' values, weighted by their visits, and is computed
// anew from them after each simulation that went through the node. So a value
// reaches every parent, and none counts twice.
//
// Nodes are shared by [game.Game.Hash], which covers all that decides how the game
// can go on. So the edges of a node are right for every way to it. (With
// [Config.SkipReturns] all ways lack the step that takes back the last one of the way
// that came first: fewer steps reach what it leads to.) And no node follows from
// itself, so that every simulation ends: a step leaves fewer steps
// of the turn, and a turn either adds its position to those that have occurred or
// removes a piece for good, and the hash covers all of these.

// known is what graph search keeps of a node beside its edges.
type known struct {
	visits int32   // its own and its edges', as of the last simulation through it; 0 if it has no value yet
	mean   float32 // chance to win for its side to move
}

// refresh computes anew what is known of a node, its winner included, and the
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
		k.mean = forGold(goldChance(n.winner-1), n.side)
	case weight > 0:
		k.mean = sum / weight
	default:
		k.visits = 0
	}
	t.known[at] = k
}

// inherit decides an edge to a node whose winner another way to it has proven.
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
	s.credit(s.path, forGold(s.known[id].mean, s.nodes[id].side), 0)
	s.spare = append(s.spare, leaf)
	return true
}

// rejoin is link for a leaf that comes back, whose position another leaf may
// have brought in the meantime.
func (s *Search) rejoin(leaf *Leaf, via int32) bool {
	id := s.shared.find(leaf.key, s.nodes)
	if id == 0 || via == 0 {
		return false
	}
	s.edges[via].child = id
	return true
}
