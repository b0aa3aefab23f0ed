package mcts

import (
	"math"

	"warren/game"
)

// Proof says what is certain about a position or an action, for the side to
// move at the root.
type Proof int8

const (
	Lost     Proof = -1
	Unproven Proof = 0
	Won      Proof = 1
)

// chance returns the chance to win that goes with a proof.
func (p Proof) chance() float32 { return float32(p+1) / 2 }

// Proof returns what is proven about the root. Without [Config.Proofs] that is
// nothing. Of a root within a turn, [Search.Begin] forgets that it is lost where a
// step that takes back another of the turn may save it.
func (s *Search) Proof() Proof { return s.proof(0, s.game.Side()) }

// none is a value of tree.lost below the code of every edge.
const none = math.MinInt32

// decided reports whether the winner behind the edge is certain.
func (e *edge) decided() bool { return e.child < inFlight }

// winner returns who wins behind a decided edge.
func (e *edge) winner() game.Color { return game.Color(-e.child & 1) }

// decide makes the edge a decided one. What it leads to remains.
func (e *edge) decide(winner game.Color) { e.child = goldWins - int32(winner) - 2*e.node() }

// node returns the node that the edge leads to, and 0 if there is none.
func (e *edge) node() int32 {
	if e.decided() {
		return (goldWins - e.child) / 2
	}
	return max(e.child, 0)
}

// lead makes the edge lead to the node, which may be 0 for none. A decided edge
// remains decided.
func (e *edge) lead(node int32) {
	if e.decided() {
		e.child = goldWins - int32(e.winner()) - 2*node
		return
	}
	e.child = node
}

// proof returns what is proven about an edge, for the given side. Without
// proofs that is nothing, even where the game ends.
func (t *tree) proof(e int32, side game.Color) Proof {
	switch edge := &t.edges[e]; {
	case edge.child > t.lost:
		return Unproven
	case edge.winner() == side:
		return Won
	}
	return Lost
}

// avoided reports whether an edge of the root is a proven loss and the root
// itself is not.
func (t *tree) avoided(e int32) bool {
	side := t.nodes[0].side
	return t.proof(e, side) == Lost && t.proof(0, side) != Lost
}

// decide ends the present simulation at a leaf whose winner is certain.
func (s *Search) decide(leaf *Leaf, winner game.Color) (*Leaf, Status) {
	last := s.path[len(s.path)-1]
	s.open(last)
	s.edges[last.edge].decide(winner)
	s.prove(s.path, winner)
	s.spare = append(s.spare, leaf)
	at := s.refuted(s.path, winner)
	if at == 0 {
		s.finish(s.path, goldChance(winner), 0)
		return nil, Finished
	}
	for _, c := range s.path[at:] {
		e := &s.edges[c.edge]
		e.visits++
		if winner == s.nodes[c.node].side {
			e.sum.add(one)
		}
	}
	return nil, Finished
}

// Refute tells the search that the action a at the root loses. With [Config.Proofs]
// the action then counts as proven lost, and its visits no longer count at the root; without,
// or if the root's winner is proven already, Refute has no effect. Leaves still in flight are void.
func (s *Search) Refute(a game.Action) {
	s.orphan()
	e := s.rootEdge(a)
	if e < 0 || !s.config.Proofs || s.edges[e].decided() || s.edges[0].decided() {
		return
	}
	winner := s.game.Side().Other()
	s.open(choice{0, e})
	s.edges[e].decide(winner)
	s.discount(e)
	switch {
	case !s.follows(0, winner):
	case s.withholds():
		s.reconsider()
	default:
		s.edges[0].decide(winner)
	}
}

// discount takes the visits of an edge of the root off the root's. The edge keeps them.
func (t *tree) discount(at int32) {
	in, e := &t.edges[0], &t.edges[at]
	in.visits -= e.visits
	in.sum.add(-e.sum.total())
	if child := e.node(); t.costly && child > 0 {
		t.costs[0].sum.add(-t.paid(child))
	}
}

// refuted returns the place on the path of an action that is now known to lose
// and whose player may have a better one. It returns 0 if there is no such
// action, or if lost visits count all the way up ([Config.LostVisits]).
//
// The visit says nothing about the positions above: their values do not depend
// on an action that will not be taken. A turn is many actions deep. While there
// is a threat to reach a goal, most last steps of the defender lose, and
// counting such visits would lower the value of a good defence.
func (s *Search) refuted(path []choice, winner game.Color) int {
	if !s.config.Proofs || s.config.LostVisits {
		return 0
	}
	at := len(path) - 1
	for at > 0 && s.edges[path[at-1].edge].decided() {
		at--
	}
	if at > 0 && s.nodes[path[at].node].side == winner {
		return 0
	}
	return at
}

// prove backs up the winner of the last edge of the path (MCTS-Solver, Winands,
// Bjornsson and Saito 2008). A player who has an action that wins wins, and one
// whose actions all lose loses. In Arimaa the player may be the same on both
// ends of an edge, so prove compares winners and changes no sign.
func (s *Search) prove(path []choice, winner game.Color) {
	if !s.config.Proofs {
		return
	}
	last := len(path) - 1
	if last > 0 {
		s.proofs.add(s.hashes[last], winner, len(s.nodes))
	}
	for i := last; i > 0 && s.follows(path[i].node, winner); i-- {
		if i == 1 && winner != s.game.Side() && s.withholds() {
			s.again = true
			return
		}
		s.edges[path[i-1].edge].decide(winner)
		if i > 1 {
			s.proofs.add(s.hashes[i-1], winner, len(s.nodes))
		}
	}
}

// follows reports whether the winner of a node follows from its edges, of which
// one is known to be decided for the winner.
func (t *tree) follows(at int32, winner game.Color) bool {
	n := &t.nodes[at]
	if n.side == winner {
		return true
	}
	if n.open < n.count {
		return false
	}
	first, end := n.span()
	for i := first; i < end; i++ {
		e := &t.edges[i]
		if !e.decided() || e.winner() != winner {
			return false
		}
	}
	return true
}

// confirm gives a new root that is won an edge that wins. The proof may have come from another order of the same
// steps, whose nodes are gone. If no next position is known to be won, either, nothing is proven.
func (s *Search) confirm() {
	in, side := &s.edges[0], s.nodes[0].side
	if !in.decided() || in.winner() != side || s.won(0) {
		return
	}
	defer s.line.rewind()
	for e, end := s.nodes[0].span(); e < end; e++ {
		s.line.rewind()
		path := []choice{{}, {0, e}}
		if winner, ok := s.proofs.find(s.walk(path).Hash()); ok && winner == side {
			s.open(path[1])
			s.edges[e].decide(winner)
			return
		}
	}
	in.child = 0
}

// decidedPath completes the path of a simulation at a root whose winner is
// proven. If the root is won, the path continues to the winning action; if it is
// lost, the path ends at the root.
func (s *Search) decidedPath(path []choice) []choice {
	if s.Proof() == Won {
		path = append(path, choice{0, s.mostVisited(0)})
	}
	return path
}
