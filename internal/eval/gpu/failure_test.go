package gpu

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/computetest"
	"warren/internal/compute/kernels"
	"warren/internal/eval"
	"warren/net"
)

var small = net.Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}

func newFaulty(t *testing.T) (*computetest.Faulty, *Device) {
	f := &computetest.Faulty{Device: device(t).device}
	return f, NewDevice(f)
}

// TestLostDevice loses the device while batches are in flight: every stream fails then, and
// the device can be opened anew.
func TestLostDevice(t *testing.T) {
	n := lively(t, small, 1)
	for _, operation := range []string{"Launch", "Wait"} {
		f, d := newFaulty(t)
		b, err := New(d, n, kernels.Form{})
		if err != nil {
			t.Fatal(err)
		}
		first, err := b.Open(4)
		if err != nil {
			t.Fatal(err)
		}
		second, err := b.Open(4)
		if err != nil {
			t.Fatal(err)
		}
		if err := eval.Evaluate(second, random(4)); err != nil {
			t.Fatal(err)
		}
		f.Fail(operation, compute.ErrLost)
		for range 2 {
			err := eval.Evaluate(first, random(4))
			if !errors.Is(err, eval.ErrLost) || !strings.Contains(err.Error(), "opencl:0 (") || !strings.Contains(err.Error(), "does not work any more: injected") {
				t.Errorf("%s: got %v", operation, err)
			}
		}
		f.Fail("", nil)
		if err := eval.Evaluate(second, random(4)); !errors.Is(err, eval.ErrLost) {
			t.Errorf("%s: the other stream: %v", operation, err)
		}
		if _, err := b.Open(1); !errors.Is(err, eval.ErrLost) {
			t.Errorf("%s: a new stream: %v", operation, err)
		}
		if err := first.Close(); err != nil || f.Closed != 0 {
			t.Errorf("%s: the device was closed %d times while there was a stream, %v", operation, f.Closed, err)
		}
		if err := second.Close(); err != nil || f.Closed != 1 {
			t.Errorf("%s: the device was closed %d times after the last stream, %v", operation, f.Closed, err)
		}
		opens := f.Opened
		again, err := New(d, n, kernels.Form{})
		if err != nil {
			t.Fatalf("%s: after the device came back: %v", operation, err)
		}
		if f.Opened != opens+1 {
			t.Errorf("%s: the device was not opened anew", operation)
		}
		s, err := again.Open(4)
		if err != nil {
			t.Fatal(err)
		}
		if err := eval.Evaluate(s, random(4)); err != nil {
			t.Error(err)
		}
		s.Close()
	}
}

