package puzzle_test

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"warren/game"
	"warren/internal/puzzle"
)

// This file solves puzzles again, in another way than package find: it tries all
// legal steps, one after the other. It shares no code with it but the rules, and no
// idea but that a rabbit goes one rank a step.

// brute verifies puzzles.
type brute struct {
	// goals and escapes are turns that were found before; they are tried first.
	goals, escapes, captures [][]game.Action
	hopeless                 map[rest]bool // parts of turns that take nothing
}

// verify returns an error unless the answer of p is right, and no other turn is.
func (v *brute) verify(p *puzzle.Puzzle) error {
	if scored := v.goal(p.Game()); scored != (p.Kind == puzzle.Goal) {
		return fmt.Errorf("a goal this turn: %v", scored)
	}
	var right func(after *game.Game) bool
	switch p.Kind {
	case puzzle.Goal:
		right = func(after *game.Game) bool { return won(after, p.Side, game.Goal) }
	case puzzle.Forced:
		right = func(after *game.Game) bool { return !after.Result().Over() && !v.escape(after, p.Side.Other()) }
	case puzzle.Defence:
		if !v.goal(game.FromBoard(p.Board, p.Side.Other())) {
			return errors.New("no goal is threatened")
		}
		right = func(after *game.Game) bool { return !after.Result().Over() && !v.goal(after) }
	case puzzle.Capture:
		right = func(after *game.Game) bool { return takes(p, after) }
	case puzzle.Gain:
		for after := range ends(p.Game()) {
			if takes(p, after) {
				return errors.New("a piece can be taken at once")
			}
		}
		right = func(after *game.Game) bool { return v.gain(p, after) }
	case puzzle.Trap:
		return v.trap(p)
	}
	answer := *puzzle.End(p.Game(), p.Answer).Board()
	if p.Kind != puzzle.Goal && wins(puzzle.End(p.Game(), p.Answer)) {
		return errors.New("after the answer the opponent wins")
	}
	found := false
	for after, turn := range ends(p.Game()) {
		if yes := *after.Board() == answer; right(after) != yes {
			return fmt.Errorf("%s is an answer: %v", game.FormatTurn(p.Game(), turn), !yes)
		} else if yes {
			found = true
		}
	}
	if !found {
		return errors.New("no turn leads to the answer")
	}
	return nil
}

// trap verifies the turns to choose from.
func (v *brute) trap(p *puzzle.Puzzle) error {
	for _, turn := range p.Losing {
		if after := puzzle.End(p.Game(), turn); after.Result().Over() || !v.goal(after) {
			return fmt.Errorf("%s gives no goal", game.FormatTurn(p.Game(), turn))
		}
	}
	if after := puzzle.End(p.Game(), p.Answer); after.Result().Over() || wins(after) {
		return errors.New("the answer loses")
	}
	return nil
}

// takes reports whether a turn of p took a piece, and no reply takes one or wins.
func takes(p *puzzle.Puzzle, after *game.Game) bool {
	pieces := func(b *game.Board, c game.Color) int { return bits.OnesCount64(b.Color(c)) }
	other := p.Side.Other()
	if pieces(after.Board(), other) == pieces(&p.Board, other) || pieces(after.Board(), p.Side) < pieces(&p.Board, p.Side) || after.Result().Over() {
		return false
	}
	for reply := range ends(after) {
		if pieces(reply.Board(), p.Side) < pieces(&p.Board, p.Side) || won(reply, other, game.Goal) {
			return false
		}
	}
	return true
}

func won(g *game.Game, side game.Color, reason game.Reason) bool {
	return g.Result() == game.Result{Winner: side, Reason: reason}
}

// wins reports whether the side to move can end the game with a win, in any way.
func wins(g *game.Game) bool {
	for after := range ends(g) {
		if r := after.Result(); r.Over() && r.Winner == g.Side() {
			return true
		}
	}
	return false
}

