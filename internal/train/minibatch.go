package train

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"warren/data/replay"
	"warren/game"
	"warren/internal/learn"
	"warren/net"
)

// minibatch converts samples into batches for a trainer. All batches share its
// memory.
type minibatch struct {
	heads    []net.Head
	targets  []*replay.Target // by head, nil for the policy and the value
	batch    *learn.Batch
	samples  []replay.Sample
	encoders []*encoder
}

// encoder fills in positions of a minibatch, beside others on other cores: a graphics
// processor learns faster than one core replays games.
type encoder struct {
	*minibatch
	legal    []game.Action
	unturned []float32 // a target before it is turned to the network's view
}

// newMinibatch returns a minibatch of size positions for a network of
// architecture c. It fails if package replay has no target for an auxiliary head.
func newMinibatch(c net.Config, size int) (*minibatch, error) {
	m := &minibatch{
		heads:   c.Heads(),
		batch:   learn.NewBatch(c, size),
		samples: make([]replay.Sample, size),
	}
	m.targets = make([]*replay.Target, len(m.heads))
	largest := 0
	for k, h := range m.heads {
		largest = max(largest, h.Size)
		if !h.Auxiliary {
			continue
		}
		t := replay.FindTarget(h.Name)
		if t == nil || t.Size != h.Size {
			return nil, fmt.Errorf("the head %s has no target of %d numbers to learn", h.Name, h.Size)
		}
		m.targets[k] = t
	}
	for range min(size, runtime.GOMAXPROCS(0)) {
		m.encoders = append(m.encoders, &encoder{minibatch: m, unturned: make([]float32, largest)})
	}
	return m, nil
}

// sample draws a batch from the window. The batch is a new one, but its memory is valid until the next call only.
func (m *minibatch) sample(w *replay.Window, rng *rand.Rand) (*learn.Batch, error) {
	if err := w.Draw(rng, m.samples); err != nil {
		return nil, err
	}
	clear(m.batch.Legal)
	var next atomic.Int64
	var all sync.WaitGroup
	for _, e := range m.encoders {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(m.samples); i = int(next.Add(1)) - 1 {
				m.samples[i].Fill()
				e.encode(i, &m.samples[i])
			}
		})
	}
	all.Wait()
	b := *m.batch
	return &b, nil
}

// encode fills in position i of the batch.
func (e *encoder) encode(i int, s *replay.Sample) {
	side := s.Game.Side()
	index := func(a game.Action) int { return action(a, s.Mirror, side) }
	b := &e.batch.Bits[i]
	net.EncodeBits(s.Game, b)
	if s.Mirror {
		b.Mirror()
	}
	e.legal = s.Game.Legal(e.legal[:0])
	for _, a := range e.legal {
		e.batch.Legal[i*game.NumActions+index(a)] = true
	}
	for k, h := range e.heads {
		t := &e.batch.Targets[k]
		values := t.Values[i*h.Size:][:h.Size]
		switch h.Name {
		case "policy":
			clear(values)
			for _, p := range s.Policy {
				values[index(p.Action)] = p.Share
			}
			t.Weight[i] = s.PolicyWeight
		case "value":
			values[0], t.Weight[i] = s.Value, s.ValueWeight
		default:
			t.Weight[i] = e.auxiliary(e.targets[k], s, values)
		}
	}
}

// auxiliary sets values to a target of the sample, in the network's view of the
// board, and returns its weight.
func (e *encoder) auxiliary(t *replay.Target, s *replay.Sample, values []float32) (weight float32) {
	raw := e.unturned[:t.Size]
	weight = s.Target(t, raw)
	side := s.Game.Side()
	for j, v := range raw {
		switch t.Frame {
		case replay.Squares:
			values[j&^63|square(j&63, s.Mirror, side)] = v
		case replay.Actions:
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
