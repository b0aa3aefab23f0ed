package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Replay is what a run learns from: a window of training games, and one of games held out to
// measure the loss on.
type Replay struct {
	// Train holds at most Config.WindowPositions positions.
	Train *Window
	// HeldOut holds games that never enter Train, at most the held-out fraction of as many
	// positions, so that it reaches about as far back. Like every window it keeps at least one
	// game.
	HeldOut *Window

	fraction float64
}

// NewReplay returns a replay without games.
func NewReplay(c Config) *Replay {
	return &Replay{
		Train:    NewWindow(c.WindowPositions, c),
		HeldOut:  NewWindow(int(math.Round(c.HeldOutFraction*float64(c.WindowPositions))), c),
		fraction: c.HeldOutFraction,
	}
}

// HeldOut reports whether the game with this number is held out, when a fraction of all games
// (0 to 1) is. It depends on nothing else, so a game that is played again, and may come out
// nearly the same, stays on its side.
//
// The numbers are spread by the golden ratio (Weyl's sequence): as even as taking every k-th
// game, but without a period that could fall in step with something else that alternates, such
// as who plays Gold.
func HeldOut(number uint64, fraction float64) bool {
	const golden = 0x9E3779B97F4A7C15 // 2^64 / 1.618..., odd
	// The 53 highest bits, which a float64 holds exactly.
	return float64((number*golden)>>11)/(1<<53) < fraction
}

// Add puts a valid record into the window it belongs to and reports whether it is there now and
// was not before.
func (p *Replay) Add(r *Record) bool {
	if HeldOut(r.Game, p.fraction) {
		return p.HeldOut.Add(r)
	}
	return p.Train.Add(r)
}

// Restore adds the games of an index, newest shards first, until both windows would refuse the
// rest. Afterwards p is what it would be had every stored record been added to it as it was
// played. An error names the shard that could not be read.
func (p *Replay) Restore(x *Index) error {
	shards := slices.Clone(x.Shards)
	slices.SortStableFunc(shards, func(a, b ShardInfo) int { return cmp.Compare(b.Last, a.Last) })
	for _, info := range shards {
		if p.Train.refuses(info.Last) && (p.fraction == 0 || p.HeldOut.refuses(info.Last)) {
			break
		}
		if err := p.restore(info.Path); err != nil {
			return fmt.Errorf("restoring the replay window: %w", err)
		}
	}
	return nil
}

func (p *Replay) restore(path string) error {
	shard, err := OpenShard(path)
	if err != nil {
		return err
	}
	for r, err := range shard.Records() {
		if err != nil {
			return err
		}
		p.Add(r)
	}
	return nil
}
