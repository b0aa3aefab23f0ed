package think

import (
	"testing"

	"warren/game"
	"warren/mcts"
)

// TestProofEndsThinking checks that a search without limits, and pondering, end
// once the win is proven: with three threads, under both rules.
func TestProofEndsThinking(t *testing.T) {
	for _, rule := range []string{mcts.PUCT, mcts.GumbelRule} {
		config := mcts.AlphaZeroConfig()
		config.Rule, config.Proofs = rule, true
		config.WinTestSteps = 20000
		e, err := New(Config{Search: config, Threads: 3, Batch: 4, Memory: 8 << 20, Backend: hashed(nil)})
		if err != nil {
			t.Fatal(err)
		}
		board, side, err := game.ParsePosition(forcedGoal)
		if err != nil {
			t.Fatal(err)
		}
		g := game.FromBoard(board, side)
		if err := e.Ponder(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		turn, err := e.Turn(t.Context(), g, Limits{}, Draw{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		check(t, g, turn)
		reply, err := e.Turn(t.Context(), g, Limits{Visits: 50}, Draw{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		check(t, g, reply)
		last, err := e.Turn(t.Context(), g, Limits{}, Draw{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if check(t, g, last); g.Result().Winner != side || !g.Result().Over() {
			t.Errorf("%s: the proven win was not played", rule)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// forcedGoal is a position in which the side to move can win with its second turn,
// whatever the reply to its first.
const forcedGoal = "s [" +
	"........" +
	"...H...." +
	"........" +
	"........" +
	".......r" +
	"......d." +
	".E.....R" +
	"........" +
	"]"
