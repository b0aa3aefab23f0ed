package gather

import (
	"math"
	"testing"

	"warren/game"
	"warren/internal/eval"
	"warren/mcts"
)

func search() *mcts.Search {
	s := mcts.New(mcts.AlphaZeroConfig(), 200)
	s.Reset(game.New())
	s.Begin(200, nil)
	return s
}

func stream(t *testing.T) eval.Stream {
	t.Helper()
	s, err := eval.Uniform{}.Open(8)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Searches whose leaves share a batch find what each would find alone.
func TestLeavesOfManySearches(t *testing.T) {
	alone, lines := search(), stream(t)
	var one Leaves
	simulate(t, &one, alone, lines, 60)
	many := []*mcts.Search{search(), search(), search()}
	var leaves Leaves
	for many[0].Simulations() < 60 {
		for _, s := range many {
			leaves.Take(s)
		}
		if err := leaves.Evaluate(lines); err != nil {
			t.Fatal(err)
		}
		leaves.Return()
		if leaves.Len() != 0 {
			t.Fatal("the batch is not empty after its return")
		}
	}
	want := alone.Root(nil)
	for i, s := range many {
		for j, m := range s.Root(nil) {
			if m != want[j] {
				t.Fatalf("search %d, action %d: %+v, alone %+v", i, j, m, want[j])
			}
		}
	}
}

// simulate searches s until the root has the given visits or no more would matter.
func simulate(t *testing.T, l *Leaves, s *mcts.Search, stream eval.Stream, visits int) {
	t.Helper()
	for s.Begin(visits, nil); s.Simulations() < visits && !s.Settled(); {
		if l.Take(s) != mcts.Evaluate {
			continue
		}
		if err := l.Evaluate(stream); err != nil {
			t.Fatal(err)
		}
		l.Return()
	}
}

func TestCancelUndoes(t *testing.T) {
	s, lines := search(), stream(t)
	var leaves Leaves
	simulate(t, &leaves, s, lines, 10)
	before := s.Root(nil)
	for leaves.Len() < 3 {
		leaves.Take(s)
	}
	leaves.Cancel()
	for i, m := range s.Root(nil) {
		if m != before[i] {
			t.Errorf("action %d: %+v, before %+v", i, m, before[i])
		}
	}
	if s.InFlight() != 0 || leaves.Len() != 0 {
		t.Errorf("%d in flight, %d in the batch", s.InFlight(), leaves.Len())
	}
}

// The chance that a game is stopped reaches the search through every wrapper of a back end, and again
// where a cache has all positions already.
func TestStoppedReachesTheSearch(t *testing.T) {
	even := eval.Func(func(batch int) (func(*eval.Batch) error, error) {
		lines, err := eval.Uniform{}.Open(batch)
		return func(b *eval.Batch) error {
			for i := range b.Len() {
				b.SetStopped(i, 0.5)
			}
			return eval.Evaluate(lines, b)
		}, err
	})
	config := mcts.AlphaZeroConfig()
	config.DrawPenalty = 0.5
	for name, backend := range map[string]eval.Backend{"plain": even, "cached": eval.Cached(even, 1000), "merged": eval.Merge(even)} {
		for _, when := range []string{"at first", "again"} {
			lines, err := backend.Open(8)
			if err != nil {
				t.Fatal(err)
			}
			s := mcts.New(config, 200)
			s.Reset(game.New())
			var leaves Leaves
			simulate(t, &leaves, s, lines, 50)
			if err := lines.Close(); err != nil {
				t.Fatal(err)
			}
			for _, m := range s.Root(nil) {
				if m.Visits > 0 && math.Abs(float64(m.Q)-0.25) > 1e-3 {
					t.Errorf("%s, %s: %v is worth %g, want 0.5 less half of 0.5", name, when, m.Action, m.Q)
				}
			}
		}
	}
}
