package gpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/internal/compute/kernels"
	"warren/learn"
	"warren/net"
)

// updater is a trainer of parameters that belong to no network.
func updater(t *testing.T, c learn.Config, params []net.Param) *Trainer {
	t.Helper()
	s, err := learn.NewState(&net.Network{Params: params}, c)
	if err != nil {
		t.Fatal(err)
	}
	m := open(guarded{device(t)}, kernels.Training())
	n := &network{tape: newTape(m, 1, s.Network.NumParams())}
	tr := &Trainer{config: c, memory: m, network: n, state: s, update: newUpdate(n, s, c)}
	t.Cleanup(func() {
		m.context.(*guardedContext).intact(t)
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := tr.upload(); err != nil {
		t.Fatal(err)
	}
	return tr
}

// use makes a step with a given gradient.
func (t *Trainer) use(gradient [][]float32, norm, rate float64) error {
	f, err := t.state.Optimizer.Begin(norm, rate)
	if err != nil {
		return err
	}
	all := t.update.transport
	copy(all.data, slices.Concat(gradient...))
	t.memory.write(&staging{all.Staging, t.network.gradient, all.data})
	t.update.step(f, t.state.Average.Begin())
	if err := t.wait(); err != nil {
		return err
	}
	return t.download()
}

// shapes are matrices that are tall, wide and square, and parameters that Muon leaves to Adam.
// One is so large that its squares and its Gram matrix are added in many parts.
var shapes = [][]int{{3, 3, 5, 7}, {7}, {6, 1}, {1, 5}, {3, 70}, {64, 64}, {150, 40}, {800, 90}}

// normal returns a tensor of each shape, whose elements have the given size.
func normal(r *rand.Rand, size float64) [][]float32 {
	var all [][]float32
	for _, s := range shapes {
		n := 1
		for _, d := range s {
			n *= d
		}
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(size * r.NormFloat64())
		}
		all = append(all, v)
	}
	return all
}

func paramsOf(data [][]float32) []net.Param {
	var params []net.Param
	for i, d := range data {
		params = append(params, net.Param{Name: string(rune('a' + i)), Shape: shapes[i], Data: slices.Clone(d)})
	}
	return params
}

func norm(gradient [][]float32) float64 {
	sum := 0.0
	for _, v := range slices.Concat(gradient...) {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

// apart returns the largest difference of two tensors.
func apart(a, b []float32) float64 {
	most := 0.0
	for i, v := range a {
		most = max(most, math.Abs(float64(v)-float64(b[i]))) // or not a number
	}
	return most
}

func muonConfig() learn.Config {
	c := config(1)
	c.Optimizer.Method, c.Optimizer.Momentum, c.Optimizer.WeightDecay = learn.Muon, 0.9, 0.1
	return c
}

// TestMuon compares steps with those of the processor for given gradients, some of which are clipped.
func TestMuon(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	begun, c := normal(r, 0.1), muonConfig()
	c.Optimizer.ClipNorm = 200
	params, others := paramsOf(begun), paramsOf(begun)
	tr := updater(t, c, params)
	o, err := learn.NewOptimizer(c.Optimizer, others)
	if err != nil {
		t.Fatal(err)
	}
	for step := range 6 {
		gradient := normal(r, 0.5+float64(step))
		rate := 0.01 * float64(step%3+1)
		if err := tr.use(gradient, norm(gradient), rate); err != nil {
			t.Fatal(err)
		}
		if err := o.Step(func(i int) []float32 { return gradient[i] }, rate); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range params {
		moved := apart(others[i].Data, begun[i])
		if off := apart(p.Data, others[i].Data); !(off <= 2e-4*moved) || moved == 0 {
			t.Errorf("the parameter of shape %v differs by %g after moving by %g", p.Shape, off, moved)
		}
	}
	want := o.State()
	for i, s := range tr.state.Optimizer.State() {
		if off, size := apart(s.Data, want[i].Data), apart(want[i].Data, make([]float32, len(s.Data))); s.Name != want[i].Name || !(off <= 1e-5*size) {
			t.Errorf("%s differs by %g of %g", s.Name, off, size)
		}
	}
}

// TestMuonRests has gradients that vanish, as those of a head that has nothing left to learn: its
// matrices come to rest.
func TestMuonRests(t *testing.T) {
	c := muonConfig()
	c.Optimizer.Momentum, c.Optimizer.WeightDecay = 0, 0
	r := rand.New(rand.NewPCG(4, 1))
	begun := normal(r, 0.1)
	params := paramsOf(begun)
	tr := updater(t, c, params)
	for _, size := range []float64{1e-13, 1e-30, 1e-38, 1e-42, 0} {
		gradient := normal(r, size)
		before := paramsOf(begun)
		for i, p := range params {
			copy(before[i].Data, p.Data)
		}
		if err := tr.use(gradient, norm(gradient), 0.1); err != nil {
			t.Fatal(err)
		}
		for i, p := range params {
			rows, columns, ok := learn.Flattened(p)
			usual := 0.1 * 0.2 * math.Sqrt(float64(max(rows, columns)))
			if moved := apart(p.Data, before[i].Data); ok && !(moved <= 0.02*usual) {
				t.Errorf("the matrix of shape %v moves by %g with a gradient of %g", p.Shape, moved, size)
			}
			if slices.ContainsFunc(p.Data, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }) {
				t.Fatalf("the parameter of shape %v is not finite after a gradient of %g", p.Shape, size)
			}
		}
	}
}
