package learn

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warren/net"
)

// weights returns two small parameters, one of them a bias.
func weights(seed uint64) []net.Param {
	r := rand.New(rand.NewPCG(seed, 1))
	params := []net.Param{
		{Name: "a.weight", Shape: []int{3, 4}, Data: make([]float32, 12)},
		{Name: "a.bias", Shape: []int{4}, Data: make([]float32, 4)},
	}
	for _, p := range params {
		for i := range p.Data {
			p.Data[i] = float32(r.NormFloat64())
		}
	}
	return params
}

// slopes returns the gradients of step t.
func slopes(t int) func(i int) []float32 {
	r := rand.New(rand.NewPCG(uint64(t), 2))
	g := [][]float32{make([]float32, 12), make([]float32, 4)}
	for _, v := range g {
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
	}
	return func(i int) []float32 { return g[i] }
}

func configOf(method string) OptimizerConfig {
	c := defaultOptimizerConfig()
	c.Method = method
	return c
}

func mustOptimizer(t *testing.T, c OptimizerConfig, params []net.Param) Optimizer {
	t.Helper()
	o, err := NewOptimizer(c, params)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// stepsOf returns the number of updates that an optimiser's state counts.
func stepsOf(t *testing.T, o Optimizer) int64 {
	t.Helper()
	state := o.State()
	n, err := count(state[len(state)-1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The formulas of the papers, in float64.
func TestOptimizerFollowsThePapers(t *testing.T) {
	for _, method := range []string{SGD, Adam} {
		for _, clip := range []float64{0, 2, 100} {
			c := configOf(method)
			c.ClipNorm, c.WeightDecay, c.Epsilon = clip, 0.1, 0.1
			params := weights(1)
			o := mustOptimizer(t, c, params)
			var w, m, v [2][]float64
			for i, p := range params {
				w[i], m[i], v[i] = make([]float64, len(p.Data)), make([]float64, len(p.Data)), make([]float64, len(p.Data))
				for j, x := range p.Data {
					w[i][j] = float64(x)
				}
			}
			for step := 1; step <= 20; step++ {
				rate := 0.01 * float64(step%3+1)
				grad := slopes(step)
				norm := 0.0
				for i := range w {
					for _, g := range grad(i) {
						norm += float64(g) * float64(g)
					}
				}
				norm = math.Sqrt(norm)
				scale := 1.0
				if clip > 0 && norm > clip {
					scale = clip / norm
				}
				for i := range w {
					decay := c.WeightDecay
					if i == 1 {
						decay = 0
					}
					for j, x := range grad(i) {
						g := scale * float64(x)
						if method == SGD {
							m[i][j] = c.Momentum*m[i][j] + g + decay*w[i][j]
							w[i][j] -= rate * m[i][j]
							continue
						}
						m[i][j] = beta1*m[i][j] + (1-beta1)*g
						v[i][j] = beta2*v[i][j] + (1-beta2)*g*g
						mHat := m[i][j] / (1 - math.Pow(beta1, float64(step)))
						vHat := v[i][j] / (1 - math.Pow(beta2, float64(step)))
						w[i][j] -= rate * (mHat/(math.Sqrt(vHat)+c.Epsilon) + decay*w[i][j])
					}
				}
				if err := o.Step(grad, rate); err != nil {
					t.Fatal(err)
				}
				if n := stepsOf(t, o); n != int64(step) {
					t.Fatalf("%s: %d steps, want %d", method, n, step)
				}
			}
			for i, p := range params {
				for j, x := range p.Data {
					if math.Abs(float64(x)-w[i][j]) > 1e-5 {
						t.Errorf("%s, clipped to %g: %s[%d] is %g, want %g", method, clip, p.Name, j, x, w[i][j])
					}
				}
			}
		}
	}
}

func TestOptimizerGoesOnAfterRestore(t *testing.T) {
	for _, method := range []string{SGD, Adam, Muon} {
		params := weights(1)
		o := mustOptimizer(t, configOf(method), params)
		step := func(o Optimizer, t0 *testing.T, i int) {
			if err := o.Step(slopes(i), 0.01); err != nil {
				t0.Fatal(err)
			}
		}
		for i := range 7 {
			step(o, t, i)
		}
		path := filepath.Join(t.TempDir(), "state")
		if err := net.SaveTensors(path, append(slices.Clone(params), o.State()...), nil); err != nil {
			t.Fatal(err)
		}
		for i := range 7 {
			step(o, t, 7+i)
		}

		saved, _, err := net.LoadTensors(path)
		if err != nil {
			t.Fatal(err)
		}
		again := weights(99)
		var state []net.Tensor
		for _, s := range saved {
			if i := slices.IndexFunc(again, func(p net.Param) bool { return p.Name == s.Name }); i >= 0 {
				copy(again[i].Data, s.Data)
			} else {
				state = append(state, s)
			}
		}
		o2 := mustOptimizer(t, configOf(method), again)
		step(o2, t, 1234) // must leave no trace
		for i, s := range saved {
			if i < len(again) {
				copy(again[slices.IndexFunc(again, func(p net.Param) bool { return p.Name == s.Name })].Data, s.Data)
			}
		}
		if err := o2.Restore(state); err != nil {
			t.Fatal(err)
		}
		for i := range 7 {
			step(o2, t, 7+i)
		}
		for i := range params {
			if !slices.Equal(params[i].Data, again[i].Data) {
				t.Errorf("%s: %s differs from an uninterrupted run", method, params[i].Name)
			}
		}
		if n, want := stepsOf(t, o2), stepsOf(t, o); n != want {
			t.Errorf("%s: %d steps, uninterrupted %d", method, n, want)
		}
	}
}

func TestOptimizerCountsFar(t *testing.T) {
	o := mustOptimizer(t, configOf(SGD), weights(1))
	for _, n := range []int64{0, counterRadix - 1, counterRadix, 1<<24 + 1, 1e12 + 7} {
		o.(*sgd).steps = n
		o2 := mustOptimizer(t, configOf(SGD), weights(1))
		if err := o2.Restore(o.State()); err != nil {
			t.Fatal(err)
		}
		if got := o2.(*sgd).steps; got != n {
			t.Errorf("%d steps, restored %d", n, got)
		}
	}
}

func TestOptimizerRefusesForeignState(t *testing.T) {
	fresh := func() []net.Tensor { return mustOptimizer(t, configOf(Adam), weights(1)).State() }
	for _, c := range []struct {
		want  string
		state []net.Tensor
	}{
		{"missing", fresh()[1:]},
		{"missing", nil},
		{"not part", append(fresh(), net.Tensor{Name: "stem.weight", Shape: []int{1}, Data: []float32{1}})},
		{"not part", mustOptimizer(t, configOf(SGD), weights(1)).State()},
		{"has shape", append(fresh()[1:], net.Tensor{Name: fresh()[0].Name, Shape: []int{4, 3}, Data: make([]float32, 12)})},
		{"not a step counter", append(fresh()[:4], net.Tensor{Name: stepsTensor, Shape: []int{2}, Data: []float32{0, -1}})},
		{"not a step counter", append(fresh()[:4], net.Tensor{Name: stepsTensor, Shape: []int{2}, Data: []float32{float32(math.NaN()), 1}})},
	} {
		o := mustOptimizer(t, configOf(Adam), weights(1))
		if err := o.Step(slopes(1), 0.1); err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(o.State()[0].Data)
		err := o.Restore(c.state)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
		if stepsOf(t, o) != 1 || !slices.Equal(before, o.State()[0].Data) {
			t.Errorf("%s: the state was changed", c.want)
		}
	}
}

func TestOptimizerRefusesGradients(t *testing.T) {
	for _, method := range []string{SGD, Adam, Muon} {
		params := weights(1)
		o := mustOptimizer(t, configOf(method), params)
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			g := [][]float32{make([]float32, 12), {0, 0, 0, float32(bad)}}
			if err := o.Step(func(i int) []float32 { return g[i] }, 0.1); !errors.Is(err, ErrDiverged) {
				t.Errorf("%s: gradient %g: error %v", method, bad, err)
			}
		}
		if err := o.Step(func(i int) []float32 { return nil }, 0.1); err == nil {
			t.Errorf("%s: no gradients, no error", method)
		}
		for i, p := range weights(1) {
			if !slices.Equal(p.Data, params[i].Data) || stepsOf(t, o) != 0 {
				t.Errorf("%s: %s was changed", method, p.Name)
			}
		}
	}
	if _, err := NewOptimizer(configOf("newton"), weights(1)); err == nil {
		t.Error("an optimiser of an unknown method")
	}
}
