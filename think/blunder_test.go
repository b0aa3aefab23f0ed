package think

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"warren/eval"
	"warren/game"
	"warren/mcts"
	"warren/tactics"
)

// preferring is an evaluator that likes the actions, where they are legal, much more
// than the others.
func preferring(batch time.Duration, actions ...game.Action) eval.Backend {
	return eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(b *eval.Batch) error {
			time.Sleep(batch)
			for i := range b.Len() {
				priors, legal := b.Priors(i), b.Legal(i)
				sum := float32(0)
				for j, a := range legal {
					if priors[j] = 0.01; slices.Contains(actions, a) {
						priors[j] = 1
					}
					sum += priors[j]
				}
				for j := range priors {
					priors[j] /= sum
				}
				b.SetValue(i, 0.5)
			}
			return nil
		}, nil
	})
}

func position(t *testing.T, text string) *game.Game {
	t.Helper()
	board, side, err := game.ParsePosition(text)
	if err != nil {
		t.Fatal(err)
	}
	return game.FromBoard(board, side)
}

// The position is from a game that was lost by the step ra6s: after it the opponent
// reaches the goal next turn whatever the rest of the turn is, but it takes thirty
// thousand steps to see that, and other steps defend.
func TestBlunderIsNotPlayed(t *testing.T) {
	g := position(t, "s [        dHr ccr rR r MHr    Ch    rEr        D   Re  R R  R RR R]")
	blunder := game.StepAction(40, game.South) // ra6s
	losing := func(g *game.Game) bool {
		lost, _ := new(tactics.Finder).Losing(g, tactics.Unbounded)
		return lost
	}
	if after := g.Clone(); !slices.Contains(g.Legal(nil), blunder) || losing(g) {
		t.Fatal("the position is lost already")
	} else if after.Play(blunder); !losing(after) {
		t.Fatal("the step loses nothing")
	}
	for _, limits := range []Limits{{Visits: 40}, {Time: 2 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			e, err := New(Config{Search: mcts.MatchConfig(), Threads: 2, Batch: 4, Memory: 8 << 20, Backend: preferring(50*time.Millisecond, blunder)})
			if err != nil {
				t.Fatal(err)
			}
			turn, err := e.Turn(t.Context(), g, limits, nil)
			if err != nil {
				t.Fatal(err)
			}
			after := g.Clone()
			check(t, after, turn)
			if turn[0] == blunder || tactics.Winning(after) != nil {
				t.Errorf("%+v: the turn is %s, which loses", limits, game.FormatTurn(g, turn))
			}
		})
	}
}

// A step that ends the turn is searched for the whole of its time.
func TestLastChoiceHasTheTimeOfTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const batch = 10 * time.Millisecond
		config := mcts.DefaultConfig()
		config.EarlyStop = false
		e, err := New(Config{Search: config, Threads: 1, Batch: 4, Memory: 8 << 20, Backend: preferring(batch, game.Pass)})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		turn, err := e.Turn(t.Context(), middle(t), Limits{Time: 2 * time.Second}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); turn[len(turn)-1] != game.Pass || len(turn) > 3 || took < 2*time.Second || took > 2*time.Second+10*batch {
			t.Errorf("the turn %v took %v", turn, took)
		}
	})
}
