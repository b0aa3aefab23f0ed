package net

import (
	"fmt"
	"math"

	"warren/game"
)

// Batch is what a training step learns from, B positions seen from their
// movers. Positions lie one after the other in every slice.
type Batch struct {
	X            []float32 // [B][64][NumPlanes], as Encode writes them
	Legal        []bool    // [B][263], by PolicyIndex: the actions the softmax runs over
	Policy       []float32 // [B][263] target, 0 to 1 and summing to 1, 0 for illegal actions
	PolicyWeight []float32 // [B] at least 0; 0 where there is no policy target
	Value        []float32 // [B] target, the mover's chance to win, 0 to 1
	ValueWeight  []float32 // [B] at least 0; nil for all 1
}

// NewBatch makes a batch of size positions, its numbers all zero and its value
// weights 1.
func NewBatch(size int) *Batch {
	b := &Batch{
		X:            make([]float32, size*InputSize),
		Legal:        make([]bool, size*game.NumActions),
		Policy:       make([]float32, size*game.NumActions),
		PolicyWeight: make([]float32, size),
		Value:        make([]float32, size),
		ValueWeight:  make([]float32, size),
	}
	for i := range b.ValueWeight {
		b.ValueWeight[i] = 1
	}
	return b
}

// check reports the first thing in a batch that is not as Batch says, for a
// graph of size positions.
func (b *Batch) check(size int) error {
	for _, s := range []struct {
		name      string
		got, each int
	}{
		{"X", len(b.X), InputSize},
		{"Legal", len(b.Legal), game.NumActions},
		{"Policy", len(b.Policy), game.NumActions},
		{"PolicyWeight", len(b.PolicyWeight), 1},
		{"Value", len(b.Value), 1},
	} {
		if s.got != size*s.each {
			return fmt.Errorf("training batch: %s has %d numbers, want %d for %d positions", s.name, s.got, size*s.each, size)
		}
	}
	if b.ValueWeight != nil && len(b.ValueWeight) != size {
		return fmt.Errorf("training batch: ValueWeight has %d numbers, want %d", len(b.ValueWeight), size)
	}
	for i := range size {
		if v := b.Value[i]; !(v >= 0 && v <= 1) {
			return fmt.Errorf("training batch: position %d: value target %g, must be from 0 to 1", i, v)
		}
		if w := b.PolicyWeight[i]; !validWeight(w) {
			return fmt.Errorf("training batch: position %d: policy weight %g, must be finite and at least 0", i, w)
		}
		if b.ValueWeight != nil && !validWeight(b.ValueWeight[i]) {
			return fmt.Errorf("training batch: position %d: value weight %g, must be finite and at least 0", i, b.ValueWeight[i])
		}
		if b.PolicyWeight[i] == 0 {
			continue
		}
		sum := 0.0
		for a := range game.NumActions {
			t := b.Policy[i*game.NumActions+a]
			if !(t >= 0) || t > 0 && !b.Legal[i*game.NumActions+a] {
				return fmt.Errorf("training batch: position %d: policy target %g for action %d, legal %t", i, t, a, b.Legal[i*game.NumActions+a])
			}
			sum += float64(t)
		}
		if !(math.Abs(sum-1) < 1e-3) {
			return fmt.Errorf("training batch: position %d: policy target sums to %g, must be 1", i, sum)
		}
	}
	return nil
}

func validWeight(w float32) bool { return w >= 0 && !math.IsInf(float64(w), 1) }
