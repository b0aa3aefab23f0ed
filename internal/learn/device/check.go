package device

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"warren/game"
	"warren/internal/compute"
	"warren/internal/learn"
	"warren/internal/learn/gpu"
	"warren/internal/learn/graph"
	"warren/net"
)

// tolerances are the largest differences that the losses, and the gradient as a fraction of its norm, may have from
// the processor's. In bf16 every board and its gradient are rounded to 8 bits, which adds up over the layers.
var tolerances = map[gpu.Precision]struct{ loss, gradient float64 }{
	gpu.FP32: {1e-3, 0.05},
	gpu.BF16: {2e-2, 0.25},
}

// check compares the losses and the gradient of a few positions with the processor's, and also the
// step that the optimiser makes with that gradient, by the kernels that c has. This finds drivers with a faulty compiler.
func check(d compute.Device, n *net.Network, c learn.Config, p gpu.Precision) error {
	const positions = 4
	allowed := tolerances[p]
	if p == gpu.BF16 {
		// The gradient of a trained network is small next to its rounding.
		fresh, err := net.New(n.Config, 1)
		if err != nil {
			return err
		}
		n = fresh
	}
	refused := func(what string, off float64) error {
		return fmt.Errorf("%s:%d (%s) is refused: %s differs from the processor's by %.2g; another driver may help", d.Info().Driver, d.Info().Number, d.Info().Name, what, off)
	}
	plain := learn.DefaultConfig()
	plain.Batch, plain.EMADecay, plain.DormantResetInterval = positions, 0, 0
	// After one step from rest the momentum is the gradient.
	plain.Optimizer = learn.OptimizerConfig{Method: learn.SGD}
	b := lesson(n.Config, positions)
	wanted, err := graph.New(n.Clone(), plain)
	if err != nil {
		return err
	}
	defer wanted.Close()
	losses, state, err := step(wanted, b, 0)
	if err != nil {
		return nil // the network is broken, not the device; learning says so
	}
	t, err := gpu.NewLike(d, n.Clone(), plain, p, c.Batch)
	if err != nil {
		return err
	}
	defer t.Close()
	others, otherState, err := step(t, b, 0)
	if err != nil {
		return err
	}
	for i, l := range losses {
		if off := math.Abs(others[i].Mean - l.Mean); !(off <= allowed.loss*(1+l.Mean)) {
			return refused("the loss of "+l.Head, off)
		}
	}
	want, got := momenta(state), momenta(otherState)
	// A unit whose result is zero up to rounding may pass its gradient on one side and not on the
	// other.
	if off := difference(got, want); !(off <= allowed.gradient) {
		return refused("its gradient, as a fraction of the norm,", off)
	}
	plain.Optimizer = c.Optimizer
	off, err := stepError(d, n, plain, b, got, p, c.Batch)
	if err == nil && !(off <= 0.02) {
		err = refused("a step of "+c.Optimizer.Method+", as a fraction of its length,", off)
	}
	return err
}

// stepError returns how far a step of the device is from one of the processor, as a fraction of its
// length. The gradient is the device's for b.
func stepError(d compute.Device, n *net.Network, c learn.Config, b *learn.Batch, gradient []net.Tensor, p gpu.Precision, minibatch int) (float64, error) {
	const rate = 0.01
	wanted := n.Clone()
	o, err := learn.NewOptimizer(c.Optimizer, wanted.Params)
	if err != nil {
		return 0, err
	}
	if err := o.Step(func(i int) []float32 { return gradient[i].Data }, rate); err != nil {
		return 0, err
	}
	t, err := gpu.NewLike(d, n.Clone(), c, p, minibatch)
	if err != nil {
		return 0, err
	}
	defer t.Close()
	_, state, err := step(t, b, rate)
	if err != nil {
		return 0, err
	}
	return difference(change(state, n.Params), change(wanted.Params, n.Params)), nil
}

// change returns by how much the parameters have changed.
func change(after, before []net.Tensor) (by []net.Tensor) {
	for i, p := range before {
		c := net.Tensor{Data: make([]float32, len(p.Data))}
		for j, v := range p.Data {
			c.Data[j] = after[i].Data[j] - v
		}
		by = append(by, c)
	}
	return by
}

// step makes a step and returns the losses and the state after it.
func step(t learn.Trainer, b *learn.Batch, rate float64) (learn.Losses, []net.Tensor, error) {
	losses, err := t.Step(b, rate)
	if err != nil {
		return nil, nil, err
	}
	state, err := t.State()
	return losses, state, err
}

// momenta returns the tensors of momentum in a state.
func momenta(state []net.Tensor) []net.Tensor {
	return slices.DeleteFunc(state, func(s net.Tensor) bool { return !strings.HasPrefix(s.Name, "optimizer.momentum.") })
}

// difference returns the distance between tensors, as a fraction of the norm of those wanted.
func difference(got, want []net.Tensor) float64 {
	size, off := 0.0, 0.0
	for i, t := range want {
		for j, v := range t.Data {
			d := float64(got[i].Data[j]) - float64(v)
			size += float64(v) * float64(v)
			off += d * d
		}
	}
	return math.Sqrt(off / size)
}

// lesson is a batch of positions from random games, one of each phase, with even targets for
// every head.
func lesson(c net.Config, size int) *learn.Batch {
	b, heads := learn.NewBatch(c, size), c.Heads()
	for i := range size {
		g, rng := game.New(), rand.New(rand.NewPCG(uint64(i), 5))
		legal := g.Legal(nil)
		for range i * 20 {
			next := g.Clone()
			next.Play(legal[rng.IntN(len(legal))])
			if next.Result().Over() {
				break
			}
			g, legal = next, next.Legal(nil)
		}
		net.EncodeBits(g, &b.Bits[i])
		for _, a := range legal {
			b.Legal[i*game.NumActions+net.PolicyIndex(a, g.Side())] = true
		}
		for k, h := range heads {
			t := &b.Targets[k]
			t.Weight[i] = 1
			for j := range h.Size {
				at := i*h.Size + j
				switch {
				case h.Activation == net.Logistic:
					t.Values[at] = 0.25
				case h.Activation == net.Softmax:
					t.Values[at] = 1 / float32(h.Size)
				case b.Legal[at]:
					t.Values[at] = 1 / float32(len(legal))
				}
			}
		}
	}
	return b
}
