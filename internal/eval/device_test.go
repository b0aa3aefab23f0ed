package eval_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/eval/evaltest"
)

// positions returns a batch of n unfinished positions of random games.
func positions(seed uint64, n int) *eval.Batch {
	b, rng, g := new(eval.Batch), rand.New(rand.NewPCG(seed, 1)), game.New()
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

// expect compares a batch with the evaluations of eval.Uniform.
func expect(t *testing.T, got *eval.Batch) {
	t.Helper()
	want, s := new(eval.Batch), opened(t, eval.Uniform{})
	for i := range got.Len() {
		want.Add(got.Position(i), got.Legal(i))
	}
	if err := eval.Evaluate(s, want); err != nil {
		t.Error(err)
	}
	for i := range want.Len() {
		if got.Value(i) != want.Value(i) || !slices.Equal(got.Priors(i), want.Priors(i)) {
			t.Errorf("position %d of %d has another evaluation", i, want.Len())
			return
		}
	}
}

func opened(t *testing.T, b eval.Backend) eval.Stream {
	t.Helper()
	s, err := b.Open(16)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Batches of many streams reach the device in full ones, several at a time.
func TestMergeFillsTheDevice(t *testing.T) {
	const streams, size, rounds = 8, 6, 42
	second := make(chan struct{})
	d := &evaltest.Device{Backend: eval.Uniform{}, Name: "fake", Most: 16, Depth: 2, Fault: func(batch int) error {
		switch batch {
		case 1:
			<-second // the first batch takes until there is a second
		case 2:
			close(second)
		}
		return nil
	}}
	m := eval.Merge(d)
	var group sync.WaitGroup
	for i := range streams {
		s := opened(t, m)
		group.Go(func() {
			defer s.Close()
			for round := range rounds {
				b := positions(uint64(100*i+round), size-round%size)
				if err := eval.Evaluate(s, b); err != nil {
					t.Error(err)
					return
				}
				expect(t, b)
			}
		})
	}
	group.Wait()
	sum := 0
	for _, n := range d.Sizes() {
		sum += n
	}
	if want := streams * rounds * (size + 1) / 2; sum != want {
		t.Errorf("%d positions reached the device, want %d", sum, want)
	}
	if n := d.MostInFlight(); n != 2 {
		t.Errorf("at most %d batches were in flight, want 2", n)
	}
	if n := d.Streams(); n != 0 {
		t.Errorf("%d streams of the device are open", n)
	}
	b := positions(1, 3) // once more, after all streams were closed
	if err := eval.Evaluate(opened(t, m), b); err != nil {
		t.Fatal(err)
	}
	expect(t, b)
}

// A batch larger than the device's is divided.
func TestMergeDivides(t *testing.T) {
	d := &evaltest.Device{Backend: eval.Uniform{}, Name: "fake", Best: 16, Most: 20, Depth: 3}
	m := eval.Merge(d)
	if n := m.Attributes().Most; n != 0 {
		t.Errorf("it takes at most %d positions, want any number", n)
	}
	s := opened(t, m)
	defer s.Close()
	b := positions(1, 70)
	if err := eval.Evaluate(s, b); err != nil {
		t.Fatal(err)
	}
	expect(t, b)
	if got := d.Sizes(); !slices.Equal(got, []int{16, 16, 16, 16, 6}) {
		t.Errorf("batches of %v", got)
	}
}

func TestMergeOnALostDevice(t *testing.T) {
	d := &evaltest.Device{Backend: eval.Uniform{}, Name: "fake", Best: 4, Depth: 2, Fault: func(batch int) error {
		if batch > 10 {
			return fmt.Errorf("unplugged: %w", eval.ErrLost)
		}
		return nil
	}}
	m := eval.Merge(d)
	// All are open before the first is used, which may lose the device.
	var streams [6]eval.Stream
	for i := range streams {
		streams[i] = opened(t, m)
	}
	var group sync.WaitGroup
	for i, s := range streams {
		group.Go(func() {
			defer s.Close()
			for {
				b := positions(uint64(i), 3)
				if err := eval.Evaluate(s, b); err != nil {
					if !errors.Is(err, eval.ErrLost) {
						t.Error(err)
					}
					return
				}
				expect(t, b)
			}
		})
	}
	group.Wait()
	if n := d.Streams(); n != 0 {
		t.Errorf("%d streams of the device are open", n)
	}
	none := &evaltest.Device{Backend: eval.Uniform{}, Depth: 2, Full: fmt.Errorf("no memory: %w", eval.ErrLost)}
	if _, err := eval.Merge(none).Open(1); !errors.Is(err, eval.ErrLost) {
		t.Errorf("a device without memory gave %v", err)
	}
}

// A device whose chance to be stopped alone is wrong is found too.
func TestCheckedLooksAtStopped(t *testing.T) {
	wrong := eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(b *eval.Batch) error {
			uniform, _ := eval.Uniform{}.Open(b.Len())
			err := eval.Evaluate(uniform, b)
			for i := range b.Len() {
				b.SetStopped(i, 0.4)
			}
			return err
		}, nil
	})
	err := eval.Evaluate(opened(t, eval.Checked(wrong, eval.Uniform{})), positions(1, 5))
	if !errors.Is(err, eval.ErrLost) || !strings.Contains(err.Error(), "computes wrong results, a chance to be stopped of 0.4 instead of 0:") {
		t.Errorf("got %v", err)
	}
}

