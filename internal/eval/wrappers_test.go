package eval_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/eval/evaltest"
)

func TestStreamsKeepTheirOrder(t *testing.T) {
	for name, b := range map[string]eval.Backend{
		"uniform": eval.Uniform{}, "cached": eval.Cached(eval.Uniform{}, 10), "merged": eval.Merge(eval.Uniform{}),
	} {
		s := opened(t, b)
		if _, err := s.Collect(); !errors.Is(err, eval.ErrNothingSubmitted) {
			t.Errorf("%s: collecting nothing gave %v", name, err)
		}
		batches := []*eval.Batch{positions(1, 5), positions(2, 1), new(eval.Batch), positions(3, 7)}
		for _, b := range batches {
			if err := s.Submit(b); err != nil {
				t.Fatal(err)
			}
		}
		for i, want := range batches {
			got, err := s.Collect()
			if err != nil || got != want {
				t.Fatalf("%s: batch %d: another one came back, %v", name, i, err)
			}
		}
		for _, b := range batches {
			expect(t, b)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCacheAsksOnce(t *testing.T) {
	d := &evaltest.Device{Backend: eval.Uniform{}}
	c := eval.Cached(d, 100)
	first, again := positions(1, 9), positions(1, 12)
	for _, b := range []*eval.Batch{first, again} {
		if err := eval.Evaluate(opened(t, c), b); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, again)
	if sizes := d.Sizes(); !slices.Equal(sizes, []int{9, 3}) {
		t.Errorf("asked for %v positions, want 9 and then the 3 new ones", sizes)
	}
}

// What the cache holds of a position is all of its evaluation.
func TestCacheKeepsEverything(t *testing.T) {
	calls := float32(0)
	s := opened(t, eval.Cached(eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(b *eval.Batch) error {
			calls++
			for i := range b.Len() {
				for j := range b.Priors(i) {
					b.Priors(i)[j] = calls / float32(2+j)
				}
				b.SetValue(i, calls/4)
				b.SetStopped(i, calls/8)
			}
			return nil
		}, nil
	}), 100))
	for range 2 {
		b := positions(1, 9)
		if err := eval.Evaluate(s, b); err != nil {
			t.Fatal(err)
		}
		for i := range b.Len() {
			if p := b.Priors(i)[0]; p != 0.5 || b.Value(i) != 0.25 || b.Stopped(i) != 0.125 {
				t.Fatalf("position %d: a prior of %g, a value of %g, stopped %g; want 0.5, 0.25 and 0.125", i, p, b.Value(i), b.Stopped(i))
			}
		}
	}
}

// A search may leave out an action, and in the same position another, by the way it came there.
func TestCacheTellsActionsApart(t *testing.T) {
	byAction := eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(b *eval.Batch) error {
			for i := range b.Len() {
				for j, a := range b.Legal(i) {
					b.Priors(i)[j] = float32(a)
				}
			}
			return nil
		}, nil
	})
	s, g := opened(t, eval.Cached(byAction, 100)), game.New()
	legal := g.Legal(nil)
	for out := range legal {
		b, some := new(eval.Batch), slices.Delete(slices.Clone(legal), out, out+1)
		b.Add(g, some)
		if err := eval.Evaluate(s, b); err != nil {
			t.Fatal(err)
		}
		for j, a := range some {
			if p := b.Priors(0)[j]; p != float32(a) {
				t.Errorf("without action %d: action %d has the prior of %g", legal[out], a, p)
			}
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := eval.Cached(eval.Uniform{}, 8)
	for seed := range uint64(20) {
		b := positions(seed, 10)
		if err := eval.Evaluate(opened(t, c), b); err != nil {
			t.Fatal(err)
		}
		expect(t, b)
		if n := eval.Remembered(c); n > 16 || n < 8 {
			t.Fatalf("%d positions are remembered", n)
		}
	}
}

// held returns a device that says how many positions each of its batches has, and then waits to compute it.
func held() (d *evaltest.Device, busy chan int, release chan bool) {
	busy, release = make(chan int), make(chan bool)
	d = &evaltest.Device{Backend: eval.Uniform{}, Depth: 2}
	d.Fault = func(batch int) error {
		busy <- d.Sizes()[batch-1]
		<-release
		return nil
	}
	return d, busy, release
}

// Batches that are submitted while the device is busy become one.
func TestMergeGathersWhileTheDeviceIsBusy(t *testing.T) {
	d, busy, release := held()
	m := eval.Merge(d)
	streams := []eval.Stream{opened(t, m), opened(t, m), opened(t, m)}
	for i, s := range streams {
		if err := s.Submit(positions(uint64(i), 2)); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if n := <-busy; n != 2 {
				t.Errorf("the first batch has %d positions", n)
			}
		}
	}
	release <- true
	if n := <-busy; n != 4 {
		t.Errorf("the second batch has %d positions, want those of two streams", n)
	}
	release <- true
	for _, s := range streams {
		b, err := s.Collect()
		if err != nil {
			t.Fatal(err)
		}
		expect(t, b)
		s.Close()
	}
}

