package train

import (
	"math/rand/v2"

	"warren/data"
	"warren/settings"
)

// openings are the recorded openings of a generation. They implement selfplay.Openings.
type openings []data.Opening

// Opening returns one of them, or none if there are none.
func (o openings) Opening(rng *rand.Rand) data.Opening {
	if len(o) == 0 {
		return data.Opening{}
	}
	return o[rng.IntN(len(o))]
}

// Opening draws a recorded opening for a new game.
func (r *Run) Opening(rng *rand.Rand) data.Opening {
	if o := r.openings.Load(); o != nil {
		return o.Opening(rng)
	}
	return data.Opening{}
}

const (
	// recordedOpenings is the number of openings that the games of a generation draw from.
	recordedOpenings = 512
	// openingGenerations is the number of generations whose games openings come from.
	openingGenerations = 4
)

// drawOpenings draws the recorded openings of the next games. In synchronous mode they depend only on
// the games of earlier generations, so an interruption changes nothing.
func (r *Run) drawOpenings() {
	if r.config.SelfPlay.RecordedOpenings == 0 {
		return
	}
	last := r.state.Games
	if r.config.Loop.Mode == settings.Sync {
		last = r.state.First
	}
	first := max(0, last-openingGenerations*r.config.Loop.GamesPerGeneration)
	rng := rand.New(rand.NewPCG(r.config.Seed, uint64(r.state.Generation)))
	drawn := openings(r.replay.Train.Openings(rng, recordedOpenings, r.config.SelfPlay.TurnLimit, uint64(first), uint64(last)))
	r.openings.Store(&drawn)
}
