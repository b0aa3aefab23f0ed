package find

import (
	"context"
	"math/bits"
	"slices"

	"warren/game"
	"warren/game/tactics"
	"warren/internal/puzzle"
)

// goalEnds returns the positions after all turns that score.
func (f *Finder) goalEnds(p *puzzle.Puzzle) ([]game.Board, bool) {
	var ends []game.Board
	for _, end := range p.Game().DistinctTurns() {
		if end.Pieces(p.Side, game.Rabbit)&game.GoalRank(p.Side) != 0 {
			ends = append(ends, end)
		}
	}
	return ends, true
}

// defences returns the positions after all turns that leave the opponent no goal, or two of
// them.
func (f *Finder) defences(p *puzzle.Puzzle) ([]game.Board, bool) {
	return f.ends(p, func(after *game.Game) (right, known bool) {
		if !tactics.MayGoal(after.Board(), after.Side(), 4, 0) {
			return true, true
		}
		turn, spent := f.goals.Winning(after, budget)
		return turn == nil, spent < budget
	})
}

// forcing returns the positions after all turns that lead to a goal next turn,
// against every reply, or two of them.
func (f *Finder) forcing(p *puzzle.Puzzle) ([]game.Board, bool) {
	return f.ends(p, func(after *game.Game) (right, known bool) {
		lost, spent := f.goals.Losing(after, budget)
		if lost || spent >= budget {
			return lost, spent < budget
		}
		// Losing knows a loss only where something is threatened.
		return !tactics.Threatened(after) && !f.escapes(after, after.Side()), true
	})
}

// escapes reports whether the side has a turn that neither loses at once nor leaves
// the opponent a goal.
func (f *Finder) escapes(g *game.Game, side game.Color) bool {
	if r := g.Result(); r.Over() {
		return r.Winner == side
	}
	if g.Side() != side {
		return !f.scores(g)
	}
	mark := g.Mark()
	for _, a := range g.Legal(nil) {
		g.Play(a)
		escaped := f.escapes(g, side)
		g.Restore(mark)
		if escaped {
			return true
		}
	}
	return false
}

// ends returns the positions after all turns that are right, or two of them. It gives up where a turn wins at once, or where right does not know.
func (f *Finder) ends(p *puzzle.Puzzle, right func(after *game.Game) (right, known bool)) ([]game.Board, bool) {
	var ends []game.Board
	for _, end := range p.Game().DistinctTurns() {
		after := game.FromBoard(end, p.Side.Other())
		if r := after.Result(); r.Over() {
			if r.Winner == p.Side {
				return nil, false
			}
			continue
		}
		yes, known := right(after)
		if !known {
			return nil, false
		}
		if yes {
			ends = append(ends, end)
		}
		if len(ends) > 1 {
			break
		}
	}
	return ends, true
}

const (
	mostCaptures = 80 // positions after a capture; with more the search would take too long
	fewestWrong  = 3  // captures that are no answer, so that there is something to find
)

// captures returns the positions after all turns that take a piece and lose none,
// neither at once nor to the reply, which must not win either. It gives up where a
// turn that is not among them takes a stronger piece than one that is.
func (f *Finder) captures(p *puzzle.Puzzle) ([]game.Board, bool) {
	opponent := p.Side.Other()
	own, theirs := count(&p.Board, p.Side), count(&p.Board, opponent)
	var taking []game.Board
	for _, end := range p.Game().DistinctTurns() {
		if count(&end, opponent) < theirs {
			taking = append(taking, end)
		}
	}
	if len(taking) > mostCaptures {
		return nil, false
	}
	var ends []game.Board
	weakest, strongest := game.Kind(game.NumKinds), game.Rabbit // of the right turns, and of the others
	for i := range taking {
		after := game.FromBoard(taking[i], opponent)
		if r := after.Result(); r.Over() && r.Winner == p.Side {
			return nil, false
		}
		taken := captured(&p.Board, &taking[i], opponent)
		if count(&taking[i], p.Side) < own || after.Result().Over() || takes(after, own) || f.scores(after) {
			strongest = max(strongest, taken)
			continue
		}
		if ends = append(ends, taking[i]); len(ends) > 1 {
			break
		}
		weakest = min(weakest, taken)
	}
	return ends, len(taking)-len(ends) >= fewestWrong && strongest <= weakest
}

// takes reports whether some turn of the side to move leaves the other fewer pieces
// than it had.
func takes(g *game.Game, had int) bool {
	return slices.ContainsFunc(g.DistinctTurns(), func(end game.Board) bool { return count(&end, g.Side().Other()) < had })
}

// captured returns the strongest kind of which c has fewer pieces after than before.
func captured(before, after *game.Board, c game.Color) game.Kind {
	for k := game.Elephant; k > game.Rabbit; k-- {
		if bits.OnesCount64(after.Pieces(c, k)) < bits.OnesCount64(before.Pieces(c, k)) {
			return k
		}
	}
	return game.Rabbit
}

// fewestLosing and mostLosing bound the losing turns to choose from of a trap.
const fewestLosing, mostLosing = 2, 3

// trap completes p with natural turns: the likeliest one that is safe, and the likeliest ones
// that lose. It reports whether there are enough.
func (f *Finder) trap(ctx context.Context, p *puzzle.Puzzle, played []game.Action) (bool, error) {
	natural, err := f.Natural(ctx, p.Game())
	if err != nil {
		return false, err
	}
	p.Kind = puzzle.Trap
	seen := map[game.Board]bool{}
	for _, turn := range append(natural, slices.Clone(played)) {
		after := puzzle.End(p.Game(), turn)
		if seen[*after.Board()] {
			continue
		}
		seen[*after.Board()] = true
		switch {
		case p.Answer == nil && puzzle.Safe(after):
			p.Answer = turn
		case after.Result().Over() || !f.scores(after): // it is another right answer, or loses otherwise
		case len(p.Losing) < mostLosing:
			p.Losing = append(p.Losing, turn)
		}
	}
	return p.Answer != nil && len(p.Losing) >= fewestLosing, nil
}

// looked is how many turns [Finder.risky] looks at, and mustLose how many of them must lose.
const looked, mustLose = 32, 8

// risky reports whether many turns lose. It spares the drawing of natural turns where few do.
func (f *Finder) risky(p *puzzle.Puzzle) bool {
	ends := p.Game().DistinctTurns()
	lost := 0
	for i := range looked {
		after := game.FromBoard(ends[i*len(ends)/looked], p.Side.Other())
		if !after.Result().Over() && tactics.MayGoal(after.Board(), after.Side(), 4, 0) && f.scores(after) {
			lost++
		}
	}
	return lost >= mustLose
}

// turnTo returns the shortest turn from g to a position at the end of it, or nil if
// there is none.
func turnTo(g *game.Game, end *game.Board) []game.Action {
	side := g.Side()
	var turn []game.Action
	failed := map[uint64]bool{}
	var search func(left int) bool
	search = func(left int) bool {
		if g.Side() != side {
			return *g.Board() == *end
		}
		if failed[g.Hash()] {
			return false
		}
		key, mark := g.Hash(), g.Mark()
		for _, a := range g.Legal(nil) {
			if a.IsStep() && left == 0 || a == game.Pass && *g.Board() != *end {
				continue
			}
			g.Play(a)
			turn = append(turn, a)
			found := search(left - 1)
			g.Restore(mark)
			if found {
				return true
			}
			turn = turn[:len(turn)-1]
		}
		failed[key] = true
		return false
	}
	for most := 1; most <= 4; most++ {
		clear(failed)
		if search(most) {
			return turn
		}
	}
	return nil
}
