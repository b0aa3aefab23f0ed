package gpu

import (
	"math"
	"runtime"
	"sync"

	"warren/internal/eval/cpu"
	"warren/net"
)

// activations are those of a convolution in the positions of calibration, in the whole numbers of int16. Their
// sums and maxima do not depend on the order of the positions.
type activations struct {
	unit []float64 // what 1 stands for, by channel
	most []int16   // by channel
	step []float64 // of a byte, by channel, once all maxima are known

	// Sums over all positions, by square and channel: of the activations and of their bytes.
	exact, bytes []int64
	boards       int
}

// measure returns the activations of the convolutions whose results the blocks read in bytes.
func measure(b *cpu.Backend, positions []net.Bits, all blocks) map[net.Value]*activations {
	seen := map[net.Value]*activations{all.input: {}}
	for i, block := range all.all {
		seen[block.first] = &activations{}
		if i+1 < len(all.all) {
			seen[block.second] = &activations{}
		}
	}
	look(b, positions, seen, (*activations).raise)
	for _, a := range seen {
		a.step = a.steps()
		a.exact, a.bytes = make([]int64, 64*len(a.step)), make([]int64, 64*len(a.step))
	}
	look(b, positions, seen, (*activations).add)
	return seen
}

// look calls see with boards of all positions, on all cores.
func look(b *cpu.Backend, positions []net.Bits, seen map[net.Value]*activations, see func(a *activations, boards []int16, stride int)) {
	const part = 16 // positions
	next := make(chan []net.Bits, len(positions)/part+1)
	for ; len(positions) > 0; positions = positions[min(part, len(positions)):] {
		next <- positions[:min(part, len(positions))]
	}
	close(next)
	var mu sync.Mutex
	var lookers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		lookers.Go(func() {
			mine := map[net.Value]*activations{}
			for some := range next {
				b.Activations(some, func(of net.Value, boards []int16, stride int, step []float32) {
					if seen[of] == nil {
						return
					}
					if mine[of] == nil {
						mine[of] = like(seen[of], step)
					}
					see(mine[of], boards, stride)
				})
			}
			mu.Lock()
			defer mu.Unlock()
			for of, a := range mine {
				seen[of].merge(a)
			}
		})
	}
	lookers.Wait()
}

// like returns activations without sums.
func like(a *activations, step []float32) *activations {
	made := &activations{step: a.step, most: make([]int16, len(step)), exact: make([]int64, len(a.exact)), bytes: make([]int64, len(a.bytes))}
	for _, s := range step {
		made.unit = append(made.unit, float64(s))
	}
	return made
}

// merge adds those of other positions.
func (a *activations) merge(other *activations) {
	if a.unit == nil {
		a.unit, a.most = other.unit, make([]int16, len(other.most))
	}
	for c, m := range other.most {
		a.most[c] = max(a.most[c], m)
	}
	for i, v := range other.exact {
		a.exact[i] += v
		a.bytes[i] += other.bytes[i]
	}
	a.boards += other.boards
}

// raise raises the maxima to those of boards.
func (a *activations) raise(boards []int16, stride int) {
	for ; len(boards) > 0; boards = boards[stride:] {
		for c, m := range a.most {
			a.most[c] = max(m, boards[c])
		}
	}
}

// add adds boards to the sums.
func (a *activations) add(boards []int16, stride int) {
	perUnit := make([]float64, len(a.step)) // bytes
	for c, unit := range a.unit {
		perUnit[c] = unit / a.step[c]
	}
	a.boards += len(boards) / (64 * stride)
	for square := 0; len(boards) > 0; square = (square + 1) % 64 {
		exact, bytes := a.exact[square*len(perUnit):][:len(perUnit)], a.bytes[square*len(perUnit):][:len(perUnit)]
		for c, per := range perUnit {
			exact[c] += int64(boards[c])
			bytes[c] += min(int64(math.RoundToEven(float64(boards[c])*per)), 255)
		}
		boards = boards[stride:]
	}
}

// steps returns the steps of channels. 255 of them are the geometric mean of the largest activations of the
// channel and of all, and so at least the former. Of a channel that was hardly active it is half of the largest.
func (a *activations) steps() []float64 {
	top := 1e-6 // if none was active
	for c, m := range a.most {
		top = max(top, float64(m)*a.unit[c])
	}
	step := make([]float64, len(a.most))
	for c, m := range a.most {
		step[c] = math.Sqrt(max(float64(m)*a.unit[c], top/4)*top) / 255
	}
	return step
}

// read returns the sums of the channels over the squares that a tap reads.
func (a *activations) read(tap int) (exact, bytes []float64) {
	in := len(a.step)
	exact, bytes = make([]float64, in), make([]float64, in)
	for c := range in {
		var e, b int64
		for square := range 64 {
			rank, file := square/8+tap/3-1, square%8+tap%3-1
			if rank >= 0 && rank <= 7 && file >= 0 && file <= 7 {
				e += a.exact[(rank*8+file)*in+c]
				b += a.bytes[(rank*8+file)*in+c]
			}
		}
		exact[c], bytes[c] = float64(e)*a.unit[c], float64(b)
	}
	return exact, bytes
}
