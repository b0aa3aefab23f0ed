package train

import (
	"math/rand/v2"

	"warren/data"
	"warren/game"
	"warren/learn"
	"warren/net"
)

// minibatch turns samples into what a trainer learns from. Its memory is used
// again.
type minibatch struct {
	heads    []net.Head
	batch    *learn.Batch
	samples  []data.Sample
	legal    []game.Action
	mirrored []float32
}

func newMinibatch(c net.Config, size int) *minibatch {
	return &minibatch{
		heads:    c.Heads(),
		batch:    learn.NewBatch(c, size),
		samples:  make([]data.Sample, size),
		mirrored: make([]float32, net.InputSize),
	}
}

// sample draws a batch from the window. It is valid until the next call.
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
	index := func(a game.Action) int {
		if s.Mirror {
			a = a.Mirror()
		}
		return net.PolicyIndex(a, side)
	}
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
		}
	}
}
