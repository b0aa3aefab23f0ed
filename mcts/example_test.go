package mcts_test

import (
	"fmt"

	"warren/game"
	"warren/mcts"
)

// knowsNothing is an evaluator: every action is as likely as another, and both
// players have the same chance.
func knowsNothing(leaf *mcts.Leaf) mcts.Evaluation {
	priors := make([]float32, len(leaf.Legal))
	for i := range priors {
		priors[i] = 1 / float32(len(priors))
	}
	return mcts.Evaluation{Priors: priors, Value: 0.5}
}

// A search plays a turn step by step, with 2000 visits for each step, and keeps
// the tree in between. The rabbit's goal is two steps away.
func Example() {
	board, side, err := game.ParsePosition("g [" +
		"r.....rr" +
		"........" +
		".ER....." +
		"......e." +
		"........" +
		"........" +
		"........" +
		"RRR....." + "]")
	if err != nil {
		fmt.Println(err)
		return
	}
	g := game.FromBoard(board, side)
	s := mcts.New(mcts.AlphaZeroConfig(), 2000)
	s.Reset(g)
	var turn []game.Action
	for s.Game().Side() == side && !s.Game().Result().Over() {
		s.Begin(2000, nil) // nil: no noise at the root
		for s.Simulations() < 2000 {
			if leaf, status := s.Select(); status == mcts.Evaluate {
				s.Expand(leaf, knowsNothing(leaf))
			}
		}
		out, _ := s.Outcome(0, nil) // temperature 0 needs no rng
		turn = append(turn, out.Action)
		s.Advance(out.Action)
	}
	fmt.Println(game.FormatTurn(g, turn))
	fmt.Println(s.Game().Result())
	// Output:
	// Rc6n Rc7n
	// {gold goal}
}
