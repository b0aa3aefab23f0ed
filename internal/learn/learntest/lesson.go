// Package learntest provides what the tests of trainers share: batches to learn
// from.
package learntest

import (
	"math"
	"math/rand/v2"

	"warren/game"
	"warren/internal/learn"
	"warren/internal/nettest"
	"warren/net"
)

// Lesson returns a batch of positions of random games, and noise for every fourth, with random legal actions and targets.
// Every third position has no policy target, every third has no auxiliary targets,
// and many chances are unknown.
func Lesson(c net.Config, seed uint64, size int) *learn.Batch {
	r := rand.New(rand.NewPCG(seed, 5))
	b := learn.NewBatch(c, size)
	noise := rand.New(rand.NewPCG(seed, 4))
	for i := range size {
		x := &b.Bits[i]
		net.EncodeBits(nettest.Played(seed+uint64(i), noise.IntN(150)), x)
		for p := range x.Values {
			if i%4 == 3 {
				x.Squares[p], x.Values[p] = noise.Uint64(), float32(noise.NormFloat64()*0.5)
			}
		}
		b.Targets[1].Values[i] = r.Float32()
		b.Targets[1].Weight[i] = 0.5 + r.Float32()
		if i%3 != 2 {
			b.Targets[0].Weight[i] = 0.5 + r.Float32()
		}
		legal := append(r.Perm(int(game.Pass))[:r.IntN(40)], int(game.Pass)+r.IntN(7))
		for _, a := range legal {
			b.Legal[i*game.NumActions+a] = true
		}
		distribute(r, b.Targets[0].Values[i*game.NumActions:][:game.NumActions], legal)
		for k, h := range c.Heads()[2:] {
			t := &b.Targets[2+k]
			if (i+k)%3 != 2 {
				t.Weight[i] = 0.5 + r.Float32()
			}
			values := t.Values[i*h.Size:][:h.Size]
			switch h.Loss {
			case net.Policy:
				distribute(r, values, legal)
				continue
			case net.Shares:
				distribute(r, values, r.Perm(len(values))[:1+r.IntN(len(values))])
				continue
			}
			for j := range values {
				values[j] = r.Float32()
				if j > 0 && r.IntN(3) == 0 {
					values[j] = float32(math.NaN())
				}
			}
		}
	}
	return b
}

// distribute sets values to a distribution over some of the places.
func distribute(r *rand.Rand, values []float32, places []int) {
	sum := float32(0)
	for _, a := range places {
		if r.IntN(3) > 0 {
			values[a] = r.Float32()
			sum += values[a]
		}
	}
	if sum == 0 {
		values[places[0]], sum = 1, 1
	}
	for a := range values {
		values[a] /= sum
	}
}
