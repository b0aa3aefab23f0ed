package selfplay

import (
	"context"

	"warren/data"
	"warren/game"
)

// Evaluator judges positions. For each it fills priors[i], which has the
// length of legal[i], with probabilities that sum to 1, and values[i] with the
// chance to win of the side to move. What a position is given must not depend
// on the others in the call. One worker uses an evaluator at a time.
type Evaluator interface {
	Evaluate(positions []*game.Game, legal [][]game.Action, priors [][]float32, values []float32) error
}

// Network is one state of the network that games are played with.
type Network struct {
	Hash       string // content hash of the weights
	Generation int    // how often the network had been trained and published
	// NewEvaluator returns an evaluator for batches of up to batch positions.
	NewEvaluator func(batch int) (Evaluator, error)
}

// Networks is where networks come from. Latest is asked before every game,
// from any worker, and a game is played to its end with what it returned.
type Networks interface {
	Latest() *Network
}

// Games is where finished games go. Put may be called by several workers at
// once; while it blocks, its worker plays no further, so that a consumer who
// lags behind can hold self-play back.
type Games interface {
	Put(ctx context.Context, record *data.Record) error
}

// Always is the source of a single network.
type Always struct{ Network *Network }

// Latest returns the network.
func (a Always) Latest() *Network { return a.Network }
