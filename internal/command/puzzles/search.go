package puzzles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/puzzle"
	"warren/internal/puzzle/find"
	"warren/internal/visible"
)

// search looks for puzzles in the games, until the set is full. It adds them in the
// order of the games within each batch, so that the number of workers does not matter.
func search(ctx context.Context, games []recorded, natural func(context.Context, *game.Game) ([][]game.Action, error), set *find.Set, n int, report func(done int)) error {
	n = cmp.Or(n, runtime.GOMAXPROCS(0))
	const batch = 8 // games between two looks at what is wanted
	finders := make([]find.Finder, n)
	for i := range finders {
		finders[i].Natural = natural
	}
	for done := 0; done < len(games) && !set.Full(); {
		now := games[done:min(done+batch, len(games))]
		found, errs := make([][]puzzle.Puzzle, len(now)), make([]error, len(now))
		var group sync.WaitGroup
		next, want := make(chan int), set.Want()
		for w := range n {
			group.Go(func() {
				for i := range next {
					found[i], errs[i] = finders[w].Game(ctx, now[i].actions, now[i].source, want)
				}
			})
		}
		for i := range now {
			next <- i
		}
		close(next)
		group.Wait()
		for _, puzzles := range found {
			for _, p := range puzzles {
				set.Add(p)
			}
		}
		if err := cmp.Or(errs...); err != nil {
			return err
		}
		done += len(now)
		report(done)
	}
	return nil
}

// drawn is how many turns are drawn for the choices of a trap.
const drawn = 24

// drawer draws turns of a player, for several games at once.
type drawer struct {
	player arena.Player

	played   atomic.Bool // whether the player has played a turn
	mu       sync.Mutex
	forfeits int // turns that the player forfeited
	first    *arena.Forfeit
}

// draws returns turns that the player plays from g, the most frequent first. Those that it forfeits, as an engine that
// crashes does, are left out. If it has played none so far, that is an error.
func (d *drawer) draws(ctx context.Context, g *game.Game) ([][]game.Action, error) {
	type choice struct {
		turn  []game.Action
		times int
	}
	byEnd := map[game.Board]*choice{}
	var all []*choice
	for seed := range uint64(drawn) {
		turn, err := arena.Turn(ctx, d.player, g, seed)
		if forfeit, ok := errors.AsType[*arena.Forfeit](err); ok && ctx.Err() == nil {
			d.leave(forfeit)
			if seed == drawn-1 && !d.played.Load() {
				return nil, err // it forfeits them all
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		d.played.Store(true)
		end := *puzzle.End(g.Clone(), turn).Board()
		if byEnd[end] == nil {
			byEnd[end] = &choice{turn: turn}
			all = append(all, byEnd[end])
		}
		byEnd[end].times++
	}
	slices.SortStableFunc(all, func(a, b *choice) int { return cmp.Compare(b.times, a.times) })
	var turns [][]game.Action
	for _, c := range all {
		turns = append(turns, c.turn)
	}
	return turns, nil
}

func (d *drawer) leave(f *arena.Forfeit) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.forfeits++; d.first == nil {
		d.first = f
	}
}

// report writes how many turns were forfeited, and why the first.
func (d *drawer) report(w io.Writer) {
	if d.forfeits > 0 {
		fmt.Fprintf(w, "--natural %s: turns that it forfeited are left out: %d. The first: %s.\n", d.player.Name(), d.forfeits, visible.Text(d.first.Cause))
	}
}