// Only the first check holds up a batch. The next finds a fault while others are collected, and says so when
// another check is due.
func TestCheckedDoesNotWait(t *testing.T) {
	var asked []uint64 // the positions of the checks
	release := make(chan bool)
	reference := eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(b *eval.Batch) error {
			if len(asked) == 1 {
				<-release
			}
			asked = append(asked, b.Position(0).EvalKey())
			uniform, _ := eval.Uniform{}.Open(b.Len())
			return eval.Evaluate(uniform, b)
		}, nil
	})
	d := &evaltest.Device{
		Backend: eval.Uniform{}, Name: "fake", Best: 8, Depth: 2,
		Wrong: func(batch int) bool { return batch == 65 },
		Fault: func(batch int) error {
			if batch == 129 {
				close(release)
			}
			return nil
		},
	}
	s := opened(t, eval.Checked(d, reference))
	var want uint64
	for n := 1; n <= 129; n++ {
		b := positions(1, 5)
		err := eval.Evaluate(s, b)
		if n < 129 && err != nil || n == 129 && (!errors.Is(err, eval.ErrLost) || !strings.Contains(err.Error(), "a chance to win of 0.1 instead of 0.5")) {
			t.Fatalf("batch %d: %v", n, err)
		}
		if n == 65 {
			want = b.Position(n / 64 % 5).EvalKey()
		}
		b.Position(n / 64 % 5).Play(b.Legal(n / 64 % 5)[0]) // the caller may do with it what it wants
	}
	s.Close()
	if len(asked) != 2 || asked[1] != want {
		t.Errorf("%d checks, and the second of another position", len(asked))
	}
}

func TestCheckedFindsWrongResults(t *testing.T) {
	d := &evaltest.Device{Backend: eval.Uniform{}, Name: "fake:0", Best: 8, Depth: 2, Wrong: func(batch int) bool { return batch >= 20 }}
	s := opened(t, eval.Checked(d, eval.Uniform{}))
	defer s.Close()
	for n := 1; ; n++ {
		b := positions(uint64(n), 5)
		err := eval.Evaluate(s, b)
		switch {
		case err == nil && n < 20:
			expect(t, b)
			continue
		case err == nil && n < 129: // when the next check is due
			continue
		case err == nil:
			t.Fatal("wrong results were not found")
		case n < 20 || !errors.Is(err, eval.ErrLost):
			t.Fatalf("batch %d: %v", n, err)
		}
		if want := "fake:0 computes wrong results, a chance to win of 0.1 instead of 0.5: the device is lost"; err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
		break
	}
}

// TestCheckedSeesEveryPosition has a device that is wrong in one position of each batch.
func TestCheckedSeesEveryPosition(t *testing.T) {
	wrong := eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(b *eval.Batch) error {
			uniform, _ := eval.Uniform{}.Open(b.Len())
			err := eval.Evaluate(uniform, b)
			b.SetValue(3, .9)
			return err
		}, nil
	})
	s := opened(t, eval.Checked(wrong, eval.Uniform{}))
	defer s.Close()
	for n := range 16 * 64 {
		if err := eval.Evaluate(s, positions(1, 16)); errors.Is(err, eval.ErrLost) {
			if n < 3*64 {
				t.Errorf("batch %d: %v", n, err)
			}
			return
		}
	}
	t.Error("wrong results were not found")
}

// precise is a back end that says which numbers it uses.
type precise struct {
	eval.Backend
	precision string
}

func (p precise) Attributes() eval.Attributes {
	a := p.Backend.Attributes()
	a.Precision = p.precision
	return a
}

// Numbers of 8 bits may differ by more.
func TestCheckedKnowsInt8(t *testing.T) {
	for _, c := range []struct {
		precision string
		off       float32
		lost      bool
	}{{"fp16", .04, false}, {"fp16", .2, true}, {"int8", .2, false}, {"int8", .4, true}} {
		rough := eval.Func(func(int) (func(*eval.Batch) error, error) {
			return func(b *eval.Batch) error {
				uniform, _ := eval.Uniform{}.Open(b.Len())
				err := eval.Evaluate(uniform, b)
				for i := range b.Len() {
					b.SetValue(i, .5-c.off)
				}
				return err
			}, nil
		})
		err := eval.Evaluate(opened(t, eval.Checked(precise{rough, c.precision}, eval.Uniform{})), positions(1, 5))
		if errors.Is(err, eval.ErrLost) != c.lost {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
