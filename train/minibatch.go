package train

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"warren/data"
	"warren/game"
	"warren/learn"
	"warren/net"
)

// minibatch converts samples into batches for a trainer. All batches share its
// memory.
type minibatch struct {
	heads    []net.Head
	targets  []*data.Target // by head, nil for the policy and the value
	batch    *learn.Batch
	samples  []data.Sample
	legal    []game.Action
	mirrored []float32
	unturned []float32 // a target before it is turned to the network's view
}

// newMinibatch returns a minibatch of size positions for a network of
// architecture c. It fails if package data has no target for an auxiliary head.
func newMinibatch(c net.Config, size int) (*minibatch, error) {
	m := &minibatch{
		heads:    c.Heads(),
		batch:    learn.NewBatch(c, size),
		samples:  make([]data.Sample, size),
		mirrored: make([]float32, net.InputSize),
	}
	m.targets = make([]*data.Target, len(m.heads))
	for k, h := range m.heads {
		if !h.Auxiliary {
			continue
		}
		t := data.FindTarget(h.Name)
		if t == nil || t.Size != h.Size() {
			return nil, fmt.Errorf("the head %s has no target of %d numbers to learn", h.Name, h.Size())
		}
		m.targets[k] = t
		m.unturned = slices.Grow(m.unturned, t.Size)
	}
	return m, nil
}

// sample draws a batch from the window. The batch is valid until the next call.
func (m *minibatch) sample(w *data.Window, rng *rand.Rand) (*learn.Batch, error) {
	if err := w.Sample(rng, m.samples); err != nil {
		return nil, err
	}
	clear(m.batch.Legal)
	for i := range m.samples {
		m.encode(i, &m.samples[i])
	}
	return m.batch, nil
}

// encode fills in position i of the batch.
func (m *minibatch) encode(i int, s *data.Sample) {
	side := s.Game.Side()
	index := func(a game.Action) int { return action(a, s.Mirror, side) }
	x := m.batch.X[i*net.InputSize:][:net.InputSize]
	if s.Mirror {
		net.Encode(s.Game, m.mirrored)
		net.MirrorInput(m.mirrored, x)
	} else {
		net.Encode(s.Game, x)
	}
	m.legal = s.Game.Legal(m.legal[:0])
	for _, a := range m.legal {
		m.batch.Legal[i*game.NumActions+index(a)] = true
	}
	for k, h := range m.heads {
		t := &m.batch.Targets[k]
		values := t.Values[i*h.Size():][:h.Size()]
		switch h.Name {
		case "policy":
			clear(values)
			for j, a := range s.Actions {
				values[index(a)] = s.Policy[j]
			}
			t.Weight[i] = s.PolicyWeight
		case "value":
			values[0], t.Weight[i] = s.Value, s.ValueWeight
		default:
			t.Weight[i] = m.auxiliary(m.targets[k], s, values)
		}
	}
}

// auxiliary sets values to a target of the sample, in the network's view of the
// board, and returns its weight.
func (m *minibatch) auxiliary(t *data.Target, s *data.Sample, values []float32) (weight float32) {
	raw := m.unturned[:t.Size]
	weight = s.Target(t, raw)
	side := s.Game.Side()
	for j, v := range raw {
		switch t.Frame {
		case data.Squares:
			values[j&^63|square(j&63, s.Mirror, side)] = v
		case data.Actions:
			values[action(game.Action(j), s.Mirror, side)] = v
		default:
			values[j] = v
		}
	}
	return weight
}

// action returns the policy index of an action in the network's view of the board.
func action(a game.Action, mirror bool, side game.Color) int {
	if mirror {
		a = a.Mirror()
	}
	return net.PolicyIndex(a, side)
}

// square returns the index of a square in the network's view of the board.
func square(s int, mirror bool, side game.Color) int {
	if mirror {
		s ^= 7
	}
	if side == game.Silver {
		s ^= 56
	}
	return s
}
