package eval

import (
	"fmt"

	"warren/game"
)

// Batch holds positions to evaluate, and their evaluations. Reset keeps its memory,
// so a batch of stable size does not allocate.
type Batch struct {
	positions []*game.Game
	legal     [][]game.Action
	ends      []int // ends[i] is where the priors of position i end
	priors    []float32
	values    []float32
	stopped   []float32
}

// Reset empties the batch.
func (b *Batch) Reset() {
	clear(b.positions) // so that the batch does not keep games alive
	clear(b.legal)
	b.positions, b.legal, b.ends = b.positions[:0], b.legal[:0], b.ends[:0]
	b.priors, b.values = b.priors[:0], b.values[:0]
	b.stopped = b.stopped[:0]
}

// Add appends a position with its legal actions. The batch refers to both, so
// neither may change until the batch has been collected.
func (b *Batch) Add(g *game.Game, legal []game.Action) {
	start := len(b.priors)
	b.positions = append(b.positions, g)
	b.legal = append(b.legal, legal)
	b.ends = append(b.ends, start+len(legal))
	b.priors = extend(b.priors, len(legal))
	b.values = extend(b.values, 1)
	b.stopped = append(b.stopped, 0)
}

// extend lengthens s by n elements of arbitrary content.
func extend(s []float32, n int) []float32 {
	if len(s)+n > cap(s) {
		grown := make([]float32, len(s), 2*(len(s)+n))
		copy(grown, s)
		s = grown
	}
	return s[:len(s)+n]
}

// Len returns the number of positions.
func (b *Batch) Len() int { return len(b.positions) }

// Position returns position i.
func (b *Batch) Position(i int) *game.Game { return b.positions[i] }

// Legal returns the legal actions of position i, in the order of its priors.
func (b *Batch) Legal(i int) []game.Action { return b.legal[i] }

// Priors returns the probabilities of the legal actions of position i, which
// sum to 1. A back end writes them here. They are valid until Reset.
func (b *Batch) Priors(i int) []float32 { return b.priors[b.Start(i):b.ends[i]:b.ends[i]] }

// Start returns the number of priors of the positions before position i, which may be Len.
func (b *Batch) Start(i int) int {
	if i == 0 {
		return 0
	}
	return b.ends[i-1]
}

// Value returns the chance, 0 to 1, that the side to move wins position i.
func (b *Batch) Value(i int) float32 { return b.values[i] }

// SetValue sets the chance that the side to move wins position i. Back ends call
// it.
func (b *Batch) SetValue(i int, v float32) { b.values[i] = v }

// Stopped returns the chance, 0 to 1, that the game of position i is stopped at the
// turn limit. It is 0 if the back end does not know.
func (b *Batch) Stopped(i int) float32 { return b.stopped[i] }

// SetStopped sets the chance that the game of position i is stopped at the turn
// limit. Back ends that know it call it.
func (b *Batch) SetStopped(i int, v float32) { b.stopped[i] = v }

// Check reports the first position that is invalid. Back ends call it before they
// compute.
func (b *Batch) Check() error {
	for i, g := range b.positions {
		if g == nil {
			return fmt.Errorf("evaluating position %d of %d: it is nil", i, b.Len())
		}
		for _, a := range b.legal[i] {
			if a >= game.NumActions {
				return fmt.Errorf("evaluating position %d of %d: there is no action %d", i, b.Len(), a)
			}
		}
	}
	return nil
}

// copyFrom copies the evaluation of position j of another batch to position i. The
// two have the same legal actions.
func (b *Batch) copyFrom(i int, from *Batch, j int) {
	copy(b.Priors(i), from.Priors(j))
	b.values[i], b.stopped[i] = from.values[j], from.stopped[j]
}
