package replay

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"warren/data"
)

// Windows holds the two windows of a run: one with training games, and one with held-out games, on
// which the loss is measured.
type Windows struct {
	// Train holds at most Config.WindowPositions positions.
	Train *Window
	// HeldOut holds games that never enter Train. Its bound is the held-out fraction of Train's, so
	// it reaches about as far back as Train. Like every window it keeps at least one game.
	HeldOut *Window

	config    Config
	discarded Ranges // games that stay out
}

// NewWindows returns windows without games.
func NewWindows(c Config) *Windows {
	held := c
	held.PolicyWindow = int(math.Ceil(c.HeldOutFraction * float64(c.PolicyWindow)))
	p := &Windows{
		Train:   NewWindow(c.WindowPositions, c),
		HeldOut: NewWindow(int(math.Round(c.HeldOutFraction*float64(c.WindowPositions))), held),
		config:  c,
	}
	p.HeldOut.teacher = p.Train // or the loss would be that of a target that is never taught, by few games
	return p
}

// HeldOut reports whether the game with this number is held out. fraction is the held-out part of all
// games, 0 to 1. The result depends on nothing else, so a game that is played again, perhaps with
// nearly the same actions, goes to the same window.
//
// The golden ratio spreads the held-out numbers (Weyl's sequence). They are as even as every k-th
// game, but have no period that could coincide with another one, such as the alternation of colours.
func HeldOut(number uint64, fraction float64) bool {
	const golden = 0x9E3779B97F4A7C15 // 2^64 / 1.618..., odd
	// Use the 53 highest bits, which a float64 holds exactly.
	return float64((number*golden)>>11)/(1<<53) < fraction
}

// Add adds a valid record to the window that it belongs to. It reports whether the record is there
// now and was not before.
func (p *Windows) Add(arrival uint64, r *data.Record) bool {
	if p.discarded.Has(r.Game) {
		return false
	}
	if HeldOut(r.Game, p.config.HeldOutFraction) {
		return p.HeldOut.Add(arrival, r)
	}
	return p.Train.Add(arrival, r)
}

// Lowest returns the lowest number of the games in the windows. It reports false if there are none.
func (p *Windows) Lowest() (number uint64, ok bool) {
	for _, w := range []*Window{p.Train, p.HeldOut} {
		w.mu.Lock()
		for _, g := range w.games {
			if !ok || g.key.number < number {
				number, ok = g.key.number, true
			}
		}
		w.mu.Unlock()
	}
	return number, ok
}

// Restore adds the games of the sources, newest shards first, until both windows would refuse the rest.
// Afterwards p has the same content as if every stored record had been added when it arrived. Games of several
// sources arrive as if they had been played side by side, a shard at a time, and had ended together: the newest
// shards of all have the same arrival number. So a window that does not hold all games holds the newest of each
// source. All cores read, each a shard at a time. The error names a shard that could not be read.
func (p *Windows) Restore(sources ...Source) error {
	shards := merged(sources)
	slices.SortStableFunc(shards, func(a, b arrived) int {
		return cmp.Or(cmp.Compare(b.Arrival, a.Arrival), cmp.Compare(b.Last, a.Last))
	})
	for _, w := range []*Window{p.Train, p.HeldOut} {
		w.fill()
		defer w.settle()
	}
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	var failure atomic.Pointer[error]
	var readers sync.WaitGroup
	for _, s := range shards {
		free <- struct{}{}
		full := p.Train.refuses(s.Arrival, s.Last) && (p.config.HeldOutFraction == 0 || p.HeldOut.refuses(s.Arrival, s.Last))
		if full || failure.Load() != nil {
			break
		}
		readers.Go(func() {
			if err := p.restore(s); err != nil {
				failure.CompareAndSwap(nil, &err)
			}
			<-free
		})
	}
	readers.Wait()
	if err := failure.Load(); err != nil {
		return fmt.Errorf("restoring the replay window: %w", *err)
	}
	return nil
}

func (p *Windows) restore(s arrived) error {
	shard, err := data.OpenShard(s.Path)
	if err != nil {
		return err
	}
	for r, err := range shard.Records() {
		if err != nil {
			return err
		}
		if !s.without.Has(r.Game) {
			p.Add(s.Arrival, r)
		}
	}
	return nil
}
