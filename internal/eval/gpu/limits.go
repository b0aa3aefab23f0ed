package gpu

import (
	"sync"

	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/net"
)

// limits counts positions with activations that are more than a quarter beyond what bytes express. One position
// of a batch in 64 is evaluated on the processor in int16, and its activations are compared.
type limits struct {
	exact      *cpu.Backend
	most       map[net.Value][]float32 // by channel
	saturation eval.Saturation

	mu      sync.Mutex
	batches int
	busy    bool
	looks   sync.WaitGroup
}

// beyond is how far the limits are beyond the largest byte. Stage 11 of the climb was limited in 86 of 2,000
// positions of strong players, but in 9 by a quarter, and in none by a factor of two.
const beyond = 1.25

// lookedAt is the number of batches of which one is looked at.
const lookedAt = 64

func newLimits(device string, exact *cpu.Backend, seen map[net.Value]*activations) *limits {
	l := &limits{exact: exact, most: map[net.Value][]float32{}}
	for of, a := range seen {
		for _, step := range a.step {
			l.most[of] = append(l.most[of], float32(255*beyond*step))
		}
	}
	l.saturation.Format, l.saturation.Remedy = int8Numbers, "device="+device
	return l
}

// look counts one position of the batch, if it is its turn and the one before has been counted.
func (l *limits) look(b *eval.Batch) {
	if l == nil || b.Len() == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at, is := l.turn(b.Len())
	if !is || l.busy {
		return
	}
	position := make([]net.Bits, 1)
	net.EncodeBits(b.Position(at), &position[0])
	l.busy = true
	l.looks.Go(func() {
		limited := l.limited(position)
		l.saturation.Count(limited)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.busy = false
	})
}

// turn counts a batch. It reports whether it is the batch's turn, and of which position. In turn it is that of
// every position, also in batches of 64.
func (l *limits) turn(positions int) (at int, is bool) {
	at, is = l.batches/lookedAt%positions, l.batches%lookedAt == 0
	l.batches++
	return at, is
}

// limited reports whether an activation in one of the positions is beyond the limits.
func (l *limits) limited(positions []net.Bits) (limited bool) {
	l.exact.Activations(positions, func(of net.Value, boards []int16, stride int, step []float32) {
		most := l.most[of]
		for ; len(boards) > 0 && most != nil && !limited; boards = boards[stride:] {
			for c, m := range most {
				limited = limited || float32(boards[c])*step[c] > m
			}
		}
	})
	return limited
}
