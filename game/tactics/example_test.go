package tactics_test

import (
	"fmt"

	"warren/game"
	"warren/game/tactics"
)

func ExampleWinning() {
	for _, position := range []string{
		"g [       r                        R                               ]", // the a-file is free
		"g [        r                       R                               ]", // the a-file is blocked
	} {
		board, side, err := game.ParsePosition(position)
		if err != nil {
			panic(err)
		}
		g := game.FromBoard(board, side)
		fmt.Printf("%q\n", game.FormatTurn(g, tactics.Winning(g)))
	}
	// Output:
	// "Ra4n Ra5n Ra6n Ra7n"
	// ""
}