func TestRefusals(t *testing.T) {
	c := small
	c.Auxiliary = "stopped"
	n := lively(t, c, 1)
	for want, prepare := range map[string]func(*computetest.Faulty){
		"has not enough memory: injected": func(f *computetest.Faulty) { f.Fail("Buffer", compute.ErrMemory) },
		"is refused: in fp32 its results differ from the processor's by": func(f *computetest.Faulty) {
			f.From, f.To = "if (flags & 1)", "if (flags & 2)"
		},
		"its results differ from the processor's by": func(f *computetest.Faulty) { // the chance to be stopped alone
			f.From, f.To = "? logistic(v) : v;", "? logistic(v + id) : v;"
		},
		"building the kernels": func(f *computetest.Faulty) { f.To = "this is an error;\n" },
	} {
		f, d := newFaulty(t)
		prepare(f)
		_, err := New(d, n, kernels.Form{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "opencl:0 (") || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
		if memory := strings.Contains(want, "memory"); errors.Is(err, eval.ErrLost) != memory {
			t.Errorf("%v: lost is %v", err, !memory)
		}
	}
}

// TestOpensAnew fails while a network is put on the device, which is opened anew for the next one.
func TestOpensAnew(t *testing.T) {
	n := lively(t, small, 1)
	for _, is := range []error{compute.ErrLost, compute.ErrMemory} {
		f, d := newFaulty(t)
		f.Fail("Buffer", is)
		if _, err := New(d, n, kernels.Form{}); !errors.Is(err, eval.ErrLost) || f.Closed != f.Opened {
			t.Errorf("got %v, the device was opened %d times and closed %d times", err, f.Opened, f.Closed)
		}
		f.Fail("", nil)
		if _, err := New(d, n, kernels.Form{}); err != nil || f.Opened != 2 {
			t.Errorf("then got %v, the device was opened %d times", err, f.Opened)
		}
	}
}

// TestBatchesInFlight has more batches in flight than the stream has memory for.
func TestBatchesInFlight(t *testing.T) {
	n := lively(t, small, 1)
	s := open(t, device(t), n, kernels.Form{}, 4)
	if _, err := s.Collect(); err != eval.ErrNothingSubmitted {
		t.Errorf("with nothing submitted: %v", err)
	}
	all := random(20)
	if err := eval.Evaluate(s, new(eval.Batch)); err != nil {
		t.Errorf("nothing to evaluate: %v", err)
	}
	var batches []*eval.Batch
	for i := range 7 {
		b := new(eval.Batch)
		for j := range 1 + i%3 {
			b.Add(all.Position(i+j), all.Legal(i+j))
		}
		if err := s.Submit(b); err != nil {
			t.Fatal(err)
		}
		batches = append(batches, b)
	}
	for i, b := range batches {
		got, err := s.Collect()
		if err != nil || got != b {
			t.Fatalf("batch %d: %v, another batch: %v", i, err, got != b)
		}
		alone := new(eval.Batch)
		alone.Add(all.Position(i), all.Legal(i))
		other := open(t, device(t), n, kernels.Form{}, 1)
		if err := eval.Evaluate(other, alone); err != nil {
			t.Fatal(err)
		}
		if alone.Value(0) != b.Value(0) || !slices.Equal(alone.Priors(0), b.Priors(0)) {
			t.Errorf("batch %d has the results of another", i)
		}
	}
	if err := s.Submit(random(5)); err == nil || !strings.Contains(err.Error(), "5 positions for a stream of at most 4") {
		t.Errorf("a batch that is too large: %v", err)
	}
	bad := random(1)
	bad.Add(nil, nil)
	if err := s.Submit(bad); err == nil || !strings.Contains(err.Error(), "it is nil") {
		t.Errorf("a position that is none: %v", err)
	}
	// Closing with batches in flight.
	s.Submit(random(3))
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestStreamsShareWeights counts the weights of a back end with several streams.
func TestStreamsShareWeights(t *testing.T) {
	b, err := newBackend(device(t), lively(t, small, 1), build{})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	want := random(6)
	s, err := b.Open(6)
	if err != nil {
		t.Fatal(err)
	}
	if err := eval.Evaluate(s, want); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		all.Go(func() {
			s, err := b.Open(6)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for range 5 {
				got := random(6)
				if err := eval.Evaluate(s, got); err != nil {
					t.Error(err)
				}
				for i := range got.Len() {
					if got.Value(i) != want.Value(i) || !slices.Equal(got.Priors(i), want.Priors(i)) {
						t.Errorf("position %d differs between streams", i)
					}
				}
			}
		})
	}
	all.Wait()
	if b.streams != 1 || len(b.weights) != len(b.plan.tensors) {
		t.Errorf("%d streams, %d tensors on the device", b.streams, len(b.weights))
	}
	s.Close()
	s.Close()
	if b.streams != 0 || b.weights != nil {
		t.Errorf("after the last stream was closed: %d streams, %d tensors on the device", b.streams, len(b.weights))
	}
}

// TestBrokenNetwork evaluates a network with a weight that is not a number.
func TestBrokenNetwork(t *testing.T) {
	c := small
	c.Auxiliary = "stopped"
	for _, name := range []string{"stem.bias", "policy.step.bias", "value.out.bias", "stopped.out.bias"} {
		n := lively(t, c, 1)
		nan := float32(0)
		n.Param(name).Data[0] = nan / nan
		b, err := New(device(t), n, kernels.Form{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s, err := b.Open(4)
		if err != nil {
			t.Fatal(err)
		}
		if err := eval.Evaluate(s, random(4)); err == nil || !strings.Contains(err.Error(), "not a number") || errors.Is(err, eval.ErrLost) {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
}
