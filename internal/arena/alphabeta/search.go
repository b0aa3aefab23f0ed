package alphabeta

import (
	"warren/game"
	"warren/game/tactics"
)

// The search is principal variation search (Marsland and Campbell 1982) over
// steps, in its fail-soft form. A score changes sign only when the player
// changes. Depth is counted in steps. A turn that ends early with a pass uses
// up the depth of the steps it leaves out, so all lines of an iteration end at
// the same step of the same turn.
//
// If the depth ends within a turn, the player passes, so that only positions at
// the start of a turn are evaluated. If a pass is illegal (a push is
// unfinished, or the board is unchanged), the line continues for another step.

// search returns the score of the current position for the side to move. The
// score is exact if it lies between alpha and beta. If it is above alpha,
// e.lines[ply] holds the line that leads to it. The score is meaningless if the
// search was stopped.
func (e *Engine) search(depth, ply int, alpha, beta int32) int32 {
	g := e.game
	e.lines[ply].length = 0
	side := g.Side()
	if r := g.Result(); r.Over() {
		if r.Winner == side {
			return win - int32(ply)
		}
		return int32(ply) - win
	}
	start := g.StepsLeft() == 4
	narrow := beta-alpha == 1 // off the principal variation, where a cutoff loses no line
	key := g.EvalKey()
	best := noAction
	if known, ok := e.transpositions.get(key); ok {
		best = known.best
		score := known.scoreAt(ply)
		if known.depth == proved || narrow && int(known.depth) >= depth && known.decides(score, alpha, beta) {
			return score
		}
	} else if start && ply > 0 {
		if won := e.winning(); won != nil {
			e.lines[ply].length = copy(e.lines[ply].actions[:], won)
			score := win - int32(ply+len(won))
			e.transpositions.put(newEntry(key, won[0], score, ply, proved, exact))
			return score
		}
	}
	if start && depth <= 0 || ply >= maxPly-1 {
		score := evaluate(g.Board(), side)
		e.transpositions.put(newEntry(key, best, score, ply, 0, exact))
		return score
	}
	if narrow && !e.plain {
		if score, ok := e.standing(depth, alpha, beta); ok {
			return score
		}
	}
	moves, left := e.generate(ply, depth, best)
	after := key
	if left > 0 {
		// With commuting steps pruned, the score holds only after this
		// predecessor, unless it fails high.
		after ^= ordered(e.before[ply])
		if known, ok := e.transpositions.get(after); ok {
			score := known.scoreAt(ply)
			if narrow && int(known.depth) >= depth && known.decides(score, alpha, beta) {
				return score
			}
		}
	}
	top, best := e.expand(moves, depth, ply, alpha, beta)
	if top < beta {
		key = after
	}
	e.keep(key, best, top, depth, ply, alpha, beta)
	return top
}

// expand searches the moves and returns the best score with its move.
func (e *Engine) expand(moves []ranked, depth, ply int, alpha, beta int32) (top int32, best game.Action) {
	g := e.game
	side, mark := g.Side(), g.Mark()
	top, best = -win, noAction
	for i := range moves {
		a := moves[i].action
		if depth <= 0 && i > 0 && moves[0].action == game.Pass {
			break // the pass has been searched
		}
		rest := depth - 1
		if a == game.Pass {
			rest = depth - g.StepsLeft()
		} else if !e.spend() {
			break
		}
		e.before[ply+1] = e.movable(a)
		g.Play(a)
		score, full := int32(0), i == 0
		if !full {
			late := e.reduction(i, depth, moves[i].rank)
			score = e.child(side, rest-late, ply, alpha, alpha+1)
			if score > alpha && late > 0 && !e.stopped {
				score = e.child(side, rest, ply, alpha, alpha+1)
			}
			full = score > alpha && score < beta && !e.stopped
		}
		if full {
			score = e.child(side, rest, ply, alpha, beta)
		}
		g.Restore(mark)
		if e.stopped {
			break
		}
		if score > top {
			top, best = score, a
		}
		if score > alpha {
			alpha = score
			e.lines[ply].set(a, &e.lines[ply+1])
			if score >= beta {
				e.reward(side, a, ply, depth)
				break
			}
		}
	}
	return top, best
}

// keep stores the result of a search, unless it was stopped.
func (e *Engine) keep(key uint64, best game.Action, score int32, depth, ply int, alpha, beta int32) {
	if e.stopped {
		return
	}
	b := exact
	switch {
	case score >= beta:
		b = lower
	case score <= alpha:
		b = upper
	}
	e.transpositions.put(newEntry(key, best, score, ply, depth, b))
}

// child returns the score for side of the current position, which was reached
// by an action of side.
func (e *Engine) child(side game.Color, depth, ply int, alpha, beta int32) int32 {
	if e.game.Side() == side {
		return e.search(depth, ply+1, alpha, beta)
	}
	return -e.search(depth, ply+1, -beta, -alpha)
}

// winning returns a turn that wins at once for the side to move, or nil. A few
// bit operations rule out most positions. If rabbits are near the goal, the
// search of the turn is expensive, and its steps count as nodes.
func (e *Engine) winning() []game.Action {
	if e.plain {
		return nil
	}
	budget := int64(tactics.Unbounded)
	if e.limits.Nodes > 0 {
		budget = e.limits.Nodes - e.nodes
	}
	won, spent := e.finder.Winning(e.game, budget)
	e.nodes += spent
	if won == nil && e.limits.Nodes > 0 && e.nodes == e.limits.Nodes {
		e.stopped = true // before the search of the turn was complete
	}
	return won
}
