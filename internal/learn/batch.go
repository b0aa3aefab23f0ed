package learn

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"warren/game"
	"warren/net"
)

// Batch is a minibatch of B positions, each seen from the side to move. Every
// slice holds the positions one after another.
type Batch struct {
	X       []float32 // [B][64][NumPlanes], as net.Encode writes them
	Legal   []bool    // [B][263], by net.PolicyIndex: the actions in the policy's softmax
	Targets []Target  // by head, in the order of net.Config.Heads
}

// Target is the target of one head for a batch.
type Target struct {
	// Values is [B][Size of the head]. The values of a policy are from 0 to 1,
	// sum to 1 and are 0 for illegal actions. Shares are from 0 to 1 and sum to 1.
	// Chances are from 0 to 1, or NaN where unknown; at least one must be known.
	Values []float32
	// Weight is [B], at least 0. The values of a position of weight 0 are ignored.
	Weight []float32
}

// NewBatch returns a zeroed batch of size positions for a network of
// architecture c.
func NewBatch(c net.Config, size int) *Batch {
	b := &Batch{
		X:     make([]float32, size*net.InputSize),
		Legal: make([]bool, size*game.NumActions),
	}
	for _, h := range c.Heads() {
		b.Targets = append(b.Targets, Target{make([]float32, size*h.Size), make([]float32, size)})
	}
	return b
}

// Check reports the first error in a batch of size positions for a network of
// architecture c.
func (b *Batch) Check(c net.Config, size int) error {
	heads := c.Heads()
	if len(b.Targets) != len(heads) {
		return fmt.Errorf("training batch: targets for %d heads, want %d", len(b.Targets), len(heads))
	}
	lengths := []length{{"X", len(b.X), size * net.InputSize}, {"Legal", len(b.Legal), size * game.NumActions}}
	for i, h := range heads {
		t := &b.Targets[i]
		lengths = append(lengths,
			length{"the target of " + h.Name, len(t.Values), size * h.Size},
			length{"the weight of " + h.Name, len(t.Weight), size})
	}
	for _, l := range lengths {
		if l.got != l.want {
			return fmt.Errorf("training batch: %s has %d numbers, want %d for %d positions", l.name, l.got, l.want, size)
		}
	}
	for i := range heads {
		if err := b.checkTargets(&heads[i], &b.Targets[i], size); err != nil {
			return err
		}
	}
	return nil
}

// checkTargets reports the first error in the targets of a head, on several goroutines.
func (b *Batch) checkTargets(h *net.Head, t *Target, size int) error {
	workers := max(1, min(runtime.GOMAXPROCS(0), 8, size/32))
	errs := make([]error, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for at := w * size / workers; at < (w+1)*size/workers && errs[w] == nil; at++ {
				errs[w] = b.checkTarget(h, t, at)
			}
		})
	}
	all.Wait()
	return cmp.Or(errs...)
}

// checkTarget returns an error if the target of a head at a position is invalid.
func (b *Batch) checkTarget(h *net.Head, t *Target, at int) error {
	w := t.Weight[at]
	if !(w >= 0) || math.IsInf(float64(w), 1) {
		return fmt.Errorf("training batch: position %d: the weight of %s is %g, must be finite and at least 0", at, h.Name, w)
	}
	if w == 0 {
		return nil
	}
	if err := check(h, t.Values[at*h.Size:][:h.Size], b.Legal[at*game.NumActions:][:game.NumActions]); err != nil {
		return fmt.Errorf("training batch: position %d: the target of %s %w", at, h.Name, err)
	}
	return nil
}

// length is the actual and the required length of a slice.
type length struct {
	name      string
	got, want int
}

// check returns an error if the target of one position does not have the form of the head's output.
func check(h *net.Head, values []float32, legal []bool) error {
	if h.Activation == net.Logistic {
		return checkChances(values)
	}
	sum := 0.0
	for a, v := range values {
		if h.Loss == net.Policy && v > 0 && !legal[a] {
			return fmt.Errorf("is %g for the illegal action %d", v, a)
		}
		if !(v >= 0) {
			return fmt.Errorf("has %g, must be at least 0", v)
		}
		sum += float64(v)
	}
	if !(math.Abs(sum-1) < 1e-3) {
		return fmt.Errorf("sums to %g, must be 1", sum)
	}
	return nil
}

func checkChances(values []float32) error {
	known := false
	for _, v := range values {
		if math.IsNaN(float64(v)) {
			continue
		}
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("has %g, must be from 0 to 1", v)
		}
		known = true
	}
	if !known {
		return errors.New("has only NaN; a position of which nothing is known must have weight 0")
	}
	return nil
}
