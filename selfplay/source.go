package selfplay

import (
	"context"

	"warren/data"
	"warren/eval"
)

// Networks is where networks come from. Latest is asked before every game,
// from any worker, and a game is played to its end with what it returned.
type Networks interface {
	Latest() *eval.Network
}

// Games is where finished games go. Put may be called by several workers at
// once; while it blocks, its worker plays no further, so that a consumer who
// lags behind can hold self-play back.
type Games interface {
	Put(ctx context.Context, record *data.Record) error
}

// Always is the source of a single network.
type Always struct{ Network *eval.Network }

// Latest returns the network.
func (a Always) Latest() *eval.Network { return a.Network }
