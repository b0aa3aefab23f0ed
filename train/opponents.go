package train

import (
	"math/rand/v2"
	"slices"

	"warren/eval"
	"warren/net"
)

// olderOpponents is the number of older networks that a generation plays against.
const olderOpponents = 4

// Opponent draws an older network for a new game. It implements selfplay.Opponents.
func (r *Run) Opponent(rng *rand.Rand) *eval.Network {
	o := r.older.Load()
	if o == nil || len(*o) == 0 {
		return nil
	}
	return (*o)[rng.IntN(len(*o))]
}

// drawOpponents loads the older networks for the next games. Which they are depends only
// on the seed and the newest network's generation, so an interruption changes nothing.
func (r *Run) drawOpponents() {
	if r.config.SelfPlay.OlderOpponents == 0 || r.elsewhere != nil {
		return
	}
	var drawn []*eval.Network
	for _, generation := range spread(rand.New(rand.NewPCG(r.config.Seed, opponentStream|uint64(r.state.Generation))), r.state.Generation) {
		older, _, err := net.Load(r.dir.Network(generation))
		var playable *eval.Network
		if err == nil {
			playable, err = r.playable(older, generation)
		}
		if err != nil {
			r.log.Warn("an older network cannot be played against", "generation", generation, "error", err)
			continue
		}
		drawn = append(drawn, playable)
	}
	r.older.Store(&drawn)
}

// spread draws generations before the newest one, in ascending order: one from each of
// olderOpponents equal parts of the history, or every one of a history that is shorter.
// Generation 0, which has no network, is not among them.
func spread(rng *rand.Rand, newest int) []int {
	history := max(newest-1, 0)
	parts := min(olderOpponents, history)
	var drawn []int
	for i := range parts {
		first, next := i*history/parts, (i+1)*history/parts
		drawn = append(drawn, 1+first+rng.IntN(next-first))
	}
	return drawn
}

// replaceOpponent puts a network in the place of one whose device is lost.
func (r *Run) replaceOpponent(lost, instead *eval.Network) {
	for {
		before := r.older.Load()
		if before == nil || !slices.Contains(*before, lost) {
			return
		}
		after := slices.Clone(*before)
		after[slices.Index(after, lost)] = instead
		if r.older.CompareAndSwap(before, &after) {
			return
		}
	}
}
