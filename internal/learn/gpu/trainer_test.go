package gpu

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute"
	"warren/internal/compute/computetest"
	"warren/internal/compute/kernels"
	"warren/internal/learn"
	"warren/internal/learn/graph"
	"warren/internal/learn/learntest"
	"warren/internal/nettest"
	"warren/net"
)

// small is a network with every kind of layer and loss.
func small() net.Config {
	return net.Config{Blocks: 2, Channels: 8, PoolEvery: 2, PolicyChannels: 4, ValueChannels: 2, ValueHidden: 4, Auxiliary: everyHead}
}

func steps(t testing.TB, tr learn.Trainer, first, count int) {
	t.Helper()
	for i := range count {
		if _, err := tr.Step(learntest.Lesson(small(), uint64(first+i), tr.BatchSize()), 0.003); err != nil {
			t.Fatal(err)
		}
	}
}

func state(t testing.TB, tr learn.Trainer) []net.Tensor {
	t.Helper()
	s, err := tr.State()
	if err != nil {
		t.Fatal(err)
	}
	var all []net.Tensor
	for _, tensor := range s {
		tensor.Data = slices.Clone(tensor.Data)
		all = append(all, tensor)
	}
	return all
}

// settingsOf has a step of each kind: with clipping, decay and averaging.
func settingsOf(method string) learn.Config {
	c := config(3)
	c.Optimizer.Method, c.Optimizer.ClipNorm, c.Optimizer.Epsilon = method, 0.7, 1e-4
	c.EMADecay = 0.9
	return c
}

// near compares two states: a tensor differs little next to how far it has moved from the weights
// of begun, or from zero.
func near(t *testing.T, method string, got, want []net.Tensor, begun *net.Network) {
	t.Helper()
	for i, w := range want {
		if got[i].Name != w.Name || !slices.Equal(got[i].Shape, w.Shape) {
			t.Fatalf("%s: tensor %d is %s %v, want %s %v", method, i, got[i].Name, got[i].Shape, w.Name, w.Shape)
		}
		moved, off := 0.0, 0.0
		for k, v := range w.Data {
			from := float32(0)
			if p := begun.Param(strings.TrimPrefix(w.Name, learn.AveragePrefix)); p != nil {
				from = p.Data[k]
			}
			moved = max(moved, math.Abs(float64(v-from)))
			off = max(off, math.Abs(float64(got[i].Data[k]-v)))
		}
		rests := method == learn.Muon && strings.HasPrefix(w.Name, "optimizer.variance.") // of a matrix
		if !(off <= 1e-3*moved) || moved == 0 && !rests {
			t.Errorf("%s: %s differs by %g after moving by %g", method, w.Name, off, moved)
		}
	}
}

// TestSteps compares ten steps with those of internal/learn/graph.
func TestSteps(t *testing.T) { testSteps(t, device(t), 10) }

