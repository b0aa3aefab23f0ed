package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/internal/compute/kernels"
	"warren/internal/learn"
	"warren/internal/nettest"
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
	n := &network{tape: newTape(m, 1, s.Network.NumParams()), results: m.staged(1)}
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
	f := t.state.Optimizer.Next(rate)
	f.Clip = 1
	if most := t.config.Optimizer.ClipNorm; most > 0 && norm > most {
		f.Clip = float32(most / norm)
	}
	if err := t.state.Optimizer.Count(norm); err != nil {
		return err
	}
	all := t.update.transport
	copy(all.data, slices.Concat(gradient...))
	t.memory.write(&staging{all.Staging, t.network.gradient, all.data})
	t.update.prepare(f, t.state.Average.Next())
	t.memory.launch(slices.Concat(t.update.launches, t.update.beside, t.update.last)...)
	t.state.Average.Count()
	if err := t.wait(); err != nil {
		return err
	}
	return t.download()
}

// shapes are matrices that are tall, wide and square, and parameters that Muon leaves to Adam.
// One is so large that its squares and its Gram matrix are added in many parts. There are batches
// of one, two, three and five matrices, most of them both tall and wide.
var shapes = [][]int{{3, 3, 5, 7}, {7}, {6, 1}, {1, 5}, {3, 70}, {64, 64}, {150, 40}, {800, 90},
	{70, 3}, {7, 45}, {5, 9, 7}, {40, 150}, {9}, {3, 70}, {7, 45}, {45, 7}}

// normal returns a tensor of each shape, whose elements have the given size.
func normal(r *rand.Rand, shapes [][]int, size float64) [][]float32 {
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

func paramsOf(shapes [][]int, data [][]float32) []net.Param {
	var params []net.Param
	for i, d := range data {
		params = append(params, net.Param{Name: fmt.Sprint(i), Shape: shapes[i], Data: slices.Clone(d)})
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
	begun, c := normal(r, shapes, 0.1), muonConfig()
	c.Optimizer.ClipNorm = 200
	params, others := paramsOf(shapes, begun), paramsOf(shapes, begun)
	tr := updater(t, c, params)
	o, err := learn.NewOptimizer(c.Optimizer, others)
	if err != nil {
		t.Fatal(err)
	}
	for step := range 6 {
		gradient := normal(r, shapes, 0.5+float64(step))
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

// TestMuonTogether changes each matrix alone: the same bits as with all others.
func TestMuonTogether(t *testing.T) {
	const many = 70
	for name, c := range map[string]struct {
		shapes [][]int
		alone  []int // those compared
	}{
		"mixed": {shapes, []int{0, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15}},
		"many":  {slices.Repeat([][]int{{2, 2}}, many), []int{0, 1, many - 1}},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 1))
			begun := normal(r, c.shapes, 0.1)
			gradients := [][][]float32{normal(r, c.shapes, 1), normal(r, c.shapes, 2)}
			learned := func(parts ...int) ([]net.Param, []net.Tensor) {
				pick := func(from [][]float32) (picked [][]float32) {
					for _, i := range parts {
						picked = append(picked, from[i])
					}
					return picked
				}
				var shapes [][]int
				for _, i := range parts {
					shapes = append(shapes, c.shapes[i])
				}
				params := paramsOf(shapes, pick(begun))
				tr := updater(t, muonConfig(), params)
				for _, g := range gradients {
					if err := tr.use(pick(g), norm(g), 0.01); err != nil {
						t.Fatal(err)
					}
				}
				return params, tr.state.Optimizer.State()
			}
			every := make([]int, len(c.shapes))
			for i := range every {
				every[i] = i
			}
			params, moments := learned(every...)
			for _, i := range c.alone {
				alone, moment := learned(i)
				if !slices.Equal(alone[0].Data, params[i].Data) {
					t.Errorf("matrix %d, of shape %v, differs by %g when it is alone", i, c.shapes[i], apart(alone[0].Data, params[i].Data))
				}
				if !slices.Equal(moment[0].Data, moments[i].Data) {
					t.Errorf("the momentum of matrix %d, of shape %v, differs when it is alone", i, c.shapes[i])
				}
				if slices.Equal(alone[0].Data, begun[i]) {
					t.Errorf("matrix %d, of shape %v, has not moved", i, c.shapes[i])
				}
			}
		})
	}
}

// TestMuonMatrices has the largest matrices that Warren has had, those of 20x256: each has memory of its
// own, and parts need no more memory than the matrices.
func TestMuonMatrices(t *testing.T) {
	shapes := slices.Concat([][]int{{5, 7}}, slices.Repeat([][]int{{3, 3, 256, 256}, {256}}, 40), [][]int{{700, 5}})
	var params []net.Param
	data := make([]float32, 3*3*256*256) // of all, which nothing reads
	for _, s := range shapes {
		n := 1
		for _, d := range s {
			n *= d
		}
		params = append(params, net.Param{Shape: s, Data: data[:n]})
	}
	m := matricesOf(params)
	if len(m.table) != 8*m.count || m.count != 42 || m.parts > m.x || m.largest.x > 4096 || m.largest.parts > 4096 {
		t.Errorf("%d matrices: %d numbers in x, %d in parts, and the largest needs %+v groups", m.count, m.x, m.parts, m.largest)
	}
	var x, square, parts, sums, at int32
	for row := range slices.Chunk(m.table, 8) {
		rows, columns, narrow := row[1], row[2], min(row[1], row[2])
		if row[0] < at || row[3] != x || row[4] != square || row[5] != parts || row[7] != sums {
			t.Fatalf("the places are %v, after %d, %d, %d, %d and %d", row, at, x, square, parts, sums)
		}
		at, x, square, parts, sums = row[0]+rows*columns, x+rows*columns, square+narrow*narrow, parts+row[6]*narrow*narrow, sums+(rows*columns+1023)/1024
	}
	if int(x) != m.x || int(square) != m.squares || int(parts) != m.parts || int(sums) != m.sums {
		t.Errorf("the memory is of %d, %d, %d and %d numbers", m.x, m.squares, m.parts, m.sums)
	}
}

// TestLaunches counts the launches of a step of the climb's network (docs/climb/stage-10.yaml), which
// take a large device most of the time of a small minibatch.
func TestLaunches(t *testing.T) {
	n := nettest.New(t, net.Config{Blocks: 6, Channels: 64, PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 64,
		Auxiliary: "stopped survival moves_left reply values"}, 1)
	c := muonConfig()
	c.EMADecay = 0.998
	tr := newTrainer(t, device(t), n, c)
	passes, update := len(tr.network.forward)+len(tr.network.backward)+1, len(slices.Concat(tr.update.launches, tr.update.beside, tr.update.last))
	if passes > 193 || update > 20 {
		t.Errorf("both passes and the norm have %d launches, and the update has %d", passes, update)
	}
}

// TestMuonRests has gradients that vanish, as those of a head that has nothing left to learn: its
// matrices come to rest.
func TestMuonRests(t *testing.T) {
	c := muonConfig()
	c.Optimizer.Momentum, c.Optimizer.WeightDecay = 0, 0
	r := rand.New(rand.NewPCG(4, 1))
	begun := normal(r, shapes, 0.1)
	params := paramsOf(shapes, begun)
	tr := updater(t, c, params)
	for _, size := range []float64{1e-13, 1e-30, 1e-38, 1e-42, 0} {
		gradient := normal(r, shapes, size)
		before := paramsOf(shapes, begun)
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
