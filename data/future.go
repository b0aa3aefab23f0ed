package data

import (
	"math"
	"math/bits"

	"warren/game"
)

// future is how a game went on from one of its positions. A turn is all that a player does until
// the other is to act, so each of the two setups is one. Turns are counted from the position: its
// own turn, or what is left of it, is turn 0.
type future struct {
	game    *packed
	index   int         // of the position in game
	outcome valueTarget // what the result is worth
	weight  float32     // how much the position counts: as the more important of its own targets

	side   game.Color // to act in the position
	pieces uint64     // squares of the pieces in the position
	// lost is, by the square that a piece stands on in the position, the turn in which it is
	// captured, and never if it is not.
	lost [64]int
	// turnOf has the turn of every action from the position's on.
	turnOf []uint16
	turns  int        // turns that were played to their end
	over   bool       // whether the game ended on the board; if not, it was stopped
	last   game.Board // when the game had ended or was stopped

	ahead *game.Game // replays the game
	reply Decision
}

// never is a turn that no game reaches.
const never = math.MaxInt

// look finds out how a game goes on from a position, whose state is at.
func (f *future) look(p *packed, index int, at *game.Game) {
	if f.ahead == nil {
		f.ahead = game.New()
	}
	f.game, f.index = p, index
	f.side, f.pieces = at.Side(), at.Board().Occupied()
	f.turns, f.turnOf = 0, f.turnOf[:0]
	var origin [64]int // by the square that a piece is on now, the one it was on in the position
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
	f.over, f.last = g.Result().Over(), *g.Board()
}

// from returns the first position to train on in the given turn or a later one, and the turn it is
// in. It returns ok false if the game has none.
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
