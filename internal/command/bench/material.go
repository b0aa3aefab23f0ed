package bench

import (
	"math/rand/v2"
	"os"
	"path/filepath"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/learn"
	"warren/net"
	"warren/net/onnx"
)

// positions is the number of positions for evaluation and training. It is a multiple of every
// common batch size.
const positions = 4096

// material is the data that all programs use: a network, positions of random games, and a
// target policy and value for each position. It is also written to a directory for the other
// processes.
type material struct {
	network *net.Network
	batch   *learn.Batch // all positions
	games   []*game.Game // the same
	dir     string       // has network.safetensors, network.onnx, positions.safetensors
}

// newMaterial reads the network without its auxiliary heads, or, if path is empty, makes an
// untrained one of the architecture c.
func newMaterial(path string, c net.Config) (*material, error) {
	m := new(material)
	m.batch, m.games = randomBatch(1)
	var err error
	if path == "" {
		m.network, err = untrained(c, 1)
	} else {
		m.network, _, err = net.Load(path)
	}
	if err != nil {
		return nil, err
	}
	// The other programs compute and learn the policy and the value, which come first.
	m.network = m.network.WithoutAuxiliary()
	if m.dir, err = os.MkdirTemp("", "warren-bench-"); err != nil {
		return nil, err
	}
	if err := m.write(); err != nil {
		m.remove()
		return nil, err
	}
	return m, nil
}

// untrained returns a network that has learned nothing. In a new network the biases are zero and
// the last layers nearly zero. Here they are larger, to reveal differences between programs.
func untrained(c net.Config, seed uint64) (*net.Network, error) {
	n, err := net.New(c, seed)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, p := range n.Params {
		last := p.Name == "policy.step.weight" || p.Name == "policy.other.weight" || p.Name == "value.out.weight"
		for i := range p.Data {
			if last {
				p.Data[i] *= 10
			}
			if len(p.Shape) == 1 {
				p.Data[i] = float32(0.1 * rng.NormFloat64())
			}
		}
	}
	return n, nil
}

// randomBatch returns positions from random games, including setups, with targets like those
// of self-play: a distribution over the legal actions, and a won or lost game.
func randomBatch(seed uint64) (*learn.Batch, []*game.Game) {
	rng := rand.New(rand.NewPCG(seed, 2))
	b := learn.NewBatch(net.Config{}, positions)
	g := game.New()
	var games []*game.Game
	var legal []game.Action
	for i := range positions {
		// Play some actions, so that positions differ and games end.
		for range 1 + rng.IntN(40) {
			if legal = g.Legal(legal[:0]); len(legal) == 0 {
				g = game.New()
				continue
			}
			g.Play(legal[rng.IntN(len(legal))])
		}
		if legal = g.Legal(legal[:0]); len(legal) == 0 {
			g = game.New()
			legal = g.Legal(legal)
		}
		net.EncodeBits(g, &b.Bits[i])
		games = append(games, g.Clone())
		total := 0.0
		shares := make([]float64, len(legal))
		for j := range legal {
			shares[j] = rng.ExpFloat64()
			total += shares[j]
		}
		for j, a := range legal {
			at := i*game.NumActions + net.PolicyIndex(a, g.Side())
			b.Legal[at], b.Targets[0].Values[at] = true, float32(shares[j]/total)
		}
		b.Targets[0].Weight[i], b.Targets[1].Weight[i] = 1, 1
		b.Targets[1].Values[i] = float32(rng.IntN(2))
	}
	return b, games
}

func (m *material) write() error {
	if err := net.Save(filepath.Join(m.dir, "network.safetensors"), m.network, nil); err != nil {
		return err
	}
	if err := onnx.Save(filepath.Join(m.dir, "network.onnx"), m.network, nil); err != nil {
		return err
	}
	x, legal := make([]float32, positions*net.InputSize), make([]float32, len(m.batch.Legal))
	m.batch.Planes(x, 0, positions)
	for i, ok := range m.batch.Legal {
		if ok {
			legal[i] = 1
		}
	}
	return net.SaveTensors(filepath.Join(m.dir, "positions.safetensors"), []net.Tensor{
		{Name: "x", Shape: []int{positions, 8, 8, net.NumPlanes}, Data: x},
		{Name: "legal", Shape: []int{positions, game.NumActions}, Data: legal},
		{Name: "policy", Shape: []int{positions, game.NumActions}, Data: m.batch.Targets[0].Values},
		{Name: "value", Shape: []int{positions}, Data: m.batch.Targets[1].Values},
	}, nil)
}

func (m *material) remove() { os.RemoveAll(m.dir) }

// part returns the i-th batch of the given size, starting again after the last position.
func (m *material) part(i, size int) *learn.Batch {
	first := i % (positions / size) * size
	b := m.batch
	p := &learn.Batch{
		Bits:  b.Bits[first:][:size],
		Legal: b.Legal[first*game.NumActions:][:size*game.NumActions],
	}
	for _, t := range b.Targets {
		each := len(t.Values) / positions
		p.Targets = append(p.Targets, learn.Target{Values: t.Values[first*each:][:size*each], Weight: t.Weight[first:][:size]})
	}
	return p
}

// inputs returns those of part i.
func (m *material) inputs(i, size int) []net.Bits {
	return m.batch.Bits[i%(positions/size)*size:][:size]
}

// evaluation returns the positions of part i as a batch to evaluate.
func (m *material) evaluation(i, size int) *eval.Batch {
	b := new(eval.Batch)
	for _, g := range m.games[i%(positions/size)*size:][:size] {
		b.Add(g, g.Legal(nil))
	}
	return b
}
