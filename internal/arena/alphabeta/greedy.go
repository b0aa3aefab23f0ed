package alphabeta

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"warren/game"
	"warren/game/tactics"
)

// maxLooks bounds the number of turns that Greedy examines for a win by the
// opponent.
const maxLooks = 100

// Greedy returns the rest of the turn, or of the setup, for a player that
// considers only material. It wins at once if it can. Otherwise it sorts the
// turns by material ([material], by the measure HarLog), with equal turns in
// random order. Of the best hundred, it takes the first after which the
// opponent cannot win at once by goal or elimination. If there is none, it
// takes the first. The game must not be over.
func Greedy(g *game.Game, rng *rand.Rand) []game.Action {
	if g.InSetup() {
		return Setup(g, rng)
	}
	if won := tactics.Winning(g); won != nil {
		return won
	}
	w := turnWalk{game: g.Clone(), side: g.Side(), finder: tactics.Finder{SkipImmobilization: true}}
	w.walk()
	rng.Shuffle(len(w.turns), func(i, j int) { w.turns[i], w.turns[j] = w.turns[j], w.turns[i] })
	slices.SortStableFunc(w.turns, func(a, b wholeTurn) int { return cmp.Compare(b.material, a.material) })
	best := &w.turns[0]
	for i := range w.turns[:min(len(w.turns), maxLooks)] {
		if t := &w.turns[i]; !w.loses(t) {
			best = t
			break
		}
	}
	return slices.Clone(best.actions[:best.length])
}

// wholeTurn is a way to finish a turn, and the material after it.
type wholeTurn struct {
	material int32
	actions  [4]game.Action
	length   uint8
}

// turnWalk visits every state within a turn once and collects the turns that
// end in different states.
type turnWalk struct {
	game   *game.Game
	side   game.Color
	seen   keySet
	path   wholeTurn
	turns  []wholeTurn
	bufs   [5][game.MaxLegal]game.Action
	finder tactics.Finder
}

func (w *turnWalk) walk() {
	g := w.game
	mark := g.Mark()
	for _, a := range g.Legal(w.bufs[g.StepsLeft()][:0]) {
		g.Play(a)
		w.path.actions[w.path.length] = a
		w.path.length++
		if w.seen.add(g.Hash()) {
			if g.Side() == w.side {
				w.walk()
			} else {
				own, enemy := count(g.Board(), w.side), count(g.Board(), w.side.Other())
				t := w.path
				t.material = material(&own, &enemy)
				w.turns = append(w.turns, t)
			}
		}
		w.path.length--
		g.Restore(mark)
	}
}

// keySet is a set of nonzero hashes, stored in an open-addressing table.
type keySet struct {
	slots []uint64 // the length is a power of two; at most half are in use
	used  int
}

// add adds the key and reports whether it is new.
func (s *keySet) add(key uint64) bool {
	if 2*s.used >= len(s.slots) {
		old := s.slots
		s.slots, s.used = make([]uint64, max(1<<15, 4*len(old))), 0
		for _, k := range old {
			if k != 0 {
				s.add(k)
			}
		}
	}
	mask := uint64(len(s.slots) - 1)
	for i := key & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case key:
			return false
		case 0:
			s.slots[i] = key
			s.used++
			return true
		}
	}
}

// loses reports whether the opponent has won after t, or wins in its next turn
// by goal or elimination.
func (w *turnWalk) loses(t *wholeTurn) bool {
	g := w.game
	mark := g.Mark()
	defer g.Restore(mark)
	for _, a := range t.actions[:t.length] {
		g.Play(a)
	}
	if r := g.Result(); r.Over() {
		return r.Winner != w.side
	}
	lost, _ := w.finder.Winning(g, tactics.Unbounded)
	return lost != nil
}
