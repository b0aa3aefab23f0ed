package device

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"warren/game"
	"warren/internal/compute"
	"warren/learn"
	"warren/learn/gpu"
	"warren/learn/graph"
	"warren/net"
)

// check compares the losses and the gradient of a few positions with the processor's. Drivers
// with a faulty compiler are found so.
func check(d compute.Device, n *net.Network) error {
	const positions = 4
	c := learn.DefaultConfig()
	c.Batch = positions
	// After one step from rest the momentum is the gradient.
	c.Optimizer = learn.OptimizerConfig{Method: learn.SGD}
	b := lesson(n.Config, positions)
	wanted, err := graph.New(n.Clone(), c)
	if err != nil {
		return err
	}
	defer wanted.Close()
	losses, want, err := gradient(wanted, b)
	if err != nil {
		return nil // the network is broken, not the device; learning says so
	}
	t, err := gpu.New(d, n.Clone(), c)
	if err != nil {
		return err
	}
	defer t.Close()
	others, got, err := gradient(t, b)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%s:%d (%s)", d.Info().Driver, d.Info().Number, d.Info().Name)
	for i, l := range losses {
		if off := math.Abs(others[i].Mean - l.Mean); !(off <= 1e-3*(1+l.Mean)) {
			return fmt.Errorf("%s is refused: the loss of %s differs from the processor's by %.2g; another driver may help", name, l.Head, off)
		}
	}
	// A unit that is at zero but for rounding passes its gradient here, and not there.
	const tolerance = 0.05
	size, off := 0.0, 0.0
	for i, v := range want {
		size += v * v
		off += (got[i] - v) * (got[i] - v)
	}
	if !(off <= tolerance*tolerance*size) {
		return fmt.Errorf("%s is refused: its gradient differs from the processor's by %.2g of its norm; another driver may help", name, math.Sqrt(off/size))
	}
	return nil
}

// gradient makes a step and returns the losses and the gradient.
func gradient(t learn.Trainer, b *learn.Batch) (learn.Losses, []float64, error) {
	losses, err := t.Step(b, 0)
	if err != nil {
		return nil, nil, err
	}
	state, err := t.State()
	if err != nil {
		return nil, nil, err
	}
	var all []float64
	for _, s := range state {
		if strings.HasPrefix(s.Name, "optimizer.momentum.") {
			for _, v := range s.Data {
				all = append(all, float64(v))
			}
		}
	}
	return losses, all, nil
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
		net.Encode(g, b.X[i*net.InputSize:])
		for _, a := range legal {
			b.Legal[i*game.NumActions+net.PolicyIndex(a, g.Side())] = true
		}
		for k, h := range heads {
			t := &b.Targets[k]
			t.Weight[i] = 1
			for j := range h.Size() {
				at := i*h.Size() + j
				switch {
				case h.Loss == net.Chances:
					t.Values[at] = 0.25
				case h.Loss == net.Shares:
					t.Values[at] = 1 / float32(h.Size())
				case b.Legal[at]:
					t.Values[at] = 1 / float32(len(legal))
				}
			}
		}
	}
	return b
}
