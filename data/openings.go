package data

import (
	"math/rand/v2"

	"warren/game"
)

// Opening is the beginning of a game, from the empty board to where a turn starts. The zero value
// is none.
type Opening struct {
	Actions []game.Action
	Missing uint64 // as [Record.Missing]
}

// Openings draws up to n beginnings of games in the window, from which new games can go on
// (Go-Exploit: Trudeau and Bowling 2023, "Targeted Search Control in AlphaZero for Effective Policy
// Improvement"). A beginning ends where a turn starts, after at least one turn and at most the
// given number of turns. It is chosen among several places: the one after which the value changed
// most, because there is most to learn there. Only games with numbers from first to last-1 are
// used. The same games in the window, in the same order, and the same state of rng give the same
// beginnings.
func (w *Window) Openings(rng *rand.Rand, n, turns int, first, last uint64) []Opening {
	var openings []Opening
	games := w.numbered(first, last)
	if len(games) == 0 {
		return nil
	}
	for range n {
		var opening Opening
		most := float32(-1)
		for range openingTries {
			p := games[rng.IntN(len(games))]
			if len(p.plies) == 0 {
				continue
			}
			at := rng.IntN(len(p.plies))
			if end, swing := p.swing(at, turns); end > 0 && swing > most {
				opening, most = Opening{p.actions[:end], p.missing}, swing
			}
		}
		if opening.Actions != nil {
			openings = append(openings, opening)
		}
	}
	return openings
}

// openingTries is the number of places among which the one with the greatest change of value is taken.
const openingTries = 4

// numbered returns the games with numbers from first to last-1.
func (w *Window) numbered(first, last uint64) []*packed {
	w.mu.Lock()
	defer w.mu.Unlock()
	var games []*packed
	for _, p := range w.games {
		if first <= p.key.number && p.key.number < last {
			games = append(games, p)
		}
	}
	return games
}

// swingPositions is the number of positions over which a change of value is measured, about two turns.
const swingPositions = 8

// swing returns the number of actions before the turn of position i, and the change of the root value
// from there on. The number is 0 if no opening of at least one and at most the given number of turns
// ends there.
func (p *packed) swing(i, turns int) (actions int, change float32) {
	later := min(i+swingPositions, len(p.plies)-1)
	g := game.New()
	var before float32
	for n, a := range p.actions[:p.plies[later]+1] {
		if n == int(p.plies[i]) {
			before = p.forGoldAt(i, g.Side())
		}
		if n <= int(p.plies[i]) && !g.InSetup() && g.StepsLeft() == 4 {
			actions = 0
			if 0 < g.Turns() && g.Turns() <= turns {
				actions = n
			}
		}
		if n == int(p.plies[later]) {
			change = p.forGoldAt(later, g.Side()) - before
			break
		}
		g.PlayHandicap(a, p.missing)
	}
	return actions, max(change, -change)
}

// forGoldAt returns the root value of position i, where side is to move, as Gold's chance to win.
func (p *packed) forGoldAt(i int, side game.Color) float32 {
	if side == game.Gold {
		return p.rootValue(i)
	}
	return 1 - p.rootValue(i)
}
