package arena

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"warren/internal/arena/rating"
)

// Config describes a match.
type Config struct {
	Rules
	Games   int          // rounded up to whole pairs
	Workers int          // games played at once; 0 means one per core
	Test    *rating.SPRT // ends the match once it is decided; nil: all games are played
	Meter   *Meter       // unless nil, is told of the games under way
}

// Play plays a match of a against b. It calls observe, unless that is nil, once
// for every finished game: one call at a time, in the order in which the games
// end. If the context ends first, the tally covers the games finished so far.
//
// A test stops the match from beginning new games. Games that are already being
// played are finished and counted in the tally, but not in the test. The test
// counts pairs in the order of their numbers, so its decision does not depend on
// the number of workers. It does not count copies of earlier pairs, and ends
// undecided if the last hundred were copies.
func Play(ctx context.Context, config Config, a, b Player, observe func(*Played)) (Tally, error) {
	workers := config.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	var (
		group   sync.WaitGroup
		mu      sync.Mutex
		tally   Tally
		known   = known{}
		trial   = trial{test: config.Test}
		next    int
		numbers = config.Games + config.Games%2
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1, next <= numbers && !trial.over()
	}
	for range min(workers, numbers) {
		group.Go(func() {
			for {
				number, ok := take()
				if !ok {
					return
				}
				f := config.fixture(&Entrant{Player: a}, &Entrant{Player: b}, number)
				f.meter = config.Meter
				g, err := f.Play(ctx)
				if err != nil {
					cancel(fmt.Errorf("game %d of %s against %s: %w", number+1, a.Name(), b.Name(), err))
					return
				}
				trace := traceOf(g, moveList(g.Actions))
				mu.Lock()
				tally.add(g, known.add(trace))
				trial.add(g.Number, g.Won(), trace)
				if observe != nil {
					observe(g)
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	tally.Test, tally.Pairs = trial.decision, trial.pairs
	return tally, context.Cause(ctx)
}
