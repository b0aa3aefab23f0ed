package puzzles

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/puzzle"
	"warren/internal/puzzle/find"
)

// search looks for puzzles in the games, until the set is full. It adds them in the
// order of the games within each batch, so that the number of workers does not matter.
func search(ctx context.Context, games []recorded, player arena.Player, set *find.Set, n int, report func(done int)) error {
	n = workers(n)
	const batch = 8 // games between two looks at what is wanted
	finders := make([]find.Finder, n)
	for i := range finders {
		finders[i].Natural = func(ctx context.Context, g *game.Game) ([][]game.Action, error) { return draws(ctx, player, g) }
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
		for i := range now {
			if errs[i] != nil {
				return errs[i]
			}
			for _, p := range found[i] {
				set.Add(p)
			}
		}
		done += len(now)
		report(done)
	}
	return nil
}

// drawn is how many turns are drawn for the choices of a trap.
const drawn = 24

// draws returns turns that the player plays from g, the most frequent first.
func draws(ctx context.Context, player arena.Player, g *game.Game) ([][]game.Action, error) {
	type choice struct {
		turn  []game.Action
		times int
	}
	byEnd := map[game.Board]*choice{}
	var all []*choice
	for seed := range uint64(drawn) {
		turn, err := arena.Turn(ctx, player, g, seed)
		if err != nil {
			return nil, err
		}
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
