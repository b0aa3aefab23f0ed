package bf16

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// units returns the tile unit if there is one, and plain Go.
func units(t testing.TB) []*Unit {
	amx, err := AMX()
	if err != nil {
		t.Logf("plain Go only: %v", err)
		return []*Unit{Go()}
	}
	return []*Unit{amx, Go()}
}

// noise returns normal random numbers. Every 16th is zero, infinitely small, or far too small.
func noise(seed uint64, n int, scale float64) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(scale * r.NormFloat64())
		if i%16 == 5 {
			x[i] *= [...]float32{0, 1e-20, 1e-38, 1e-42}[r.IntN(4)]
		}
	}
	return x
}

// fill sets n boards to random numbers, not negative where positive is set.
func fill(b *Boards, n, channels int, seed uint64, positive bool) {
	x := noise(seed, n*64*channels, 1)
	for i := range n {
		board := x[i*64*channels:][:64*channels]
		if positive {
			for j, v := range board {
				board[j] = max(0, v)
			}
		}
		Go().Set(b, i, n, board, channels)
	}
}

func clone(b *Boards) *Boards {
	return &Boards{b.channels, append(aligned[uint16](0), b.pairs...), slices.Clone(b.alone)}
}

func equal(t *testing.T, what string, got, want *Boards) {
	t.Helper()
	same := func(part string, got, want []uint16) {
		t.Helper()
		differ, first := 0, -1
		for i, v := range want {
			if got[i] != v {
				if differ == 0 {
					first = i
				}
				differ++
			}
		}
		if differ > 0 {
			t.Fatalf("%s: %d of %d numbers of the boards %s differ; the first is number %d, %v instead of %v",
				what, differ, len(want), part, first, Float(got[first]), Float(want[first]))
		}
	}
	same("in pairs", got.pairs, want.pairs)
	same("alone", got.alone, want.alone)
}

type shape struct{ in, out, boards int }

func shapes8to512(t *testing.T) []shape {
	all := []shape{{8, 8, 1}, {32, 32, 2}, {32, 16, 3}, {40, 64, 4}, {64, 64, 5}, {24, 40, 6}, {48, 48, 7}, {96, 80, 1}, {128, 128, 3}}
	r := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		all = append(all, shape{8 + 8*r.IntN(12), 8 + 8*r.IntN(12), 1 + r.IntN(5)})
	}
	if !testing.Short() {
		all = append(all, shape{256, 264, 2}, shape{512, 512, 1}, shape{512, 512, 2})
	}
	return all
}

func TestConvEqualsTwin(t *testing.T) {
	for i, s := range shapes8to512(t) {
		for _, option := range []string{"", "residual", "residual in place", "own biases", "own biases and residual"} {
			if s.in*s.out > 128*128 && option != "own biases and residual" {
				continue
			}
			seed := uint64(100 * i)
			w, bias := noise(seed, 9*s.in*s.out, math.Sqrt(2/float64(9*s.in))), noise(seed+1, s.out, 0.5)
			x, before := NewBoards(s.boards, s.in), NewBoards(s.boards, s.out)
			fill(x, s.boards, s.in, seed+2, i%2 == 0)
			fill(before, s.boards, s.out, seed+3, true)
			var own []float32
			if option == "own biases" || option == "own biases and residual" {
				own = noise(seed+4, s.boards*s.out, 0.5)
			}
			var results []*Boards
			for _, u := range units(t) {
				y, residual := clone(before), (*Boards)(nil)
				switch option {
				case "residual", "own biases and residual":
					residual = before
				case "residual in place":
					residual = y
				}
				NewConv(u, w, bias, s.in, s.out).Forward(y, x, own, residual, s.boards, new(Scratch))
				results = append(results, y)
			}
			equal(t, fmt.Sprint(s, " ", option), results[0], results[len(results)-1])
		}
	}
}

func TestSquaresAndPoolEqualTwin(t *testing.T) {
	for i, s := range shapes8to512(t) {
		seed := uint64(100 * i)
		w := noise(seed, s.in*s.out, 0.2)
		x := NewBoards(s.boards, s.in)
		fill(x, s.boards, s.in, seed+2, true)
		var results [][]float32
		for _, u := range units(t) {
			q := NewSquares(u, w, s.in, s.out)
			y := make([]float32, 2*64*q.Stride()*s.boards)
			for b := 0; b < s.boards; b += 2 {
				if n, want := q.Multiply(y[b*64*q.Stride():], x, b, s.boards, new(Scratch)), min(2, s.boards-b); n != want {
					t.Fatalf("%v: %d boards from %d, want %d", s, n, b, want)
				}
			}
			wide := roundUp(s.in, step)
			for b := range s.boards {
				both := make([]float32, 2*wide)
				u.Pool(both[:wide], both[wide:], x, b, s.boards)
				y = append(y, both...)
			}
			results = append(results, y)
		}
		if !slices.Equal(results[0], results[len(results)-1]) {
			t.Errorf("%v: products or pooling differ", s)
		}
	}
}

func TestSetEqualsTwin(t *testing.T) {
	for _, channels := range []int{1, 8, 16, 17, 40, 64, 100} {
		const n = 3
		x := noise(uint64(channels), n*64*channels, 1)
		x[0], x[1%len(x)] = float32(math.Inf(1)), math.MaxFloat32
		var results []*Boards
		for _, u := range units(t) {
			b := NewBoards(n, channels)
			for i := range n {
				u.Set(b, i, n, x[i*64*channels:], channels)
			}
			results = append(results, b)
		}
		equal(t, fmt.Sprint(channels, " channels"), results[0], results[len(results)-1])
	}
}
