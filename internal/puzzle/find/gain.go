package find

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"

	"warren/game"
	"warren/internal/puzzle"
)

const (
	mostTurns = 12_500 // distinct turns of a gain; with more the search would take too long
	mostSteps = 20_000 // bounds the search for the second turn
)

// gain is a search for turns that win a piece by force: no reply takes a piece or ends the
// game, and after each the side has a second turn.
type gain struct {
	second
	defences [][]game.Action // replies that a second turn did not answer, the latest first
}

// gains returns the positions after all turns that win a piece by force, or two of them. It gives up
// where a piece can be taken for nothing at once, and unless the recorded turn is right.
func (f *Finder) gains(p *puzzle.Puzzle, played *game.Board) ([]game.Board, bool) {
	s := f.gain(p)
	// Few turns threaten anything, even if the opponent could pass.
	if turn, _ := s.find(game.FromBoard(*played, p.Side)); turn == nil {
		return nil, false
	}
	if right, known := s.right(played); !right || !known {
		return nil, false
	}
	ends := p.Game().DistinctTurns()
	if len(ends) > mostTurns || f.takesNow(p, ends) {
		return nil, false
	}
	// A second answer is likely to be much like the first.
	slices.SortStableFunc(ends, func(a, b game.Board) int {
		return cmp.Compare(bits.OnesCount64(a.Differs(played)), bits.OnesCount64(b.Differs(played)))
	})
	var answers []game.Board
	for i := range ends {
		right, known := s.right(&ends[i])
		if !known {
			return nil, false
		}
		if right {
			answers = append(answers, ends[i])
		}
		if len(answers) > 1 {
			break
		}
	}
	return answers, true
}

func (f *Finder) gain(p *puzzle.Puzzle) *gain {
	return &gain{second: second{
		goals: &f.goals, captures: &f.quick, side: p.Side, own: count(&p.Board, p.Side), theirs: count(&p.Board, p.Side.Other()),
		failed: map[uint64]bool{}, none: map[state]bool{},
	}}
}

// takesNow reports whether one of the turns of p takes a piece, and the reply can take none and
// score no goal.
func (f *Finder) takesNow(p *puzzle.Puzzle, ends []game.Board) bool {
	own, theirs := count(&p.Board, p.Side), count(&p.Board, p.Side.Other())
	return slices.ContainsFunc(ends, func(end game.Board) bool {
		if count(&end, p.Side.Other()) == theirs || count(&end, p.Side) < own {
			return false
		}
		after := game.FromBoard(end, p.Side.Other())
		return !after.Result().Over() && !f.scores(after) && !takes(after, own)
	})
}

// right reports whether the turn that ended with a board wins a piece by force.
func (s *gain) right(end *game.Board) (right, known bool) {
	after := game.FromBoard(*end, s.side.Other())
	if count(end, s.side) < s.own || after.Result().Over() {
		return false, true
	}
	for i, turn := range s.defences {
		reply := replay(after, turn)
		if reply == nil {
			continue
		}
		if answered, known := s.answers(reply); !answered || !known {
			s.defences = slices.Insert(slices.Delete(s.defences, i, i+1), 0, turn)
			return false, known
		}
	}
	replies := after.DistinctTurns()
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(replies), func(i, j int) { replies[i], replies[j] = replies[j], replies[i] })
	for i := range replies {
		answered, known := s.answers(game.FromBoard(replies[i], s.side))
		if !known {
			return false, false
		}
		if !answered {
			if turn := turnTo(after, &replies[i]); turn != nil {
				s.defences = remember(s.defences, turn)
			}
			return false, true
		}
	}
	return true, true
}

// remember puts a turn in front of the latest ones, which are tried first.
func remember(turns [][]game.Action, turn []game.Action) [][]game.Action {
	turns = slices.Insert(turns, 0, turn)
	return turns[:min(len(turns), 12)]
}

// replay returns the game after a turn, or nil if the turn is not legal in g.
func replay(g *game.Game, turn []game.Action) *game.Game {
	after, side := g.Clone(), g.Side()
	var buf [game.MaxLegal]game.Action
	for _, a := range turn {
		if after.Side() != side || after.Result().Over() || !slices.Contains(after.Legal(buf[:0]), a) {
			return nil
		}
		after.Play(a)
	}
	if after.Side() == side && !after.Result().Over() {
		return nil
	}
	return after
}
