package gpu

import (
	"math/rand/v2"
	"runtime"
	"sync"

	"warren/game"
	"warren/internal/eval/cpu"
	"warren/internal/portable"
	"warren/net"
)

// Positions of calibration.
const (
	ownGames    = 16
	ownOfGame   = 20 // positions of such a game, of which four are in the setup
	ownEvery    = 8  // actions from one to the next
	randomGames = 256
)

// calibration returns positions of games that a network plays against itself by its policy, and of random
// games, whose activations are sometimes larger. They are the same on every processor if b is of cpu.NewInt16.
func calibration(b *cpu.Backend) []net.Bits {
	return append(ownPositions(b), randomPositions()...)
}

// randomPositions returns a position of each of some random games, after up to 378 actions.
func randomPositions() []net.Bits {
	all := make([]net.Bits, randomGames)
	r := rand.New(rand.NewPCG(43, 8))
	var legal []game.Action
	for i := range all {
		g := game.New()
		for range 6 * i % 384 {
			if legal = g.Legal(legal[:0]); len(legal) == 0 {
				break
			}
			g.Play(legal[r.IntN(len(legal))])
		}
		net.EncodeBits(g, &all[i])
	}
	return all
}

// ownPositions returns those of games that the network plays.
func ownPositions(b *cpu.Backend) []net.Bits {
	all := make([]net.Bits, ownGames*ownOfGame)
	next := make(chan int, ownGames)
	for i := range ownGames {
		next <- i
	}
	close(next)
	var players sync.WaitGroup
	for range min(ownGames, runtime.GOMAXPROCS(0)) {
		players.Go(func() {
			p := b.NewPlan(1)
			for i := range next {
				playOwn(p, all[i*ownOfGame:][:ownOfGame], uint64(i))
			}
		})
	}
	players.Wait()
	return all
}

// playOwn plays games until it has some positions.
func playOwn(p *cpu.Plan, positions []net.Bits, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 8))
	wait := r.IntN(ownEvery)
	g := game.New()
	var legal []game.Action
	var chances []float64
	input, policy := make([]net.Bits, 1), make([]float32, game.NumActions)
	for len(positions) > 0 {
		if legal = g.Legal(legal[:0]); len(legal) == 0 {
			g = game.New()
			continue
		}
		net.EncodeBits(g, &input[0])
		if wait == 0 {
			positions[0], positions, wait = input[0], positions[1:], ownEvery
		}
		wait--
		p.Forward(input, 1, policy)
		chances = chances[:0]
		most := policy[net.PolicyIndex(legal[0], g.Side())]
		for _, a := range legal {
			most = max(most, policy[net.PolicyIndex(a, g.Side())])
		}
		sum := 0.0
		for _, a := range legal {
			sum += portable.Exp(float64(policy[net.PolicyIndex(a, g.Side())] - most))
			chances = append(chances, sum)
		}
		u, pick := r.Float64()*sum, 0
		for pick < len(legal)-1 && chances[pick] <= u {
			pick++
		}
		g.Play(legal[pick])
	}
}
