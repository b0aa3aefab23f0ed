package graph

import (
	"slices"
	"strings"
	"testing"

	"warren/internal/learn"
	"warren/internal/learn/learntest"
	"warren/internal/nettest"
	"warren/net"
)

func newTestTrainer(t *testing.T, n *net.Network, c learn.Config) *Trainer {
	t.Helper()
	tr, err := NewWorkers(n, c, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// The settings weigh the value and the auxiliary heads that they name, and no others.
func TestTrainerWeighsTheLosses(t *testing.T) {
	n := nettest.Lively(t, nettest.Everything, 1)
	c := learn.DefaultConfig()
	c.Batch, c.ValueWeight, c.LossWeights = 3, 3, "stopped=0.5"
	tr := newTestTrainer(t, n, c)
	for k, h := range n.Config.Heads() {
		want := h.Weight
		switch h.Name {
		case "value":
			want = 3
		case "stopped":
			want = 0.5
		}
		if got := tr.graph.LossWeights[k]; got != want {
			t.Errorf("%s weighs %g, want %g", h.Name, got, want)
		}
	}
}

// copied returns a copy of a trainer's state, which later steps do not change.
func copied(t *testing.T, tr *Trainer) []net.Tensor {
	t.Helper()
	state, err := tr.State()
	if err != nil {
		t.Fatal(err)
	}
	state = slices.Clone(state)
	for i := range state {
		state[i].Data = slices.Clone(state[i].Data)
	}
	return state
}

func alike(a, b net.Tensor) bool {
	return a.Name == b.Name && slices.Equal(a.Shape, b.Shape) && slices.Equal(a.Data, b.Data)
}

// A trainer with the state of another makes the same steps, whatever it has learned before, and both
// play with averages. A state that lacks something changes nothing.
func TestTrainerGoesOn(t *testing.T) {
	small := net.Config{Blocks: 1, Channels: 8, PoolEvery: 1, PolicyChannels: 4, ValueChannels: 2, ValueHidden: 4}
	for _, method := range []string{learn.Adam, learn.Muon, learn.SGD} {
		c := learn.DefaultConfig()
		c.Batch, c.EMADecay, c.Optimizer.Method = 3, 0.9, method
		steps := func(tr *Trainer, first, count int) {
			t.Helper()
			for i := range count {
				if _, err := tr.Step(learntest.Lesson(small, uint64(first+i), c.Batch), 0.003); err != nil {
					t.Fatal(err)
				}
			}
		}
		tr := newTestTrainer(t, nettest.Lively(t, small, 1), c)
		steps(tr, 0, 3)
		saved := copied(t, tr)
		steps(tr, 3, 3)
		want := copied(t, tr)

		again := newTestTrainer(t, nettest.Lively(t, small, 2), c)
		steps(again, 50, 1)
		before := copied(t, again)
		for _, missing := range []string{saved[0].Name, learn.AveragePrefix + saved[0].Name, "optimizer.steps"} {
			part := slices.DeleteFunc(slices.Clone(saved), func(s net.Tensor) bool { return s.Name == missing })
			if err := again.Restore(part); err == nil || !strings.Contains(err.Error(), missing) {
				t.Errorf("%s: restored a state without %s: %v", method, missing, err)
			}
			if !slices.EqualFunc(copied(t, again), before, alike) {
				t.Errorf("%s: a state without %s has changed the trainer", method, missing)
			}
		}
		if err := again.Restore(saved); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(copied(t, again), saved, alike) {
			t.Errorf("%s: a restored state is another", method)
		}
		steps(again, 3, 3)
		if !slices.EqualFunc(copied(t, again), want, alike) {
			t.Errorf("%s: the steps after a restored state are others", method)
		}
		played, err := again.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		averaged := false
		for i, p := range played.Params {
			average := want[slices.IndexFunc(want, func(s net.Tensor) bool { return s.Name == learn.AveragePrefix+p.Name })]
			if !slices.Equal(p.Data, average.Data) {
				t.Errorf("%s: the snapshot's %s is not the average", method, p.Name)
			}
			averaged = averaged || !slices.Equal(p.Data, want[i].Data)
		}
		if !averaged {
			t.Errorf("%s: the averages are the newest weights", method)
		}
	}
}

func TestTrainerStepsSameWhateverTheWorkers(t *testing.T) {
	for _, method := range []string{learn.Adam, learn.Muon, learn.SGD} {
		c := learn.DefaultConfig()
		c.Batch, c.Optimizer.Method = 9, method
		states := [2][]net.Tensor{}
		for i, workers := range []int{1, 3} {
			n := nettest.Lively(t, nettest.Everything, 1)
			tr, err := NewWorkers(n, c, workers)
			if err != nil {
				t.Fatal(err)
			}
			defer tr.Close()
			for seed := range uint64(3) {
				if _, err := tr.Step(learntest.Lesson(n.Config, seed, c.Batch), 1e-3); err != nil {
					t.Fatal(err)
				}
			}
			states[i] = copied(t, tr)
		}
		for i, one := range states[0] {
			if !slices.Equal(one.Data, states[1][i].Data) {
				t.Errorf("%s: %s of three workers is not that of one", method, one.Name)
			}
		}
	}
}
