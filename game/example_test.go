package game_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"warren/game"
)

// Parse a position, list the legal steps of one piece, and play a turn that ends
// the game.
func Example() {
	board, side, err := game.ParsePosition("g [r........R.....................E................................]")
	if err != nil {
		log.Fatal(err)
	}
	g := game.FromBoard(board, side)
	elephant, err := game.ParseSquare("h5")
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range g.Legal(nil) {
		if a.IsStep() && a.From() == elephant {
			fmt.Println(game.FormatTurn(g, []game.Action{a}))
		}
	}

	actions, err := game.ParseTurn(g, "Rb7n")
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range actions {
		g.Play(a)
	}
	fmt.Println(g.Result().Winner, "wins by", g.Result().Reason)
	// Output:
	// Eh5n
	// Eh5s
	// Eh5w
	// gold wins by goal
}

// Read a whole game, with a turn that is taken back, and write it again.
func ExampleParseMoveList() {
	m, err := game.ParseMoveList(`
1g Ra1 Rb1 Rc1 Dd1 De1 Rf1 Rg1 Rh1 Ra2 Hb2 Cc2 Ed2 Me2 Cf2 Hg2 Rh2
1s ra7 hb7 cc7 md7 ee7 cf7 hg7 rh7 ra8 rb8 rc8 dd8 de8 rf8 rg8 rh8
2g Ed2nnnn
2s takeback
2g Ed2nnn Me2n
2s resigns
`)
	if err != nil {
		log.Fatal(err)
	}
	text := game.FormatMoveList(m.Actions)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	fmt.Println(lines[len(lines)-1])
	fmt.Println(m.Result.Winner, "wins by", m.Result.Reason)
	fmt.Print(game.FormatDiagram(m.Game.Board(), m.Game.TurnLabel()))
	// Output:
	// 2g Ed2n Ed3n Ed4n Me2n
	// gold wins by resignation
	// 2s
	//  +-----------------+
	// 8| r r r d d r r r |
	// 7| r h c m e c h r |
	// 6|     x     x     |
	// 5|       E         |
	// 4|                 |
	// 3|     x   M x     |
	// 2| R H C     C H R |
	// 1| R R R D D R R R |
	//  +-----------------+
	//    a b c d e f g h
}

// Count the sequences of two placements at the beginning of the setup: six kinds
// for a1 and six for b1, less the two kinds of which there is only one piece.
func ExamplePerft() {
	n, err := game.Perft(context.Background(), game.New(), 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n)
	// Output: 34
}
