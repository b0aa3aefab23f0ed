package think

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"warren/internal/eval"
	"warren/internal/eval/evaltest"
	"warren/mcts"
)

func onDevice(b eval.Backend, lost func(eval.Backend, error) (eval.Backend, error)) Config {
	return Config{Search: mcts.AlphaZeroConfig(), Threads: 3, Memory: 8 << 20, Backend: b, Lost: lost}
}

// A device that computes by itself gets larger batches, as the tree grows.
func TestBatchesOfADevice(t *testing.T) {
	d := &evaltest.Device{Backend: hashed(nil), Name: "fake", Best: 96, Depth: 2}
	e, err := New(onDevice(eval.Merge(d), nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Turn(t.Context(), middle(t), Limits{Visits: 3000}, Draw{}, nil); err != nil {
		t.Fatal(err)
	}
	largest := 0
	for _, n := range d.Sizes() {
		largest = max(largest, n)
	}
	if largest <= 3*batchOfVectors || largest > 96 {
		t.Errorf("the largest batch has %d leaves, want more than %d", largest, 3*batchOfVectors)
	}
	if err := e.Close(); err != nil || d.Streams() != 0 {
		t.Errorf("%v, %d streams are open", err, d.Streams())
	}
	for _, c := range []struct{ depth, best, threads, want int }{{1, 4096, 2, 8}, {2, 4096, 2, 256}, {2, 64, 4, 16}, {2, 8, 4, 8}} {
		config := onDevice(&evaltest.Device{Backend: hashed(nil), Best: c.best, Depth: c.depth}, nil)
		config.Threads = c.threads
		if got := config.batch(); got != c.want {
			t.Errorf("%+v: batches of %d", c, got)
		}
	}
}

// The search continues with the device that takes the place of a lost one.
func TestLostDevice(t *testing.T) {
	lose := func(batch int) error {
		if batch > 30 {
			return fmt.Errorf("unplugged: %w", eval.ErrLost)
		}
		return nil
	}
	for name, d := range map[string]*evaltest.Device{
		"unplugged": {Backend: hashed(nil), Name: "fake", Best: 8, Depth: 2, Fault: lose},
		"no memory": {Backend: hashed(nil), Name: "fake", Best: 8, Depth: 2, Full: fmt.Errorf("no memory: %w", eval.ErrLost)},
	} {
		lost := eval.Merge(d)
		calls := 0
		e, err := New(onDevice(lost, func(b eval.Backend, err error) (eval.Backend, error) {
			if calls++; b != lost || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: lost %v with %v", name, b, err)
			}
			return hashed(nil), nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		g := middle(t)
		turn, err := e.Turn(t.Context(), g, Limits{Visits: 1000}, Draw{}, nil)
		if err != nil || calls != 1 {
			t.Errorf("%s: %v, lost %d times", name, err, calls)
			continue
		}
		check(t, g, turn)
		if d.Streams() != 0 {
			t.Errorf("%s: %d streams of the lost device are open", name, d.Streams())
		}
	}

	d := &evaltest.Device{Backend: hashed(nil), Name: "fake", Best: 8, Depth: 2, Fault: lose}
	e, err := New(onDevice(eval.Merge(d), nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Turn(t.Context(), middle(t), Limits{Visits: 1000}, Draw{}, nil); !errors.Is(err, eval.ErrLost) {
		t.Errorf("without another device: %v", err)
	}
}

// An evaluation alone moves to the other device too, and a device that cannot be opened is tried again
// by the next call.
func TestEvaluationOfALostDevice(t *testing.T) {
	gone := eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(*eval.Batch) error { return eval.ErrLost }, nil
	})
	opened, busy := 0, errors.New("busy")
	other := eval.Func(func(batch int) (func(*eval.Batch) error, error) {
		if opened++; opened == 1 {
			return nil, busy
		}
		return func(b *eval.Batch) error {
			b.SetValue(0, 0.25)
			return nil
		}, nil
	})
	e, err := New(Config{Search: mcts.MatchConfig(), Threads: 1, Batch: 1, Memory: 8 << 20, Backend: gone,
		Lost: func(eval.Backend, error) (eval.Backend, error) { return other, nil }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Evaluate(middle(t)); !errors.Is(err, busy) {
		t.Errorf("got %v", err)
	}
	if value, err := e.Evaluate(middle(t)); value != 0.25 || err != nil {
		t.Errorf("again: %g, %v", value, err)
	}
}
