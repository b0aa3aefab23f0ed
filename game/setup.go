package game

import "math/bits"

// The setup is 32 placements, sixteen by Gold and then sixteen by Silver. Each
// fills the side's own squares in order: the rank behind first, then the one
// before it, both from file a to h.

// InSetup reports whether pieces are still to be placed.
func (g *Game) InSetup() bool { return g.placed < setupPieces }

// SetupSquare returns the square that the next placement fills.
func (g *Game) SetupSquare() Square {
	s := Square(g.placed & 15)
	if g.side == Silver {
		s ^= 56
	}
	return s
}

// SetupLeft returns how many pieces of kind k the side to act has still to
// place; 0 after the setup.
func (g *Game) SetupLeft(k Kind) int {
	if !g.InSetup() {
		return 0
	}
	return SetupCount(k) - bits.OnesCount64(g.board.Pieces(g.side, k))
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
	case setupPieces / 2:
		g.side = Silver
	case setupPieces:
		g.side = Gold
		g.beginTurn()
		g.result = g.judge()
	}
}
