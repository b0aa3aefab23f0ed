package eval_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"warren/internal/eval"
	"warren/internal/eval/evaltest"
)

// A pool has the path of its devices, and as many batches in flight as they have together.
func TestPoolAttributes(t *testing.T) {
	got := eval.Merge(
		&evaltest.Device{Backend: eval.Uniform{}, Name: "a", Best: 16, Most: 32, Depth: 2},
		&evaltest.Device{Backend: eval.Uniform{}, Name: "b", Best: 24, Most: 32, Depth: 3},
	).Attributes()
	got.Usage = nil // TestUsage is about it
	if want := (eval.Attributes{Device: "a+b", Path: "a", Precision: "exact", Best: 24, Depth: 5}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// limited is a back end whose numbers have a limit.
type limited struct {
	eval.Backend
	saturation *eval.Saturation
}

func (l limited) Attributes() eval.Attributes { return eval.Attributes{Saturation: l.saturation} }

// A pool has the positions of all its devices that reached the limit.
func TestPoolSaturation(t *testing.T) {
	var devices []eval.Backend
	for i := range 3 {
		s := &eval.Saturation{Format: "int8", Remedy: "device=a"}
		devices = append(devices, limited{eval.Uniform{}, s})
		for range 10 {
			s.Count(i > 0)
		}
	}
	const want = "activations reached the limit of int8 in 20 of 30 positions, whose evaluations are less exact; device=a evaluates"
	if got := eval.Merge(devices...).Attributes().Saturation.Warning(); !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A batch that is not full goes to the device that has nothing to do.
func TestPoolUsesTheIdleDevice(t *testing.T) {
	busy, release := make(chan string), make(chan bool)
	device := func(name string) *evaltest.Device {
		return &evaltest.Device{Backend: eval.Uniform{}, Name: name, Best: 16, Depth: 2, Fault: func(int) error {
			busy <- name
			<-release
			return nil
		}}
	}
	m := eval.Merge(device("a"), device("b"))
	one, two := opened(t, m), opened(t, m)
	first, second := positions(1, 3), positions(2, 5)
	if err := one.Submit(first); err != nil {
		t.Fatal(err)
	}
	on := <-busy
	if err := two.Submit(second); err != nil {
		t.Fatal(err)
	}
	if also := <-busy; also == on {
		t.Errorf("both batches are on device %s", on)
	}
	close(release)
	for _, s := range []eval.Stream{one, two} {
		b, err := s.Collect()
		if err != nil {
			t.Fatal(err)
		}
		expect(t, b)
		s.Close()
	}
}

// play evaluates batches on streams of m until the first error, or a number of rounds. It returns the errors.
func play(t *testing.T, m eval.Backend, streams, rounds int) (errs []error) {
	t.Helper()
	open := make([]eval.Stream, streams) // all of them, before the first may lose the devices
	for i := range open {
		open[i] = opened(t, m)
	}
	var mu sync.Mutex
	var group sync.WaitGroup
	for i, s := range open {
		group.Go(func() {
			defer s.Close()
			for round := range rounds {
				b := positions(uint64(100*i+round), 6)
				if err := eval.Evaluate(s, b); err != nil {
					mu.Lock()
					defer mu.Unlock()
					errs = append(errs, err)
					return
				}
				expect(t, b)
			}
		})
	}
	group.Wait()
	return errs
}

// A lost device of a pool leaves the others working: they evaluate what it had, and no stream fails. When
// the last is lost, all streams do.
func TestPoolLosesADevice(t *testing.T) {
	var left atomic.Int32 // batches of the second device
	left.Store(1 << 20)
	unplugged := func(name string) error { return fmt.Errorf("%s is unplugged: %w", name, eval.ErrLost) }
	first := &evaltest.Device{Backend: eval.Uniform{}, Name: "first", Best: 16, Depth: 2, Fault: func(batch int) error {
		if batch > 3 {
			return unplugged("first")
		}
		return nil
	}}
	second := &evaltest.Device{Backend: eval.Uniform{}, Name: "second", Best: 16, Depth: 3, Fault: func(int) error {
		if left.Add(-1) < 0 {
			return unplugged("second")
		}
		return nil
	}}
	m := eval.Merge(first, second)
	if errs := play(t, m, 8, 40); len(errs) > 0 {
		t.Errorf("with one device left: %v", errs)
	}
	if a, b := len(first.Sizes()), len(second.Sizes()); a < 4 || a > 5 || b < 20 {
		t.Errorf("batches of %v and then %v", first.Sizes(), second.Sizes())
	}
	if errs := play(t, m, 2, 4); len(errs) > 0 || len(first.Sizes()) > 5 {
		t.Errorf("opened after the loss: %v, batches of %v on the lost device", errs, first.Sizes())
	}
	left.Store(5)
	errs := play(t, m, 8, 40)
	if len(errs) != 8 {
		t.Errorf("without a device: %d of 8 streams failed", len(errs))
	}
	for _, err := range errs {
		if !errors.Is(err, eval.ErrLost) || err.Error() != "second is unplugged: the device is lost" {
			t.Errorf("without a device: %v", err)
		}
	}
	if _, err := m.Open(1); !errors.Is(err, eval.ErrLost) {
		t.Errorf("opening a stream gave %v", err)
	}
	if a, b := first.Streams(), second.Streams(); a+b != 0 {
		t.Errorf("%d and %d streams of the devices are open", a, b)
	}
}

// A device without memory is lost to the pool; another fault when it is opened is the pool's.
func TestPoolOpens(t *testing.T) {
	full := &evaltest.Device{Backend: eval.Uniform{}, Name: "full", Best: 16, Depth: 2, Full: fmt.Errorf("no memory: %w", eval.ErrLost)}
	good := &evaltest.Device{Backend: eval.Uniform{}, Name: "good", Best: 16, Depth: 2}
	if errs := play(t, eval.Merge(good, full), 4, 5); len(errs) > 0 {
		t.Error(errs)
	}
	bad := &evaltest.Device{Backend: eval.Uniform{}, Name: "bad", Best: 16, Depth: 2, Full: errors.New("no such batch")}
	if _, err := eval.Merge(good, bad).Open(1); err == nil || err.Error() != "no such batch" {
		t.Errorf("got %v", err)
	}
	if n := good.Streams(); n != 0 {
		t.Errorf("%d streams are open", n)
	}
}