func TestMergeWithoutTheDevice(t *testing.T) {
	passing := errors.New("too hot")
	m := eval.Merge(&evaltest.Device{Backend: eval.Uniform{}, Depth: 2, Fault: func(batch int) error {
		switch batch {
		case 1:
			return passing
		case 3:
			return fmt.Errorf("unplugged: %w", eval.ErrLost)
		}
		return nil
	}})
	s := opened(t, m)
	defer s.Close()
	if err := eval.Evaluate(s, positions(1, 2)); !errors.Is(err, passing) {
		t.Errorf("a passing error gave %v", err)
	}
	if err := eval.Evaluate(s, positions(1, 2)); err != nil {
		t.Errorf("after a passing error: %v", err)
	}
	for range 2 {
		if err := eval.Evaluate(s, positions(1, 2)); !errors.Is(err, eval.ErrLost) {
			t.Errorf("a lost device gave %v", err)
		}
	}
	if _, err := m.Open(1); !errors.Is(err, eval.ErrLost) {
		t.Errorf("opening a stream of a lost device gave %v", err)
	}
}

func TestBadPositionsAreRefused(t *testing.T) {
	for name, b := range map[string]eval.Backend{"uniform": eval.Uniform{}, "cached": eval.Cached(eval.Uniform{}, 8), "merged": eval.Merge(eval.Uniform{})} {
		bad := positions(1, 2)
		bad.Add(game.New(), []game.Action{game.NumActions})
		s := opened(t, b)
		if err := eval.Evaluate(s, bad); err == nil {
			t.Errorf("%s: an action that does not exist was taken", name)
		}
		if err := eval.Evaluate(s, positions(1, 2)); err != nil {
			t.Errorf("%s: after a bad batch: %v", name, err)
		}
		s.Close()
	}
}

// TestMergeKeepsABadBatchApart: a batch that is refused does not fail those of other
// streams, which would have gone to the device with it.
func TestMergeKeepsABadBatchApart(t *testing.T) {
	d, busy, release := held()
	m := eval.Merge(d)
	first, bad, good := opened(t, m), opened(t, m), opened(t, m)
	if err := first.Submit(positions(1, 2)); err != nil {
		t.Fatal(err)
	}
	<-busy
	b := positions(2, 2)
	b.Add(game.New(), []game.Action{game.NumActions})
	if err := bad.Submit(b); err == nil {
		t.Fatal("an action that does not exist was taken")
	}
	if err := good.Submit(positions(3, 2)); err != nil {
		t.Fatal(err)
	}
	release <- true
	if n := <-busy; n != 2 {
		t.Errorf("%d positions follow, want 2", n)
	}
	release <- true
	for _, s := range []eval.Stream{first, good} {
		if _, err := s.Collect(); err != nil {
			t.Errorf("during a bad batch: %v", err)
		}
	}
	for _, s := range []eval.Stream{first, bad, good} {
		s.Close()
	}
}
