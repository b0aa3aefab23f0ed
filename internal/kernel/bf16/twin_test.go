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

// both returns the tile unit and plain Go. It skips the test where there is no tile unit to compare.
func both(t *testing.T) []*Unit {
	t.Helper()
	amx, err := AMX()
	if err != nil {
		t.Skipf("not tested here: %v", err)
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
	return &Boards{b.channels, append(aligned[uint16](0), b.pairs...), slices.Clone(b.alone), b.doubled}
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
	all := []shape{{8, 8, 1}, {32, 32, 2}, {32, 16, 3}, {40, 64, 4}, {64, 64, 5}, {24, 40, 6}, {48, 48, 7}, {96, 80, 1}}
	r := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		all = append(all, shape{8 + 8*r.IntN(8), 8 + 8*r.IntN(8), 1 + r.IntN(5)})
	}
	if !testing.Short() {
		all = append(all, shape{128, 128, 3}, shape{256, 264, 2}, shape{512, 512, 1}, shape{512, 512, 2})
	}
	return all
}

func TestConvEqualsTwin(t *testing.T) {
	units := both(t)
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
			for _, u := range units {
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
			equal(t, fmt.Sprint(s, " ", option), results[0], results[1])
		}
	}
}

// TestTwinIsAConvolution holds the plain Go form to the definition, in float64, of numbers
// that are rounded already.
func TestTwinIsAConvolution(t *testing.T) {
	for _, in := range []int{40, 64, 16} {
		testTwin(t, in)
	}
}

func testTwin(t *testing.T, in int) {
	const out, n = 24, 3
	rounded := func(x []float32) []float32 {
		for i, v := range x {
			x[i] = Float(Round(v))
		}
		return x
	}
	w, bias, own := rounded(noise(1, 9*in*out, 0.1)), noise(2, out, 0.5), noise(3, n*out, 0.5)
	input, extra := rounded(noise(4, n*64*in, 1)), rounded(noise(5, n*64*out, 1))
	x, residual, y := NewBoards(n, in), NewBoards(n, out), NewBoards(n, out)
	for b := range n {
		Go().Set(x, b, n, input[b*64*in:], in)
		Go().Set(residual, b, n, extra[b*64*out:], out)
	}
	conv := NewConv(Go(), w, bias, in, out)
	for _, more := range []bool{false, true} {
		if more {
			conv.Forward(y, x, own, residual, n, new(Scratch))
		} else {
			conv.Forward(y, x, nil, nil, n, new(Scratch))
		}
		for b := range n {
			memory, square := y.board(b, n)
			for s := range 64 {
				for o := range out {
					want, size := float64(bias[o]), math.Abs(float64(bias[o]))
					if more {
						want = float64(own[b*out+o]) + float64(extra[(b*64+s)*out+o])
					}
					for tap := range 9 {
						rank, file := s/8+tap/3-1, s%8+tap%3-1
						if rank < 0 || rank > 7 || file < 0 || file > 7 {
							continue
						}
						for i := range in {
							part := float64(input[(b*64+rank*8+file)*in+i]) * float64(w[(tap*in+i)*out+o])
							want += part
							size += math.Abs(part)
						}
					}
					want = max(0, want)
					got := float64(Float(memory[(s/8*columns+s%8)*square+o]))
					if math.Abs(got-want) > want/256+1e-6*size {
						t.Fatalf("board %d, square %d, channel %d: got %v, want %v", b, s, o, got, want)
					}
				}
			}
		}
	}
}

func TestRound(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct{ f, want float32 }{
		{0, 0}, {1, 1}, {1 + 1./256, 1}, {1 + 1./256 + 1./65536, 1 + 1./128}, {1 + 3./256, 1 + 1./64}, {-1.75, -1.75},
		{inf, inf}, {-inf, -inf}, {math.MaxFloat32, inf}, {1e-39, 0}, {1.5e-38, Float(Round(1.5e-38))},
	} {
		if got := Float(Round(c.f)); got != c.want || math.Signbit(float64(got)) != math.Signbit(float64(c.f)) {
			t.Errorf("%v is rounded to %v, want %v", c.f, got, c.want)
		}
	}
	if got := Float(Round(float32(math.NaN()))); got == got {
		t.Errorf("NaN is rounded to %v", got)
	}
}

// TestNaNStaysOnItsBoard checks that a number that is none reaches its own board's results
// only, though boards share tiles.
func TestNaNStaysOnItsBoard(t *testing.T) {
	const channels, n = 32, 3
	for _, u := range units(t) {
		conv := NewConv(u, noise(1, 9*channels*channels, 0.1), noise(2, channels, 0.1), channels, channels)
		for broken := range n {
			x, clean, y := NewBoards(n, channels), NewBoards(n, channels), NewBoards(n, channels)
			fill(x, n, channels, 3, true)
			conv.Forward(clean, x, nil, x, n, new(Scratch))
			memory, square := x.board(broken, n)
			memory[9*square+5] = 0x7fc0
			conv.Forward(y, x, nil, x, n, new(Scratch))
			for b := range n {
				got, distance := y.board(b, n)
				want, _ := clean.board(b, n)
				differ := false
				for s := range 64 {
					at := (s/8*columns + s%8) * distance
					differ = differ || !slices.Equal(got[at:][:channels], want[at:][:channels])
				}
				if differ != (b == broken) {
					t.Errorf("%s: a NaN on board %d, and board %d differs: %v", u.Name(), broken, b, differ)
				}
				if v := Float(got[9*distance]); b == broken && v == v {
					t.Errorf("%s: a NaN became %v", u.Name(), v)
				}
			}
		}
	}
}

func TestSquaresAndPoolEqualTwin(t *testing.T) {
	units := both(t)
	for i, s := range shapes8to512(t) {
		seed := uint64(100 * i)
		w := noise(seed, s.in*s.out, 0.2)
		x := NewBoards(s.boards, s.in)
		fill(x, s.boards, s.in, seed+2, true)
		var results [][]float32
		for _, u := range units {
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
		if !slices.Equal(results[0], results[1]) {
			t.Errorf("%v: products or pooling differ", s)
		}
	}
}

func TestSetEqualsTwin(t *testing.T) {
	units := both(t)
	for _, channels := range []int{1, 8, 16, 17, 40, 64, 100} {
		const n = 3
		x := noise(uint64(channels), n*64*channels, 1)
		x[0], x[1%len(x)] = float32(math.Inf(1)), math.MaxFloat32
		var results []*Boards
		for _, u := range units {
			b := NewBoards(n, channels)
			for i := range n {
				u.Set(b, i, n, x[i*64*channels:], channels)
			}
			results = append(results, b)
		}
		equal(t, fmt.Sprint(channels, " channels"), results[0], results[1])
	}
}
