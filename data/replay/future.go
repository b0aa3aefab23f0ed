package replay

import (
	"math"
	"math/bits"

	"warren/data"
	"warren/game"
)

// future describes one of a game's positions and how the game continued from there. A turn is
// everything that a player does until the other is to act, so each of the two setups is one turn.
// Turns are counted from the position: the rest of its own turn is turn 0.
type future struct {
	game  *packed
	index int // of the position in game

	side   game.Color // to act in the position
	pieces uint64     // squares of the pieces in the position
	// lost holds, by a piece's square in the position, the turn in which the piece is captured,
	// or never.
	lost [64]int
	// turnOf has the turn of every action from the position's on.
	turnOf []uint16
	turns  int  // number of completed turns
	over   bool // whether the game ended on the board; otherwise it was stopped

	ahead  *game.Game // replays the game
	reply  data.Decision
	shares []data.Share // of the reply
}

// never is a turn that no game reaches.
const never = math.MaxInt

// look replays the game from the position, whose state is at.
func (f *future) look(p *packed, index int, at *game.Game) {
	if f.ahead == nil {
		f.ahead = game.New()
	}
	f.game, f.index = p, index
	f.side, f.pieces = at.Side(), at.Board().Occupied()
	f.turns, f.turnOf = 0, f.turnOf[:0]
	var origin [64]int // a piece's square in the position, by its current square
	for s := range f.lost {
		f.lost[s], origin[s] = never, s
	}
	g := f.ahead
	g.CopyFrom(at)
	for _, a := range p.actions[p.plies[index]:] {
		f.turnOf = append(f.turnOf, uint16(f.turns))
		side, moved := g.Side(), g.Board().Occupied()
		if a.IsStep() {
			origin[a.To()] = origin[a.From()]
			moved = moved&^(1<<a.From()) | 1<<a.To()
		}
		g.Play(a)
		for gone := moved &^ g.Board().Occupied(); gone != 0; gone &= gone - 1 {
			f.lost[origin[bits.TrailingZeros64(gone)]] = f.turns
		}
		if g.Side() != side {
			f.turns++
		}
	}
	f.over = g.Result().Over()
}

// from returns the first position to train on in the given turn or later, and its turn. If there is
// none, ok is false.
func (f *future) from(turn int) (index, in int, ok bool) {
	first := f.game.plies[f.index]
	for i, ply := range f.game.plies[f.index:] {
		if in := int(f.turnOf[ply-first]); in >= turn {
			return f.index + i, in, true
		}
	}
	return 0, 0, false
}

// begins reports whether a later position is the first of its turn.
func (f *future) begins(index int) bool {
	at := f.game.plies[index] - f.game.plies[f.index]
	return f.turnOf[at] != f.turnOf[at-1]
}