func testSteps(t *testing.T, d compute.Device, count int) {
	for _, method := range []string{learn.Adam, learn.Muon, learn.SGD} {
		c := settingsOf(method)
		mine, other := nettest.Lively(t, small(), 1), nettest.Lively(t, small(), 1)
		begun := other.Clone()
		tr := newTrainer(t, d, mine, c)
		reference, err := graph.NewWorkers(other, c, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer reference.Close()
		steps(t, tr, 10, count)
		steps(t, reference, 10, count)
		got := state(t, tr)
		near(t, method, got, state(t, reference), begun)
		played, err := tr.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range played.Params {
			average := got[slices.IndexFunc(got, func(s net.Tensor) bool { return s.Name == learn.AveragePrefix+p.Name })]
			if !slices.Equal(p.Data, average.Data) || !slices.Equal(mine.Params[i].Data, got[i].Data) {
				t.Errorf("%s: the snapshot's %s is not the average", method, p.Name)
			}
		}
	}
}

// TestRestore continues from a state, in another trainer and on the processor and back: the same bits
// on the same device.
func TestRestore(t *testing.T) {
	d := device(t)
	for _, method := range []string{learn.Adam, learn.Muon, learn.SGD} {
		c := settingsOf(method)
		tr := newTrainer(t, d, nettest.Lively(t, small(), 1), c)
		steps(t, tr, 0, 3)
		saved := state(t, tr)
		steps(t, tr, 3, 3)
		want := state(t, tr)

		again := newTrainer(t, d, nettest.Lively(t, small(), 2), c)
		steps(t, again, 50, 1) // must leave no trace
		if err := again.Restore(saved[1:]); err == nil || !strings.Contains(err.Error(), saved[0].Name) {
			t.Errorf("%s: restored a state without %s: %v", method, saved[0].Name, err)
		}
		if err := again.Restore(saved); err != nil {
			t.Fatal(err)
		}
		if got := state(t, again); !slices.EqualFunc(got, saved, same) {
			t.Errorf("%s: a restored state is another", method)
		}
		steps(t, again, 3, 3)
		if got := state(t, again); !slices.EqualFunc(got, want, same) {
			t.Errorf("%s: the steps after a restored state are others", method)
		}
		processor, err := graph.NewWorkers(nettest.Lively(t, small(), 3), c, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := processor.Restore(saved); err != nil {
			t.Errorf("%s: the processor cannot continue: %v", method, err)
		}
		begun := nettest.Lively(t, small(), 1)
		steps(t, processor, 3, 2)
		if err := again.Restore(state(t, processor)); err != nil {
			t.Errorf("%s: the device cannot continue: %v", method, err)
		}
		steps(t, again, 5, 1)
		near(t, method, state(t, again), want, begun)
		if err := processor.Close(); err != nil {
			t.Error(err)
		}
	}
}

func same(a, b net.Tensor) bool {
	return a.Name == b.Name && slices.Equal(a.Shape, b.Shape) && slices.Equal(a.Data, b.Data)
}

// TestDiverged has a gradient that is not finite: nothing changes.
func TestDiverged(t *testing.T) {
	n := nettest.Lively(t, small(), 1)
	n.Param("stem.bias").Data[0] = float32(math.Inf(1))
	tr := newTrainer(t, device(t), n, settingsOf(learn.Adam))
	before := state(t, tr)
	if _, err := tr.Step(learntest.Lesson(small(), 1, 3), 0.01); !errors.Is(err, learn.ErrDiverged) {
		t.Errorf("got %v", err)
	}
	if !slices.EqualFunc(state(t, tr), before, same) {
		t.Error("the state has changed")
	}
	if _, err := tr.Step(learntest.Lesson(small(), 1, 2), 0.01); err == nil || !strings.Contains(err.Error(), "for 3 positions") {
		t.Errorf("a batch of another size: %v", err)
	}
}

// TestLost loses the device: every call says so from then on, and the device is closed.
func TestLost(t *testing.T) {
	b := learntest.Lesson(small(), 1, 3)
	for operation, use := range map[string]func(*Trainer) error{
		"Launch": func(tr *Trainer) error { _, err := tr.Step(b, 0.01); return err },
		"Flush":  func(tr *Trainer) error { _, err := tr.State(); return err },
	} {
		f := &computetest.Faulty{Device: device(t)}
		tr, err := New(f, nettest.Lively(t, small(), 1), settingsOf(learn.Adam), FP32)
		if err != nil {
			t.Fatal(err)
		}
		saved := state(t, tr)
		f.Fail(operation, compute.ErrLost)
		first := use(tr)
		if !errors.Is(first, learn.ErrLost) || !strings.Contains(first.Error(), "opencl:0 (") || !strings.Contains(first.Error(), "does not work any more: injected") || strings.Contains(first.Error(), "\n") {
			t.Errorf("%s: got %v", operation, first)
		}
		f.Fail("", nil)
		_, err1 := tr.Step(b, 0.01)
		_, err2 := tr.Measure(b)
		_, err3 := tr.State()
		_, err4 := tr.Snapshot()
		for _, err := range []error{err1, err2, err3, err4, tr.Restore(saved)} {
			if !errors.Is(err, learn.ErrLost) {
				t.Errorf("%s: afterwards: %v", operation, err)
			}
		}
		if err := tr.Close(); err != nil || f.Closed != 1 {
			t.Errorf("%s: closed %d times, %v", operation, f.Closed, err)
		}
	}
}

func TestRefused(t *testing.T) {
	n := nettest.Lively(t, small(), 1)
	f := &computetest.Faulty{Device: device(t)}
	f.Fail("Buffer", compute.ErrMemory)
	if _, err := New(f, n, config(3), FP32); err == nil || !strings.Contains(err.Error(), "opencl:0 (") || !strings.Contains(err.Error(), "not enough memory to learn from minibatches of 3 positions") || strings.Contains(err.Error(), "\n") {
		t.Errorf("without memory: %v", err)
	}
	if f.Closed != 1 {
		t.Errorf("without memory: closed %d times", f.Closed)
	}
	c := config(3)
	c.Optimizer.Method = "newton"
	if _, err := New(device(t), n, c, FP32); err == nil || !strings.Contains(err.Error(), "newton") {
		t.Errorf("an unknown method: %v", err)
	}
	c = config(1 << 20)
	if _, err := New(device(t), n, c, FP32); err == nil || !strings.Contains(err.Error(), "a smaller learner.batch") {
		t.Errorf("too large a minibatch: %v", err)
	}
}

// TestManyPositions has many positions in a minibatch of a network whose widest weights are those of
// the value's hidden layer, which reads a board as one row.
func TestManyPositions(t *testing.T) {
	c := net.Config{Blocks: 1, Channels: 8, PolicyChannels: 1, ValueChannels: 64, ValueHidden: 1}
	m := open(device(t), kernels.Training())
	defer m.release()
	if _, err := newNetwork(m, nettest.Lively(t, c, 1), 8192); err != nil || m.err != nil {
		t.Errorf("64x64x8192 numbers: %v, %v", err, m.err)
	}
	if _, err := newNetwork(m, nettest.Lively(t, c, 1), 1<<19); err == nil {
		t.Error("64x64x524288 numbers were not refused")
	}
}
