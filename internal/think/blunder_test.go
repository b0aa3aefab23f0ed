package think

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"warren/game"
	"warren/game/tactics"
	"warren/internal/eval"
	"warren/mcts"
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
			e, err := New(Config{Search: mcts.MatchConfig(), Threads: 2, Batch: 4, Memory: 8 << 20, Tactics: true, Backend: preferring(50*time.Millisecond, blunder)})
			if err != nil {
				t.Fatal(err)
			}
			turn, err := e.Turn(t.Context(), g, limits, Draw{}, nil)
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

// An action alone, and what an analysis says, are tested like a turn: at any temperature, unless
// the tests are off.
func TestActionsAreTested(t *testing.T) {
	g := position(t, "s [        dHr ccr rR r MHr    Ch    rEr        D   Re  R R  R RR R]")
	blunder := game.StepAction(40, game.South) // ra6s
	for _, on := range []bool{false, true} {
		for _, temperature := range []float64{0, 1} {
			e, err := New(Config{Search: mcts.MatchConfig(), Threads: 1, Batch: 1, Memory: 8 << 20, Tactics: on, Backend: preferring(0, blunder)})
			if err != nil {
				t.Fatal(err)
			}
			a, err := e.Act(t.Context(), g, Limits{Visits: 40}, Draw{temperature, rand.New(rand.NewPCG(1, 1))})
			if err != nil || on == (a == blunder) {
				t.Errorf("tests %t, temperature %g: action %d, %v", on, temperature, a, err)
			}
			_, _, err = e.Analyse(t.Context(), g, Limits{Visits: 40})
			if line := e.Line(g); err != nil || on == (line[0] == blunder) {
				t.Errorf("tests %t: the line begins with %d, %v", on, line[0], err)
			}
		}
	}
}

// After a refused action the search continues until others have the visits.
func TestSearchContinuesAfterABlunder(t *testing.T) {
	g := position(t, "s [        dHr ccr rR r MHr    Ch    rEr        D   Re  R R  R RR R]")
	blunder := game.StepAction(40, game.South) // ra6s
	e, err := New(Config{Search: mcts.MatchConfig(), Threads: 1, Batch: 1, Memory: 8 << 20, Tactics: true, Backend: preferring(0, blunder)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, actions, err := e.Analyse(t.Context(), g, Limits{Visits: 40})
	if err != nil {
		t.Fatal(err)
	}
	refused, others := 0, 1 // the root's own visit
	for _, a := range actions {
		if a.Action == blunder {
			refused = a.Visits
		} else {
			others += a.Visits
		}
	}
	if refused == 0 || others < 40 {
		t.Errorf("the refused action has %d visits, the others have %d, want 40", refused, others)
	}
}

// Where every step loses, the search does not begin again after each that is refused.
func TestLostPositionIsNotSearchedForEveryStep(t *testing.T) {
	g := position(t, "s [        dHr ccr rR r MHr    Ch    rEr        D   Re  R R  R RR R]")
	g.Play(game.StepAction(40, game.South)) // ra6s
	e, err := New(Config{Search: mcts.MatchConfig(), Threads: 1, Batch: 1, Memory: 8 << 20, Tactics: true, Backend: preferring(0)})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, _, err := e.Analyse(t.Context(), g, Limits{Visits: 40}); err != nil {
		t.Fatal(err)
	}
	if e.nodes > 4*40 {
		t.Errorf("a search of 40 visits took %d", e.nodes)
	}
}

// unsearched returns the search for a turn from g, before its first simulation.
func unsearched(t *testing.T, g *game.Game, limits Limits) *turnSearch {
	t.Helper()
	e, err := New(Config{Search: mcts.MatchConfig(), Threads: 1, Batch: 1, Memory: 8 << 20, Tactics: true, Backend: preferring(0)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e.begin(g, limits)
}

// The step of the last rabbit into a trap, the last of the turn, loses the game at once.
func TestLastRabbitIntoATrapIsABlunder(t *testing.T) {
	g := position(t, "g [r                                          R                   E]")
	for rank := range 3 {
		g.Play(game.StepAction(game.Square(8*rank+7), game.North)) // the elephant, h1 to h4
	}
	turn := unsearched(t, g, Limits{})
	for direction, want := range map[game.Direction]bool{game.West: true, game.North: false} {
		a := game.StepAction(19, direction) // Rd3
		if got := turn.blunder(a); got != want {
			t.Errorf("%s is a blunder: %t, want %t", game.FormatTurn(g, []game.Action{a}), got, want)
		}
	}
}

// When the time of the turn is over, the test is a shorter one, which does not find what takes longest: after ec2n, what
// ra6s loses takes a quarter of the steps to find.
func TestBlunderInHaste(t *testing.T) {
	g := position(t, "s [        dHr ccr rR r MHr    Ch    rEr        D   Re  R R  R RR R]")
	easier := g.Clone()
	easier.Play(game.StepAction(10, game.North)) // ec2n
	over := make(chan struct{})
	close(over)
	for hurried, limits := range map[bool][]Limits{
		false: {{}, {Time: time.Hour}, {Stop: make(chan struct{})}},
		true:  {{Time: time.Nanosecond}, {Stop: over}, {Time: time.Hour, Stop: over}},
	} {
		for _, l := range limits {
			if found := unsearched(t, g, l).blunder(game.StepAction(40, game.South)); found == hurried {
				t.Errorf("%+v: the blunder is found: %t", l, found)
			}
			if !unsearched(t, easier, l).blunder(game.StepAction(40, game.South)) {
				t.Errorf("%+v: the blunder that takes less is not found", l)
			}
		}
	}
}

// What is found in haste does not depend on what was known of an earlier position.
func TestBlunderInHasteIsTestedAnew(t *testing.T) {
	g := position(t, "s [        dHr ccr rR r MHr    Ch    rEr        D   Re  R R  R RR R]")
	blunder := game.StepAction(40, game.South) // ra6s
	over := make(chan struct{})
	close(over)
	earlier := unsearched(t, g, Limits{})
	if !earlier.blunder(blunder) {
		t.Fatal("the blunder is not found")
	}
	e := earlier.engine
	e.begin(middle(t), Limits{})
	if e.begin(g, Limits{Stop: over}).blunder(blunder) {
		t.Error("the test in haste knows what the test before has found")
	}
}

// A step that ends the turn is searched for the whole of its time.
func TestLastChoiceHasTheTimeOfTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const batch = 10 * time.Millisecond
		config := mcts.AlphaZeroConfig()
		e, err := New(Config{Search: config, Threads: 1, Batch: 4, Memory: 8 << 20, Backend: preferring(batch, game.Pass)})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		turn, err := e.Turn(t.Context(), middle(t), Limits{Time: 2 * time.Second}, Draw{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); turn[len(turn)-1] != game.Pass || len(turn) > 3 || took < 2*time.Second || took > 2*time.Second+10*batch {
			t.Errorf("the turn %v took %v", turn, took)
		}
	})
}
