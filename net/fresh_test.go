package net

import (
	"math/rand/v2"
	"testing"

	"warren/game"
)

// fresh is a new network, of which no number is zero.
func fresh(t testing.TB, c Config, seed uint64) *Network {
	t.Helper()
	n, err := New(c, seed)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 2))
	for _, p := range n.Params {
		for i := range p.Data {
			p.Data[i] += float32(r.NormFloat64() / 100)
		}
	}
	return n
}

// played is a game after some random actions, the setup included.
func played(seed uint64, actions int) *game.Game {
	r := rand.New(rand.NewPCG(seed, 3))
	g := game.New()
	for range actions {
		legal := g.Legal(nil)
		if len(legal) == 0 {
			break
		}
		g.Play(legal[r.IntN(len(legal))])
	}
	return g
}

var architectures = []Config{
	{Blocks: 2, Channels: 16, PoolEvery: 0, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16},
	{Blocks: 3, Channels: 8, PoolEvery: 1, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 1},
	{Blocks: 5, Channels: 24, PoolEvery: 2, PolicyChannels: 7, ValueChannels: 3, ValueHidden: 9},
}
