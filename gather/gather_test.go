package gather

import (
	"context"
	"errors"
	"math"
	"testing"

	"warren/eval"
	"warren/game"
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
	if err := one.Search(t.Context(), alone, lines, 60, nil, nil); err != nil {
		t.Fatal(err)
	}
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

func TestCancelUndoes(t *testing.T) {
	s, lines := search(), stream(t)
	var leaves Leaves
	if err := leaves.Search(t.Context(), s, lines, 10, nil, nil); err != nil {
		t.Fatal(err)
	}
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

func TestSearchEnds(t *testing.T) {
	var leaves Leaves
	ctx, cancel := context.WithCancel(t.Context())
	s, calls := search(), 0
	err := leaves.Search(ctx, s, stream(t), 1000, nil, func() {
		if calls++; calls == 20 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || calls != 20 || s.Simulations() != 20 {
		t.Errorf("%v after %d calls and %d simulations", err, calls, s.Simulations())
	}
	broken := errors.New("broken")
	bad, err := eval.Func(func(int) (func(*eval.Batch) error, error) { return func(*eval.Batch) error { return broken }, nil }).Open(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := leaves.Search(t.Context(), s, bad, 30, nil, nil); !errors.Is(err, broken) || s.InFlight() != 0 {
		t.Errorf("%v, %d in flight", err, s.InFlight())
	}
	if err := leaves.Search(t.Context(), s, stream(t), 30, nil, nil); err != nil || s.Simulations() != 30 {
		t.Errorf("after an error: %v, %d simulations", err, s.Simulations())
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
	config.StoppedPenalty = 0.5
	for name, backend := range map[string]eval.Backend{"plain": even, "cached": eval.Cached(even, 1000), "merged": eval.Merge(even)} {
		for _, when := range []string{"at first", "again"} {
			lines, err := backend.Open(8)
			if err != nil {
				t.Fatal(err)
			}
			s := mcts.New(config, 200)
			s.Reset(game.New())
			var leaves Leaves
			if err := leaves.Search(t.Context(), s, lines, 50, nil, nil); err != nil {
				t.Fatal(err)
			}
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
