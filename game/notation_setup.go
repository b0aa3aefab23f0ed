package game

import (
	"fmt"
	"math/bits"
)

// parseSetup converts the placements of a side, written in any order, to actions
// that fill the side's squares in the fixed order.
func (g *Game) parseSetup(tokens []token) ([]Action, error) {
	var (
		placed        Board
		squares, done = g.setupSquares()
	)
	free := squares &^ done
	for _, t := range tokens {
		if !t.placement() {
			return nil, fmt.Errorf("%q: the setup is not over; write placements, such as Ra1", t.text)
		}
		switch bit := uint64(1) << t.square; {
		case t.color != g.side:
			return nil, fmt.Errorf("%q: %v is setting up, but this piece is %v's", t.text, g.side, t.color)
		case squares&bit == 0:
			return nil, fmt.Errorf("%q: %v sets up on ranks %s", t.text, g.side, [2]string{"1 and 2", "7 and 8"}[g.side])
		case free&bit == 0 || placed.Occupied()&bit != 0:
			return nil, fmt.Errorf("%q: there is already a piece on %v", t.text, t.square)
		}
		placed.Put(t.square, t.color, t.kind)
		if n, most := bits.OnesCount64(placed.Pieces(g.side, t.kind)), g.SetupLeft(t.kind); n > most {
			return nil, fmt.Errorf("%q: too many %vs; a side has %d", t.text, t.kind, SetupCount(t.kind))
		}
	}
	var actions []Action
	for play := g.Clone(); play.side == g.side && play.InSetup(); {
		s := play.SetupSquare()
		_, k, ok := placed.At(s)
		if !ok {
			return nil, fmt.Errorf("the setup places %d of %d pieces: there is no piece on %v",
				bits.OnesCount64(placed.Occupied()), bits.OnesCount64(free), s)
		}
		a := PlaceAction(k)
		actions = append(actions, a)
		play.Play(a)
	}
	return actions, nil
}

// setupSquares returns all squares of the side that is setting up, and those that
// are already filled.
func (g *Game) setupSquares() (all, filled uint64) {
	all = 0xffff
	if g.side == Silver {
		all <<= 48
	}
	return all, all & g.board.Occupied()
}
