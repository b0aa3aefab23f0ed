package selfplay

import (
	"context"

	"warren/data"
	"warren/internal/eval"
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

// Always provides a single network.
type Always struct{ Network *eval.Network }

// Latest returns the network.
func (a Always) Latest() *eval.Network { return a.Network }
