package game

import (
	"math/bits"
	"slices"
	"strings"
)

// A handicap game begins without some pieces. The rules of the setup know only
// whole sides, so all pieces are placed, and those of the handicap are gone when
// the setups are over.

// Handicapped returns the game that follows the setups of g if the pieces on the
// squares of missing are left out. Gold is to move.
func Handicapped(g *Game, missing uint64) *Game {
	h := &Game{}
	h.begin(g.without(missing), Gold)
	return h
}

// PlayHandicap makes the action a like [Game.Play]. If a ends the setups, the game
// continues as [Handicapped] says. With missing 0 there is no handicap.
func (g *Game) PlayHandicap(a Action, missing uint64) {
	setup := g.InSetup()
	g.Play(a)
	if setup && !g.InSetup() && missing != 0 {
		g.begin(g.without(missing), Gold)
	}
}

// ParseHandicapSetup is like [ParseTurn] for a setup of g, which may leave out up to
// [MaxHandicap] pieces, as that of a handicap game does. The actions then place them too, on
// the squares of missing, and [Game.PlayHandicap] takes them away.
func ParseHandicapSetup(g *Game, text string) (setup []Action, missing uint64, err error) {
	words, missing := g.missing(text)
	setup, err = ParseTurn(g, text+words)
	return setup, missing, err
}

// without returns the board without the pieces on the squares of missing.
func (g *Game) without(missing uint64) Board {
	b := g.board
	for left := missing & b.Occupied(); left != 0; left &= left - 1 {
		b.Remove(Square(bits.TrailingZeros64(left)))
	}
	return b
}

// MaxHandicap is the most pieces that a side of a handicap game may lack. A setup that
// lacks more is taken for an unfinished text.
const MaxHandicap = 8

// missing returns the placements that the text of a setup lacks, each after a space,
// and their squares. It puts the missing pieces, from the weakest on, on the free
// squares in order.
func (g *Game) missing(text string) (words string, missing uint64) {
	tokens, err := parseTokens(text)
	squares, _ := g.setupSquares()
	if err != nil || len(tokens) < Placements/2-MaxHandicap || slices.ContainsFunc(tokens, func(t token) bool { return !t.placement() || t.color != g.side }) {
		return "", 0 // the parser says what is wrong
	}
	var placed Board
	for _, t := range tokens {
		if squares>>t.square&1 == 0 || placed.Occupied()>>t.square&1 != 0 {
			return "", 0
		}
		placed.Put(t.square, t.color, t.kind)
	}
	free := squares &^ placed.Occupied()
	for k := Rabbit; k <= Elephant; k++ {
		for n := bits.OnesCount64(placed.Pieces(g.side, k)); n < SetupCount(k) && free != 0; n++ {
			s := Square(bits.TrailingZeros64(free))
			free &= free - 1
			words += " " + string(appendPlace(nil, g.side, k, s))
			missing |= 1 << s
		}
	}
	return words, missing
}

// withoutSquares drops the placements on the given squares from a setup.
func withoutSquares(setup string, missing uint64) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(setup), func(word string) bool {
		s, err := ParseSquare(word[1:])
		return err == nil && missing>>s&1 != 0
	}), " ")
}
