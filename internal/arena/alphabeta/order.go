package alphabeta

import "warren/game"

// ranked is an action with its rank. Actions of higher rank are tried earlier.
type ranked struct {
	rank   int32
	action game.Action
}

const (
	rankBest   = 1 << 30
	rankPass   = 1 << 29
	rankKiller = 1 << 20
	rankEnemy  = 1 << 12 // for a step of an enemy piece
)

// generate returns the legal actions in the order in which to try them: the
// best known action, then Pass near the horizon (for a first score), the
// killers, and the others by history. It leaves out the steps that commute with
// the preceding step and have the lower number ([swaps]). left is the number of
// those.
func (e *Engine) generate(ply, depth int, best game.Action) (moves []ranked, left int) {
	g := e.game
	var buf [game.MaxLegal]game.Action
	legal := g.Legal(buf[:0])
	moves = e.moves[ply][:0]
	side := g.Side()
	b := g.Board()
	enemy := b.Color(side.Other())
	before := e.before[ply]
	killers := &e.killers[ply]
	for _, a := range legal {
		if depth > 0 && a < before && before != noAction && swaps(a, before) && (enemy|game.Neighbors(enemy))>>a.From()&1 == 0 {
			left++
			continue
		}
		var rank int32
		switch {
		case depth <= 0 && a == game.Pass:
			rank = rankBest + 1
		case a == best:
			rank = rankBest
		case a == game.Pass:
			if depth <= g.StepsLeft() {
				rank = rankPass
			}
		case a == killers[0]:
			rank = rankKiller + 1
		case a == killers[1]:
			rank = rankKiller
		default:
			rank = e.history[side][a]
			if enemy>>a.From()&1 != 0 {
				rank += rankEnemy
			} else if !e.plain {
				_, k, _ := b.At(a.From())
				of := &placement[side][k]
				rank += 8 * (of[a.To()] - of[a.From()])
			}
		}
		// Insertion sort keeps equal ranks in the order of generation.
		i := len(moves)
		moves = append(moves, ranked{})
		for ; i > 0 && moves[i-1].rank < rank; i-- {
			moves[i] = moves[i-1]
		}
		moves[i] = ranked{rank, a}
	}
	e.moves[ply] = moves
	return moves, left
}

// reward records that a caused a cutoff.
func (e *Engine) reward(side game.Color, a game.Action, ply, depth int) {
	if a == game.Pass {
		return
	}
	if k := &e.killers[ply]; k[0] != a {
		k[0], k[1] = a, k[0]
	}
	h := &e.history[side]
	if depth > 0 {
		h[a] += int32(depth * depth)
	}
	if h[a] > rankKiller/2 {
		for i := range h {
			h[i] /= 2
		}
	}
}
