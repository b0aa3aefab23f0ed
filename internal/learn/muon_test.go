package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/internal/kernel"
	"warren/net"
)

// frame returns columns orthonormal vectors of length rows, [column][row].
func frame(r *rand.Rand, rows, columns int) [][]float64 {
	var q [][]float64
	for range columns {
		v := make([]float64, rows)
		for i := range v {
			v[i] = r.NormFloat64()
		}
		for range 2 { // twice, because once leaves rounding errors
			for _, u := range q {
				dot := 0.0
				for i := range v {
					dot += u[i] * v[i]
				}
				for i := range v {
					v[i] -= dot * u[i]
				}
			}
		}
		norm := 0.0
		for _, x := range v {
			norm += x * x
		}
		for i := range v {
			v[i] /= math.Sqrt(norm)
		}
		q = append(q, v)
	}
	return q
}

// compose returns the matrix with the given singular vectors and values.
func compose(left, right [][]float64, values []float64) []float64 {
	rows, columns := len(left[0]), len(right[0])
	m := make([]float64, rows*columns)
	for k, v := range values {
		for i := range rows {
			for j := range columns {
				m[i*columns+j] += v * left[k][i] * right[k][j]
			}
		}
	}
	return m
}

// The iteration keeps the singular vectors, and applies the polynomial of the paper five times
// to each singular value.
func TestOrthogonal(t *testing.T) {
	for _, path := range kernel.Paths() {
		for _, c := range []struct{ rows, columns int }{{3, 2}, {2, 3}, {36, 8}, {64, 64}, {360, 32}, {17, 33}, {5, 1}} {
			r := rand.New(rand.NewPCG(uint64(c.rows), uint64(c.columns)))
			rank := min(c.rows, c.columns)
			left, right := frame(r, c.rows, rank), frame(r, c.columns, rank)
			values, sum := make([]float64, rank), 0.0
			for i := range values {
				values[i] = math.Exp(2 * r.NormFloat64())
				sum += values[i] * values[i]
			}
			given := compose(left, right, values)
			for i, s := range values {
				s /= math.Sqrt(sum)
				for range 5 {
					s = 3.4445*s - 4.7750*s*s*s + 2.0315*s*s*s*s*s
				}
				values[i] = s
				if s > 1.3 {
					t.Fatalf("a singular value of %g", s)
				}
			}
			want := compose(left, right, values)
			o := newOrthogonal(path, c.rows, c.columns)
			for range 2 { // the second time with memory that was used
				for i, v := range given {
					o.set(i, float32(v))
				}
				o.iterate()
				for i, w := range want {
					if got := float64(o.at(i)); math.Abs(got-w) > 2e-4 {
						t.Fatalf("%s, %d x %d: element %d is %g, want %g", path.Name, c.rows, c.columns, i, got, w)
					}
				}
			}
			for i := range given {
				o.set(i, 0)
			}
			o.iterate()
			for i := range given {
				if o.at(i) != 0 {
					t.Fatalf("%s, %d x %d: zeros become %g", path.Name, c.rows, c.columns, o.at(i))
				}
			}
		}
	}
}

// The formulas of the papers in float64, with the matrices made orthogonal by type
// orthogonal. The bias and the matrix of one output are Adam's.
func TestMuonFollowsThePapers(t *testing.T) {
	shapes := [][]int{{3, 3, 8, 4}, {4}, {6, 1}}
	r := rand.New(rand.NewPCG(1, 3))
	fill := func() (params []net.Param) {
		for i, s := range shapes {
			p := net.Param{Name: string(rune('a' + i)), Shape: s, Data: make([]float32, product(s))}
			for j := range p.Data {
				p.Data[j] = float32(r.NormFloat64())
			}
			params = append(params, p)
		}
		return params
	}
	params := fill()
	byAdam := []net.Param{}
	for _, p := range params[1:] {
		p.Data = slices.Clone(p.Data)
		byAdam = append(byAdam, p)
	}
	c := configOf(Muon)
	c.Momentum, c.WeightDecay, c.ClipNorm = 0.95, 0.1, 0
	o := mustOptimizer(t, c, params)
	adam := c
	adam.Method = Adam
	oa := mustOptimizer(t, adam, byAdam)
	w, m := make([]float64, len(params[0].Data)), make([]float64, len(params[0].Data))
	for j, x := range params[0].Data {
		w[j] = float64(x)
	}
	flat := newOrthogonal(kernel.Best(), 72, 4)
	for step := 1; step <= 10; step++ {
		rate := 0.01 * float64(step%3+1)
		gradient := fill()
		at := func(i int) []float32 { return gradient[i].Data }
		if err := o.Step(at, rate); err != nil {
			t.Fatal(err)
		}
		if err := oa.Step(func(i int) []float32 { return at(i + 1) }, rate); err != nil {
			t.Fatal(err)
		}
		for j, g := range at(0) {
			m[j] = 0.95*m[j] + float64(g)
			flat.set(j, float32(float64(g)+0.95*m[j]))
		}
		flat.iterate()
		for j := range w {
			w[j] = (1-rate*c.WeightDecay)*w[j] - rate*0.2*math.Sqrt(72)*float64(flat.at(j))
		}
	}
	for j, x := range params[0].Data {
		if math.Abs(float64(x)-w[j]) > 1e-4 {
			t.Errorf("element %d of the matrix is %g, want %g", j, x, w[j])
		}
	}
	for i, p := range byAdam {
		if !slices.Equal(p.Data, params[1+i].Data) {
			t.Errorf("%s differs from what adam makes of it", p.Name)
		}
	}
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// A head that has nothing left to learn, as one that predicts what no longer happens, has a
// momentum that shrinks until it is no normal number. Its matrices come to rest.
func TestMuonRestsWithoutAGradient(t *testing.T) {
	path, err := kernel.Chosen()
	if err != nil {
		t.Fatal(err)
	}
	o := newOrthogonal(path, 36, 8)
	for _, size := range []float32{1e-12, 1e-30, 1e-38, 1e-42, 0} {
		for j := range 36 * 8 {
			o.set(j, size*float32(j%7-3))
		}
		o.iterate()
		for j := range 36 * 8 {
			if v := float64(o.at(j)); !(math.Abs(v) < 0.02) { // not a number is not less either
				t.Fatalf("elements of %g lead to a step of %g", size, v)
			}
		}
	}
}