// escape reports whether the side to move, which is side, has a turn after which it
// has not lost and its opponent has no goal.
func (v *brute) escape(g *game.Game, side game.Color) bool {
	escaped := func(after *game.Game) bool {
		if r := after.Result(); r.Over() {
			return r.Winner == side
		}
		return !v.goal(after)
	}
	for _, turn := range v.escapes {
		if after := replay(g, turn); after != nil && escaped(after) {
			return true
		}
	}
	for after, turn := range ends(g) {
		if escaped(after) {
			v.escapes = remember(v.escapes, turn)
			return true
		}
	}
	return false
}

// goal reports whether the side to move has a goal this turn.
func (v *brute) goal(g *game.Game) bool {
	for _, turn := range v.goals {
		if after := replay(g, turn); after != nil && won(after, g.Side(), game.Goal) {
			return true
		}
	}
	turn := goalFrom(g.Clone(), g.Side(), map[uint64]bool{})
	if turn == nil {
		return false
	}
	slices.Reverse(turn)
	v.goals = remember(v.goals, turn)
	return true
}

// goalFrom returns the rest of a turn that scores, its last action first, or nil.
func goalFrom(g *game.Game, side game.Color, seen map[uint64]bool) []game.Action {
	if seen[g.Hash()] || !near(g.Board(), side, g.StepsLeft()) {
		return nil
	}
	seen[g.Hash()] = true
	mark := g.Mark()
	for _, a := range g.Legal(nil) {
		g.Play(a)
		var turn []game.Action
		switch {
		case won(g, side, game.Goal):
			turn = []game.Action{a}
		case g.Side() == side && !g.Result().Over():
			if turn = goalFrom(g, side, seen); turn != nil {
				turn = append(turn, a)
			}
		}
		g.Restore(mark)
		if turn != nil {
			return turn
		}
	}
	return nil
}

// near reports whether a rabbit of side is at most n ranks from its goal.
func near(b *game.Board, side game.Color, n int) bool {
	for s := range game.Square(64) {
		left := 7 - int(s)/8
		if side == game.Silver {
			left = int(s) / 8
		}
		if b.Pieces(side, game.Rabbit)>>s&1 != 0 && left <= n {
			return true
		}
	}
	return false
}

// remember puts a turn in front of the latest ones.
func remember(turns [][]game.Action, turn []game.Action) [][]game.Action {
	turns = slices.Insert(turns, 0, slices.Clone(turn))
	return turns[:min(len(turns), 16)]
}

// replay returns the game after a turn, or nil if the turn is not legal in g.
func replay(g *game.Game, turn []game.Action) *game.Game {
	after := g.Clone()
	for _, a := range turn {
		if after.Side() != g.Side() || after.Result().Over() || !slices.Contains(after.Legal(nil), a) {
			return nil
		}
		after.Play(a)
	}
	if after.Side() == g.Side() && !after.Result().Over() {
		return nil
	}
	return after
}

// ends yields the positions after all turns from g, each once, and a turn that leads there.
func ends(g *game.Game) func(yield func(*game.Game, []game.Action) bool) {
	return func(yield func(*game.Game, []game.Action) bool) {
		play, side := g.Clone(), g.Side()
		states, boards := map[uint64]bool{}, map[game.Board]bool{}
		var turn []game.Action
		var visit func() bool
		visit = func() bool {
			if play.Side() != side || play.Result().Over() {
				if boards[*play.Board()] {
					return true
				}
				boards[*play.Board()] = true
				return yield(play, turn)
			}
			if states[play.Hash()] {
				return true
			}
			states[play.Hash()] = true
			mark := play.Mark()
			for _, a := range play.Legal(nil) {
				play.Play(a)
				turn = append(turn, a)
				more := visit()
				turn = turn[:len(turn)-1]
				play.Restore(mark)
				if !more {
					return false
				}
			}
			return true
		}
		visit()
	}
}
