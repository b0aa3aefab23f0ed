package selfplay

import (
	"context"
	"math/rand/v2"

	"warren/data"
	"warren/eval"
)

// Networks provides networks. Workers call Latest concurrently, before each game,
// and play the game to its end with the network that it returns.
type Networks interface {
	Latest() *eval.Network
}

// Games receives finished games. Workers call Put concurrently. While Put blocks,
// its worker does not play, so a slow consumer can hold self-play back.
type Games interface {
	Put(ctx context.Context, record *data.Record) error
}

// Openings provides beginnings of earlier games. Workers call Opening concurrently.
type Openings interface {
	// Opening returns the beginning of a game, or the zero value if there is none. It depends only on
	// the state of rng and on what the run has finished before.
	Opening(rng *rand.Rand) data.Opening
}

// Opponents provides older networks of the run. Workers call Opponent concurrently.
type Opponents interface {
	// Opponent returns an older network, or nil if there is none. It depends only on the state of rng
	// and on what the run has finished before. After [Job].Lost it returns the network that takes the
	// place of the lost one.
	Opponent(rng *rand.Rand) *eval.Network
}

// Always provides a single network.
type Always struct{ Network *eval.Network }

// Latest returns the network.
func (a Always) Latest() *eval.Network { return a.Network }
