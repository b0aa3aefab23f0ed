package train

import (
	"errors"
	"slices"
	"testing"

	"warren/data/replay"
	"warren/internal/learn"
	"warren/internal/recipe"
	"warren/net"
)

// looking is a trainer that takes the batch of the next step ahead, and keeps the inputs of its steps.
type looking struct {
	learn.Trainer
	ahead   *learn.Batch
	seen    []net.Bits // the ahead batch, as it was sent
	inputs  [][]net.Bits
	resent  int
	changed int  // batches that changed during their step
	nothing bool // never looks ahead
}

func (l *looking) StepAhead(b *learn.Batch, rate float64, next func() *learn.Batch) (learn.Losses, error) {
	if b != l.ahead {
		l.seen = slices.Clone(b.Bits)
		l.resent++
	}
	l.inputs = append(l.inputs, l.seen)
	l.ahead, l.seen = nil, nil
	if !l.nothing {
		before := slices.Clone(b.Bits)
		l.ahead = next()
		if !slices.Equal(b.Bits, before) {
			l.changed++
		}
		l.seen = slices.Clone(l.ahead.Bits)
	}
	return nil, nil
}

func (l *looking) Measure(*learn.Batch) (learn.Losses, error) { return nil, nil }
func (l *looking) BatchSize() int                             { return 8 }

// errRecycling is the error of a trainer whose state is asked for.
var errRecycling = errors.New("recycling")

func (l *looking) State() ([]net.Tensor, error) { return nil, errRecycling }

// TestRecyclingFollowsTheOptimiser: units are recycled after as many steps of the optimiser as the settings say. One that
// has just begun knows too little of what is dormant.
func TestRecyclingFollowsTheOptimiser(t *testing.T) {
	c := tiny(recipe.Sync)
	w := replay.NewWindow(100_000, c.Data)
	w.Add(0, pursuit(1))
	c.Learner.DormantResetInterval = 4
	l := &learner{Trainer: &looking{nothing: true}, config: &c, begun: 6}
	for i := range l.minibatches {
		var err error
		if l.minibatches[i], err = newMinibatch(c.Network, 8); err != nil {
			t.Fatal(err)
		}
	}
	var after []int64
	for step := int64(6); step < 15; step++ {
		if _, err := l.train(w, step, 0.1); errors.Is(err, errRecycling) {
			after = append(after, step+1)
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(after, []int64{10, 14}) {
		t.Errorf("units are recycled after steps %d, want 10 and 14", after)
	}
}

// TestLearnerDrawsAhead: the samples of a step depend on the step and the window only, however early they are drawn.
func TestLearnerDrawsAhead(t *testing.T) {
	c := tiny(recipe.Sync)
	c.Learner.HeldOut = 8
	steps := func(nothing bool) *looking {
		w, held := replay.NewWindow(100_000, c.Data), replay.NewWindow(100_000, c.Data)
		w.Add(0, pursuit(1))
		held.Add(0, pursuit(50))
		to := &looking{nothing: nothing}
		l := &learner{Trainer: to, config: &c}
		for i := range l.minibatches {
			var err error
			if l.minibatches[i], err = newMinibatch(c.Network, 8); err != nil {
				t.Fatal(err)
			}
		}
		for step := range int64(9) {
			switch step {
			case 3:
				w.Add(1, pursuit(2))
			case 5, 6:
				if _, err := l.measure(held); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := l.train(w, step, 0.1); err != nil {
				t.Fatal(err)
			}
		}
		return to
	}
	want, got := steps(true), steps(false)
	if !slices.EqualFunc(got.inputs, want.inputs, slices.Equal) {
		t.Error("the steps have other samples")
	}
	if got.changed > 0 {
		t.Errorf("%d batches changed while they were learned from", got.changed)
	}
	if got.resent != 4 { // the first, the one after the new game, and those after measurements
		t.Errorf("%d batches were drawn again, want 4", got.resent)
	}
}
