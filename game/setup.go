package game

import "math/bits"

// The setup consists of 32 placements, sixteen by Gold and then sixteen by Silver.
// Each side fills its squares in a fixed order: the back rank first, then the rank
// in front of it, both from file a to h.

// InSetup reports whether pieces remain to be placed.
func (g *Game) InSetup() bool { return g.placed < Placements }

// SetupSquare returns the square that the next placement fills. It has no meaning
// after the setup.
func (g *Game) SetupSquare() Square {
	s := Square(g.placed & 15)
	if g.side == Silver {
		s ^= 56
	}
	return s
}

// SetupLeft returns the number of pieces of kind k that the side to act still has
// to place. It is 0 after the setup.
func (g *Game) SetupLeft(k Kind) int {
	if !g.InSetup() {
		return 0
	}
	return SetupCount(k) - bits.OnesCount64(g.board.Pieces(g.side, k))
}

// ActionsLeft returns the most actions that the turn or setup of the side to act can
// still have.
func (g *Game) ActionsLeft() int {
	n := g.StepsLeft()
	for k := Rabbit; k <= Elephant; k++ {
		n += g.SetupLeft(k)
	}
	return n
}

func (g *Game) placements(buf []Action) []Action {
	for k := Rabbit; k <= Elephant; k++ {
		if g.SetupLeft(k) > 0 {
			buf = append(buf, PlaceAction(k))
		}
	}
	return buf
}

func (g *Game) place(k Kind) {
	s := g.SetupSquare()
	g.board.Put(s, g.side, k)
	g.hash ^= pieceKeys[g.board.pieceAt(s)][s]
	g.placed++
	switch g.placed {
	case Placements / 2:
		g.side = Silver
	case Placements:
		g.side = Gold
		g.beginTurn()
		g.result = g.judge()
	}
}
