package train

import (
	"fmt"
	"math/rand/v2"

	"warren/data"
	"warren/game"
	"warren/net"
)

// learner trains one network on samples of the replay window.
type learner struct {
	config    LearnerConfig
	seed      uint64
	network   *net.Network
	graph     *net.Graph
	optimizer Optimizer
	batch     *net.Batch
	samples   []data.Sample
	legal     []game.Action
	mirrored  []float32
}

func newLearner(c *Config, n *net.Network) (*learner, error) {
	graph, err := net.NewGraph(n, c.Learner.Batch)
	if err != nil {
		return nil, err
	}
	graph.ValueScale = c.Learner.ValueWeight
	optimizer, err := NewOptimizer(c.Learner.Optimizer, n.Params)
	if err != nil {
		return nil, err
	}
	return &learner{
		config: c.Learner, seed: c.Seed, network: n, graph: graph, optimizer: optimizer,
		batch:    net.NewBatch(c.Learner.Batch),
		samples:  make([]data.Sample, c.Learner.Batch),
		mirrored: make([]float32, net.InputSize),
	}, nil
}

// Random numbers of the learner, apart from those of games and matches.
const (
	trainStream   = 1 << 62
	heldOutStream = 1 << 63
)

// train makes one step on a minibatch. Which samples it holds depends on the
// seed, the step's number and the window alone.
func (l *learner) train(w *data.Window, step int64, rate float64) (net.Losses, error) {
	if err := l.fill(w, rand.New(rand.NewPCG(l.seed, trainStream|uint64(step)))); err != nil {
		return net.Losses{}, err
	}
	losses, err := l.graph.Gradients(l.batch)
	if err != nil {
		return net.Losses{}, fmt.Errorf("training step %d: %w", step, err)
	}
	if err := l.optimizer.Step(l.graph.Gradient, rate); err != nil {
		return net.Losses{}, fmt.Errorf("training step %d: %w", step, err)
	}
	return losses, nil
}

// measure returns the losses on samples of a window, which is not trained on.
func (l *learner) measure(w *data.Window) (mean meanLosses, err error) {
	rng := rand.New(rand.NewPCG(l.seed, heldOutStream))
	for range (l.config.HeldOut + l.config.Batch - 1) / l.config.Batch {
		if err := l.fill(w, rng); err != nil {
			return mean, err
		}
		losses, err := l.graph.Losses(l.batch)
		if err != nil {
			return mean, fmt.Errorf("measuring the losses on held-out games: %w", err)
		}
		mean.add(losses)
	}
	return mean, nil
}

func (l *learner) fill(w *data.Window, rng *rand.Rand) error {
	if err := w.Sample(rng, l.samples); err != nil {
		return err
	}
	b := l.batch
	clear(b.Legal)
	clear(b.Policy)
	for i := range l.samples {
		s := &l.samples[i]
		side := s.Game.Side()
		index := func(a game.Action) int {
			if s.Mirror {
				a = a.Mirror()
			}
			return i*game.NumActions + net.PolicyIndex(a, side)
		}
		x := b.X[i*net.InputSize:][:net.InputSize]
		if s.Mirror {
			net.Encode(s.Game, l.mirrored)
			net.MirrorInput(l.mirrored, x)
		} else {
			net.Encode(s.Game, x)
		}
		l.legal = s.Game.Legal(l.legal[:0])
		for _, a := range l.legal {
			b.Legal[index(a)] = true
		}
		for j, a := range s.Actions {
			b.Policy[index(a)] = s.Policy[j]
		}
		b.PolicyWeight[i] = s.PolicyWeight
		b.Value[i] = s.Value
		b.ValueWeight[i] = s.ValueWeight
	}
	return nil
}

// tensors is all that a checkpoint has to hold: weights and moments.
func (l *learner) tensors() []net.Tensor {
	var all []net.Tensor
	all = append(all, l.network.Params...)
	return append(all, l.optimizer.State()...)
}

// restore takes over what tensors gave.
func (l *learner) restore(tensors []net.Tensor) error {
	byName := map[string]net.Tensor{}
	for _, t := range tensors {
		byName[t.Name] = t
	}
	for _, p := range l.network.Params {
		t, ok := byName[p.Name]
		if !ok || len(t.Data) != len(p.Data) {
			return fmt.Errorf("the weights %q are missing or of another size", p.Name)
		}
		delete(byName, p.Name)
	}
	var moments []net.Tensor
	for _, t := range tensors {
		if _, ok := byName[t.Name]; ok {
			moments = append(moments, t)
		}
	}
	if err := l.optimizer.Restore(moments); err != nil {
		return err
	}
	for _, t := range tensors {
		if p := l.network.Param(t.Name); p != nil {
			copy(p.Data, t.Data)
		}
	}
	return nil
}

func (l *learner) close() error { return l.graph.Close() }

// meanLosses averages the losses of several minibatches by their weights.
type meanLosses struct{ policy, value, policyWeight, valueWeight float64 }

func (m *meanLosses) add(l net.Losses) {
	m.policy += l.Policy * l.PolicyWeight
	m.policyWeight += l.PolicyWeight
	m.value += l.Value * l.ValueWeight
	m.valueWeight += l.ValueWeight
}

// Policy returns the mean policy loss, NaN if nothing was added.
func (m *meanLosses) Policy() float64 { return m.policy / m.policyWeight }

// Value returns the mean value loss, NaN if nothing was added.
func (m *meanLosses) Value() float64 { return m.value / m.valueWeight }
