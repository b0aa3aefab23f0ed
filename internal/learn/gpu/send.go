package gpu

import (
	"cmp"
	"math"
	"runtime"
	"sync"
	"unsafe"

	"warren/game"
	"warren/internal/learn"
	"warren/net"
)

// slot is the host's memory of a minibatch. The device copies from one while the other is filled.
type slot struct {
	x     *staging
	bits  []net.Bits // x in mixed precision, else nil
	batch *staging   // targets and weights
}

// bitsSize is the size of a position that the device expands, in numbers of 32 bits.
const bitsSize = int(unsafe.Sizeof(net.Bits{}) / 4)

// send sends a batch to the device and begins the forward pass.
func (t *Trainer) send(b *learn.Batch) error {
	t.ahead = nil
	if t.lost != nil {
		return t.lost
	}
	t.slots[0], t.slots[1] = t.slots[1], t.slots[0]
	s := &t.slots[0]
	if err := t.fill(s, b); err != nil {
		return err
	}
	t.memory.write(s.x)
	t.memory.launch(t.forward...)
	t.memory.write(s.batch)
	return nil
}

// fill writes a batch to the host's memory, on several goroutines. It fails if the batch is invalid.
func (t *Trainer) fill(s *slot, b *learn.Batch) error {
	heads := t.network.program.Heads
	if err := b.CheckSizes(heads, t.config.Batch); err != nil {
		return err
	}
	scales := make([]float64, len(heads))
	for k, target := range b.Targets {
		if total := sum(target.Weight); total > 0 {
			scales[k] = t.LossWeights[k] / total
		}
	}
	return parallel(t.config.Batch, func(first, end int) error {
		if s.bits != nil {
			copy(s.bits[first:end], b.Bits[first:end])
		} else {
			b.Planes(s.x.data[first*net.InputSize:], first, end)
		}
		for i := first; i < end; i++ {
			if err := b.CheckTargets(heads, i); err != nil {
				return err
			}
			t.targets(s.batch.data, b, i, scales)
		}
		return nil
	})
}

// targets writes the targets and weights of a position. A target that is not a number leaves its output out of
// the loss.
func (t *Trainer) targets(to []float32, b *learn.Batch, i int, scales []float64) {
	unknown := math.Float32bits(float32(math.NaN()))
	for k, h := range t.network.heads {
		from := b.Targets[k]
		targets, values := to[h.targets+i*h.Size:][:h.Size], from.Values[i*h.Size:][:h.Size]
		copy(targets, values)
		if h.Loss == net.Policy {
			for j, legal := range b.Legal[i*game.NumActions:][:len(targets)] {
				v := math.Float32bits(targets[j])
				if !legal { // without a branch
					v = unknown
				}
				targets[j] = math.Float32frombits(v)
			}
		}
		to[h.weights+i] = float32(scales[k] * float64(from.Weight[i]))
	}
}

// parallel calls f for parts of n positions on several goroutines. It returns the error of the first part that has one.
func parallel(n int, f func(from, to int) error) error {
	workers := max(1, min(runtime.GOMAXPROCS(0), 8, n/32))
	errs := make([]error, workers)
	var all sync.WaitGroup
	for w := 1; w < workers; w++ {
		all.Go(func() { errs[w] = f(w*n/workers, (w+1)*n/workers) })
	}
	errs[0] = f(0, n/workers)
	all.Wait()
	return cmp.Or(errs...)
}
