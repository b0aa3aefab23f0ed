package learn

import (
	"errors"
	"fmt"
	"math"

	"warren/game"
	"warren/net"
)

// Batch is a minibatch of B positions, each seen from the side to move. Every
// slice holds the positions one after another.
type Batch struct {
	Bits    []net.Bits // [B], as net.EncodeBits writes them
	Legal   []bool     // [B][263], by net.PolicyIndex: the actions in the policy's softmax
	Targets []Target   // by head, in the order of net.Config.Heads
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
		Bits:  make([]net.Bits, size),
		Legal: make([]bool, size*game.NumActions),
	}
	for _, h := range c.Heads() {
		b.Targets = append(b.Targets, Target{make([]float32, size*h.Size), make([]float32, size)})
	}
	return b
}

// Planes writes the inputs of the positions from first to end-1 to x, [end-first][64][NumPlanes].
func (b *Batch) Planes(x []float32, first, end int) {
	for i := first; i < end; i++ {
		b.Bits[i].Expand(x[(i-first)*net.InputSize:])
	}
}

// Check reports the first error in a batch of size positions for a network of
// architecture c.
func (b *Batch) Check(c net.Config, size int) error {
	heads := c.Heads()
	if err := b.CheckSizes(heads, size); err != nil {
		return err
	}
	for i := range size {
		if err := b.CheckTargets(heads, i); err != nil {
			return err
		}
	}
	return nil
}

// CheckSizes reports whether a slice of a batch of size positions has another length than the heads need.
func (b *Batch) CheckSizes(heads []net.Head, size int) error {
	if len(b.Targets) != len(heads) {
		return fmt.Errorf("training batch: targets for %d heads, want %d", len(b.Targets), len(heads))
	}
	lengths := []length{{"Bits", len(b.Bits), size}, {"Legal", len(b.Legal), size * game.NumActions}}
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
	return nil
}

// CheckTargets reports the first error in the targets of a position, in a batch whose sizes are right.
func (b *Batch) CheckTargets(heads []net.Head, at int) error {
	for i := range heads {
		if err := b.checkTarget(&heads[i], &b.Targets[i], at); err != nil {
			return err
		}
	}
	return nil
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
