package find

import (
	"slices"

	"warren/game"
	"warren/game/tactics"
)

// second finds turns that take a piece, lose none and leave no goal, or score a goal.
type second struct {
	goals    *tactics.Finder
	captures *tactics.Captures
	side     game.Color
	own      int // pieces of the side, which it keeps
	theirs   int // pieces of the opponent before

	turns  [][]game.Action // that were found, the latest first
	spent  int             // steps of the present search
	failed map[uint64]bool // states of the present search that lead to no such turn
	// none holds states with three steps left that lead to no capture.
	none map[state]bool
	bufs [5][game.MaxLegal]game.Action // by steps left
}

// state decides whether the rest of a turn can take a piece.
type state struct {
	board      game.Board
	hole       game.Square // of a push or a pull
	kind       game.Kind   // of the piece that left it
	push, pull bool
}

// answers reports whether the side, which is to move unless the game is over, has lost no
// piece and has such a turn.
func (s *second) answers(g *game.Game) (yes, known bool) {
	b := g.Board()
	if count(b, s.side) < s.own {
		return false, true
	}
	if r := g.Result(); r.Over() {
		return r.Winner == s.side, true
	}
	for i, turn := range s.turns {
		if after := replay(g, turn); after != nil && s.good(after) {
			s.turns = slices.Insert(slices.Delete(s.turns, i, i+1), 0, turn)
			return true, true
		}
	}
	turn, known := s.find(g)
	if turn != nil {
		s.turns = remember(s.turns, turn)
		return true, true
	}
	if !known || !tactics.MayGoal(b, s.side, 4, 0) {
		return false, known
	}
	won, spent := s.goals.Winning(g, budget)
	return won != nil, won != nil || spent < budget
}

// good reports whether the turn that led to g is one.
func (s *second) good(g *game.Game) bool {
	b := g.Board()
	if r := g.Result(); r.Over() && (r.Winner != s.side || r.Reason == game.Goal) {
		return r.Winner == s.side
	}
	if count(b, s.side) < s.own || count(b, s.side.Other()) == s.theirs {
		return false
	}
	if g.Result().Over() || !tactics.MayGoal(b, g.Side(), 4, 0) {
		return true
	}
	turn, _ := s.goals.Winning(g, tactics.Unbounded)
	return turn == nil
}

// find returns a turn that takes a piece, or nil. It does not know if the search takes too long.
func (s *second) find(g *game.Game) (turn []game.Action, known bool) {
	s.spent = 0
	clear(s.failed)
	if s.search(g, &turn) {
		slices.Reverse(turn)
		return turn, true
	}
	return nil, s.spent < mostSteps
}

// search adds the rest of a turn that takes a piece, its last action first.
func (s *second) search(g *game.Game, turn *[]game.Action) bool {
	if g.Side() != s.side || g.Result().Over() {
		return s.good(g)
	}
	if s.spent >= mostSteps || s.failed[g.Hash()] {
		return false
	}
	legal := g.Legal(s.bufs[g.StepsLeft()][:0])
	first := s.likely(g, legal)
	if len(first) > 0 {
		for i := range legal {
			if !slices.Contains(first, i) {
				first = append(first, i)
			}
		}
	}
	mark := g.Mark()
	for _, i := range first {
		s.spent++
		g.Play(legal[i])
		found := s.search(g, turn)
		g.Restore(mark)
		if found {
			*turn = append(*turn, legal[i])
			return true
		}
	}
	s.failed[g.Hash()] = true
	return false
}

// likely returns the indices in legal of the likeliest actions: the steps that begin a
// capture, or after one the pass. If there are none, the turn takes no piece.
func (s *second) likely(g *game.Game, legal []game.Action) []int {
	if count(g.Board(), s.side.Other()) < s.theirs {
		return []int{len(legal) - 1} // a pass is the last
	}
	first := slices.Clone(s.captures.Find(g, legal))
	if len(first) > 0 || g.StepsLeft() < 4 {
		return first
	}
	mark := g.Mark()
	for i, a := range legal {
		g.Play(a)
		if g.Side() == s.side && s.three(g) {
			first = append(first, i)
		}
		g.Restore(mark)
	}
	return first
}

// three reports whether the three steps left can take a piece.
func (s *second) three(g *game.Game) bool {
	key := state{board: *g.Board()}
	if hole, kind, ok := g.Push(); ok {
		key.hole, key.kind, key.push = hole, kind, true
	}
	if hole, kind, ok := g.Pull(); ok {
		key.hole, key.kind, key.pull = hole, kind, true
	}
	if s.none[key] {
		return false
	}
	if len(s.captures.Find(g, g.Legal(s.bufs[g.StepsLeft()][:0]))) > 0 {
		return true
	}
	s.none[key] = true
	return false
}
