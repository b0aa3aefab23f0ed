// Package find finds puzzles in recorded games by exact search. A search that
// would take too long drops its position, so the one right answer of each puzzle is
// known to be the only one, by the rules alone. Only the turns to choose from of a
// trap come from a player.
package find

import (
	"context"
	"fmt"
	"math/bits"

	"warren/game"
	"warren/game/tactics"
	"warren/internal/puzzle"
)

const (
	// budget bounds the steps of the search of one reply.
	budget = 300_000
	// fewestRabbits a side has in a puzzle: then no turn and its reply take them all.
	fewestRabbits = 5
	// apart is the least distance of two puzzles of one game, in turns.
	apart = 8
)

// Finder finds puzzles. It is not safe for concurrent use.
type Finder struct {
	// Natural returns turns that a player might play from a game, the likeliest first. The
	// turns of traps are these and the recorded one.
	Natural func(ctx context.Context, g *game.Game) ([][]game.Action, error)

	goals tactics.Finder // of goals alone
	quick tactics.Captures
}

// Game returns the puzzles of the wanted kinds in a recorded game, at most one of
// each kind, in the order of the turns. The source names the game.
func (f *Finder) Game(ctx context.Context, actions []game.Action, source string, want [puzzle.NumKinds]bool) ([]puzzle.Puzzle, error) {
	f.goals.SkipImmobilization = true
	f.goals.Forget() // what is found within a budget must not depend on earlier games
	var found []puzzle.Puzzle
	g, last := game.New(), -apart
	for len(actions) > 0 && ctx.Err() == nil {
		side, n := g.Side(), 0
		next := g.Clone()
		for n < len(actions) && next.Side() == side && !next.Result().Over() {
			next.Play(actions[n])
			n++
		}
		if n == 0 || next.Side() == side && !next.Result().Over() {
			break
		}
		if !g.InSetup() && !g.Result().Over() && g.Turns() >= last+apart {
			kind, p, err := f.position(ctx, *g.Board(), side, actions[:n], want)
			if err != nil {
				return found, err
			}
			if p != nil {
				p.Source = fmt.Sprintf("%s %s", source, g.TurnLabel())
				found, last, want[kind] = append(found, *p), g.Turns(), false
			}
		}
		g, actions = next, actions[n:]
	}
	return found, ctx.Err()
}

// position returns the puzzle in a position, or nil if there is none. The recorded
// turn says where to look.
func (f *Finder) position(ctx context.Context, b game.Board, side game.Color, played []game.Action, want [puzzle.NumKinds]bool) (puzzle.Kind, *puzzle.Puzzle, error) {
	for c := range game.Color(2) {
		if bits.OnesCount64(b.Pieces(c, game.Rabbit)) < fewestRabbits {
			return 0, nil, nil
		}
	}
	p := &puzzle.Puzzle{Board: b, Side: side}
	if tactics.Winning(p.Game()) != nil {
		if want[puzzle.Goal] && len(f.goals.Shortest(p.Game())) > 3 {
			return f.answered(p, puzzle.Goal, f.goalEnds)
		}
		return 0, nil, nil
	}
	after := puzzle.End(p.Game(), played)
	if after.Result().Over() {
		return 0, nil, nil
	}
	threat := f.scores(game.FromBoard(b, side.Other()))
	if lost, _ := f.goals.Losing(after.Clone(), budget); lost {
		if want[puzzle.Forced] {
			return f.answered(p, puzzle.Forced, f.forcing)
		}
		return 0, nil, nil
	}
	if threat {
		if want[puzzle.Defence] {
			return f.answered(p, puzzle.Defence, f.defences)
		}
		return 0, nil, nil
	}
	if want[puzzle.Trap] && f.risky(p) {
		if ok, err := f.trap(ctx, p, played); ok || err != nil {
			return puzzle.Trap, p, err
		}
	}
	if count(after.Board(), side.Other()) < count(&b, side.Other()) {
		if want[puzzle.Capture] {
			return f.answered(p, puzzle.Capture, f.captures)
		}
	} else if want[puzzle.Gain] {
		return f.answered(p, puzzle.Gain, func(p *puzzle.Puzzle) ([]game.Board, bool) { return f.gains(p, after.Board()) })
	}
	return 0, nil, nil
}

// answered completes a puzzle of a kind, or returns none unless there is one answer.
// Search returns the positions after the right turns, or two of them, and false if it
// gave up.
func (f *Finder) answered(p *puzzle.Puzzle, kind puzzle.Kind, search func(*puzzle.Puzzle) ([]game.Board, bool)) (puzzle.Kind, *puzzle.Puzzle, error) {
	ends, ok := search(p)
	if !ok || len(ends) != 1 {
		return 0, nil, nil
	}
	turn := turnTo(p.Game(), &ends[0])
	if turn == nil {
		return 0, nil, fmt.Errorf("no turn leads to %s", ends[0].String())
	}
	if kind != puzzle.Goal && !puzzle.Safe(puzzle.End(p.Game(), turn)) {
		return 0, nil, nil // it loses otherwise than by a goal
	}
	p.Kind, p.Answer, p.Losing = kind, turn, nil
	return kind, p, nil
}

func count(b *game.Board, c game.Color) int { return bits.OnesCount64(b.Color(c)) }

// scores reports whether the side to move has a goal this turn.
func (f *Finder) scores(g *game.Game) bool {
	turn, _ := f.goals.Winning(g, tactics.Unbounded)
	return turn != nil
}
