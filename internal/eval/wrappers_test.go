package eval

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"warren/game"
)

// batchOf returns a batch of n unfinished positions of random games.
func batchOf(seed uint64, n int) *Batch {
	b, rng, g := new(Batch), rand.New(rand.NewPCG(seed, 1)), game.New()
	for b.Len() < n {
		legal := g.Legal(nil)
		if len(legal) == 0 {
			g = game.New()
			continue
		}
		b.Add(g.Clone(), legal)
		g.Play(legal[rng.IntN(len(legal))])
	}
	return b
}

// same reports whether two batches have the same evaluations.
func same(t *testing.T, got, want *Batch) {
	t.Helper()
	for i := range want.Len() {
		if got.Value(i) != want.Value(i) || !slices.Equal(got.Priors(i), want.Priors(i)) {
			t.Fatalf("position %d of %d: %v %v, want %v %v", i, want.Len(), got.Value(i), got.Priors(i), want.Value(i), want.Priors(i))
		}
	}
}

func open(t *testing.T, b Backend) Stream {
	t.Helper()
	s, err := b.Open(16)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func evaluated(t *testing.T, b *Batch) *Batch {
	t.Helper()
	if err := Evaluate(open(t, Uniform{}), b); err != nil {
		t.Fatal(err)
	}
	return b
}

// device is Uniform with limits, a count of its batches, and errors.
type device struct {
	Uniform
	most  int
	fault func(size int) error

	mu    sync.Mutex
	sizes []int
	open  int
}

func (d *device) Attributes() Attributes { return Attributes{Most: d.most, Depth: 2} }

func (d *device) Open(int) (Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open++
	return &deviceStream{Immediate{Evaluate: d.evaluate}, d}, nil
}

func (d *device) evaluate(b *Batch) error {
	d.mu.Lock()
	d.sizes = append(d.sizes, b.Len())
	d.mu.Unlock()
	if d.most > 0 && b.Len() > d.most {
		return fmt.Errorf("%d positions, more than %d", b.Len(), d.most)
	}
	if d.fault != nil {
		if err := d.fault(b.Len()); err != nil {
			return err
		}
	}
	return uniform(b)
}

type deviceStream struct {
	Immediate
	device *device
}

func (s *deviceStream) Close() error {
	s.device.mu.Lock()
	defer s.device.mu.Unlock()
	s.device.open--
	return nil
}

func TestStreamsKeepTheirOrder(t *testing.T) {
	for name, b := range map[string]Backend{
		"uniform": Uniform{}, "cached": Cached(Uniform{}, 10), "merged": Merge(Uniform{}),
	} {
		s := open(t, b)
		if _, err := s.Collect(); !errors.Is(err, ErrNothingSubmitted) {
			t.Errorf("%s: collecting nothing gave %v", name, err)
		}
		batches := []*Batch{batchOf(1, 5), batchOf(2, 1), new(Batch), batchOf(3, 7)}
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
		for i, n := range []int{5, 1, 0, 7} {
			if i != 2 {
				same(t, batches[i], evaluated(t, batchOf(uint64(min(i, 2)+1), n)))
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCacheAsksOnce(t *testing.T) {
	d := &device{}
	c := Cached(d, 100)
	first, again := batchOf(1, 9), batchOf(1, 12)
	for _, b := range []*Batch{first, again} {
		if err := Evaluate(open(t, c), b); err != nil {
			t.Fatal(err)
		}
	}
	same(t, again, evaluated(t, batchOf(1, 12)))
	if !slices.Equal(d.sizes, []int{9, 3}) {
		t.Errorf("asked for %v positions, want 9 and then the 3 new ones", d.sizes)
	}
}

// What the cache holds of a position is all of its evaluation.
func TestCacheKeepsEverything(t *testing.T) {
	calls := float32(0)
	s := open(t, Cached(Func(func(int) (func(*Batch) error, error) {
		return func(b *Batch) error {
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
		b := batchOf(1, 9)
		if err := Evaluate(s, b); err != nil {
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
	byAction := Func(func(int) (func(*Batch) error, error) {
		return func(b *Batch) error {
			for i := range b.Len() {
				for j, a := range b.Legal(i) {
					b.Priors(i)[j] = float32(a)
				}
			}
			return nil
		}, nil
	})
	s, g := open(t, Cached(byAction, 100)), game.New()
	legal := g.Legal(nil)
	for out := range legal {
		b, some := new(Batch), slices.Delete(slices.Clone(legal), out, out+1)
		b.Add(g, some)
		if err := Evaluate(s, b); err != nil {
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
	c := Cached(Uniform{}, 8).(*cached)
	for seed := range uint64(20) {
		b := batchOf(seed, 10)
		if err := Evaluate(open(t, c), b); err != nil {
			t.Fatal(err)
		}
		same(t, b, evaluated(t, batchOf(seed, 10)))
		if n := len(c.young) + len(c.old); n > 16 || n < 8 {
			t.Fatalf("%d positions are remembered", n)
		}
	}
}

func TestMergeServesManyStreams(t *testing.T) {
	d := &device{most: 20}
	m := Merge(d)
	var group sync.WaitGroup
	for worker := range uint64(8) {
		group.Go(func() {
			s, err := m.Open(4)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for i := range uint64(50) {
				b := batchOf(100*worker+i, 1+int(i%4))
				if err := Evaluate(s, b); err != nil {
					t.Error(err)
					return
				}
				want := batchOf(100*worker+i, 1+int(i%4))
				uniform(want)
				for j := range want.Len() {
					if b.Value(j) != want.Value(j) || !slices.Equal(b.Priors(j), want.Priors(j)) {
						t.Errorf("worker %d, batch %d: position %d got another's evaluation", worker, i, j)
					}
				}
			}
		})
	}
	group.Wait()
	sum := 0
	for _, n := range d.sizes {
		sum += n
	}
	if sum != 8*(12*10+3) {
		t.Errorf("%d positions reached the device", sum)
	}
	if d.open != 0 {
		t.Errorf("%d streams of the device are open", d.open)
	}
	// Once more, after all streams were closed.
	b := batchOf(1, 3)
	if err := Evaluate(open(t, m), b); err != nil {
		t.Error(err)
	}
}

// Batches that are submitted while the device is busy become one.
func TestMergeGathersWhileTheDeviceIsBusy(t *testing.T) {
	busy, release := make(chan int), make(chan bool)
	d := &device{fault: func(size int) error {
		busy <- size
		<-release
		return nil
	}}
	m := Merge(d)
	streams := []Stream{open(t, m), open(t, m), open(t, m)}
	for i, s := range streams {
		if err := s.Submit(batchOf(uint64(i), 2)); err != nil {
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
	for i, s := range streams {
		b, err := s.Collect()
		if err != nil {
			t.Fatal(err)
		}
		same(t, b, evaluated(t, batchOf(uint64(i), 2)))
		s.Close()
	}
}

func TestMergeWithoutTheDevice(t *testing.T) {
	passing, calls := errors.New("too hot"), 0
	d := &device{}
	d.fault = func(int) error {
		switch calls++; calls {
		case 1:
			return passing
		case 3:
			return fmt.Errorf("unplugged: %w", ErrLost)
		}
		return nil
	}
	m := Merge(d)
	s := open(t, m)
	defer s.Close()
	if err := Evaluate(s, batchOf(1, 2)); !errors.Is(err, passing) {
		t.Errorf("a passing error gave %v", err)
	}
	if err := Evaluate(s, batchOf(1, 2)); err != nil {
		t.Errorf("after a passing error: %v", err)
	}
	for range 2 {
		if err := Evaluate(s, batchOf(1, 2)); !errors.Is(err, ErrLost) {
			t.Errorf("a lost device gave %v", err)
		}
	}
	if _, err := m.Open(1); !errors.Is(err, ErrLost) {
		t.Errorf("opening a stream of a lost device gave %v", err)
	}
}

func TestBadPositionsAreRefused(t *testing.T) {
	for name, b := range map[string]Backend{"uniform": Uniform{}, "cached": Cached(Uniform{}, 8), "merged": Merge(Uniform{})} {
		bad := batchOf(1, 2)
		bad.Add(game.New(), []game.Action{game.NumActions})
		s := open(t, b)
		if err := Evaluate(s, bad); err == nil {
			t.Errorf("%s: an action that does not exist was taken", name)
		}
		if err := Evaluate(s, batchOf(1, 2)); err != nil {
			t.Errorf("%s: after a bad batch: %v", name, err)
		}
		s.Close()
	}
}

// TestMergeKeepsABadBatchApart: a batch that is refused does not fail those of other
// streams, which would have gone to the device with it.
func TestMergeKeepsABadBatchApart(t *testing.T) {
	busy, release := make(chan int), make(chan bool)
	m := Merge(&device{fault: func(size int) error {
		busy <- size
		<-release
		return nil
	}})
	first, bad, good := open(t, m), open(t, m), open(t, m)
	if err := first.Submit(batchOf(1, 2)); err != nil {
		t.Fatal(err)
	}
	<-busy
	b := batchOf(2, 2)
	b.Add(game.New(), []game.Action{game.NumActions})
	if err := bad.Submit(b); err == nil {
		t.Fatal("an action that does not exist was taken")
	}
	if err := good.Submit(batchOf(3, 2)); err != nil {
		t.Fatal(err)
	}
	release <- true
	if n := <-busy; n != 2 {
		t.Errorf("%d positions follow, want 2", n)
	}
	release <- true
	for _, s := range []Stream{first, good} {
		if _, err := s.Collect(); err != nil {
			t.Errorf("during a bad batch: %v", err)
		}
	}
	for _, s := range []Stream{first, bad, good} {
		s.Close()
	}
}
