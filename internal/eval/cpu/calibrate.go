package cpu

import (
	"math/rand/v2"

	"warren/game"
	"warren/internal/kernel/quant"
	"warren/net"
)

// sample takes positions through the operations that are packed so far, to find how large their
// results are. The computation is that of play, so the formats that follow from it depend on the
// network alone, and have the same bits on every processor.
type sample struct {
	x      []net.Bits
	boards *intBoards
	of     []int // slot of each result
}

func newSample(a *integers, p *net.Program) *sample {
	s := &sample{x: samplePositions()}
	// An operation is computed twice, so it must not overwrite what it reads.
	slots, of := p.Slots(false)
	s.boards, s.of = a.plan(slots, len(s.x)), of
	s.boards.input(s.x, len(s.x))
	return s
}

// samplePositions returns encoded positions of random games.
func samplePositions() []net.Bits {
	const positions = 64
	x := make([]net.Bits, positions)
	r := rand.New(rand.NewPCG(43, 0))
	var legal []game.Action
	for i := range positions {
		g := game.New()
		for range 6 * i {
			legal = g.Legal(legal[:0])
			if len(legal) == 0 {
				break
			}
			g.Play(legal[r.IntN(len(legal))])
		}
		net.EncodeBits(g, &x[i])
	}
	return x
}

// conv computes the convolution whose result is v.
func (s *sample) conv(number int, o *net.Op, v net.Value) {
	s.boards.conv(number, s.of[v], slot(s.of, o.X), slot(s.of, o.RowBias), slot(s.of, o.Residual), len(s.x))
}

// largest returns the largest numbers of the channels of the result v, which has the format f.
func (s *sample) largest(v net.Value, f quant.Format) []float32 {
	channels := len(f.Step)
	all := largest(s.boards.data[s.of[v]], quant.Rounded(channels), channels)
	most := make([]float32, channels)
	for i, q := range all {
		most[i] = float32(q) * f.Step[i]
	}
	return most
}

// largest returns the largest magnitude in each of the first n columns of x, whose rows have the given
// width.
func largest[T int16 | float32](x []T, width, n int) []T {
	most := make([]T, n)
	for ; len(x) >= width; x = x[width:] {
		for i := range most {
			most[i] = max(most[i], x[i], -x[i])
		}
	}
	return most
}

// room is how many times the largest numbers of the sample fit into a format. Few activations go beyond
// it (docs/reference/benchmarks.md, "Accuracy"). More room loses more precision than it saves: the
// policy's divergence grows from 2e-5 nats to 7e-5 with 8.
const room = 4
