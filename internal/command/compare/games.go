package compare

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"warren/data"
	"warren/internal/durable"
	"warren/internal/metrics"
)

// together is the number of games of each run that are in memory at once, at most.
const together = 1024

// compareGames compares the games with the same number.
func compareGames(ctx context.Context, a, b string, progress *metrics.Progress) (*result, error) {
	shards, err := shardsOf(ctx, a, progress)
	if err != nil {
		return nil, err
	}
	others, err := shardsOf(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	r, total := &result{}, 0
	for _, s := range shards {
		total += s.games
	}
	all := slices.Concat(shards, others)
	for at, ok := next(all, 0); ok; at, ok = next(all, at+together) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress.Update(metrics.Status{Title: "comparing the games", Done: float64(r.same + len(r.differ)), Total: float64(total)})
		games, err := readGames(shards, at)
		if err != nil {
			return nil, err
		}
		same, err := readGames(others, at)
		if err != nil {
			return nil, err
		}
		r.compare(a, games, b, same)
	}
	return r, nil
}

// compare adds the comparison of games of the run a with those of the run b.
func (r *result) compare(a string, games map[uint64]*data.Record, b string, others map[uint64]*data.Record) {
	for _, number := range slices.Sorted(maps.Keys(games)) {
		g, other := games[number], others[number]
		if other == nil {
			r.missing = append(r.missing, fmt.Sprintf("game %d is not in %s", number, b))
			continue
		}
		if text := difference(g, other); text != "" {
			r.differ = append(r.differ, fmt.Sprintf("game %d: %s", number, text))
			continue
		}
		r.same++
		r.parts += len(g.Decisions)
	}
	for _, number := range slices.Sorted(maps.Keys(others)) {
		if games[number] == nil {
			r.missing = append(r.missing, fmt.Sprintf("game %d is not in %s", number, a))
		}
	}
}

// shard is a file of games, with their number, the lowest game number and the highest.
type shard struct {
	path        string
	games       int
	first, last uint64
}

func shardsOf(ctx context.Context, run string, progress *metrics.Progress) ([]shard, error) {
	paths, err := durable.List(filepath.Join(run, "games"), "*.parquet")
	if err != nil {
		return nil, fmt.Errorf("looking for games: %w", err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s has no games: name the directory of a run", run)
	}
	var shards []shard
	for i, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress.Update(metrics.Status{Title: "looking at the games of " + run, Done: float64(i), Total: float64(len(paths))})
		s := shard{path: path, first: math.MaxUint64}
		err := each(path, func(g *data.Record) {
			s.games++
			s.first, s.last = min(s.first, g.Game), max(s.last, g.Game)
		})
		if err != nil {
			return nil, err
		}
		shards = append(shards, s)
	}
	return shards, nil
}

// next returns the lowest number from at on that a shard may have.
func next(shards []shard, at uint64) (lowest uint64, ok bool) {
	lowest = math.MaxUint64
	for _, s := range shards {
		if s.last >= at {
			lowest, ok = min(lowest, max(s.first, at)), true
		}
	}
	return lowest, ok
}

// readGames reads the games with the numbers from first on, as many as are compared together.
func readGames(shards []shard, first uint64) (map[uint64]*data.Record, error) {
	games := map[uint64]*data.Record{}
	for _, s := range shards {
		if s.last < first || s.first >= first+together {
			continue
		}
		err := each(s.path, func(g *data.Record) {
			if g.Game >= first && g.Game < first+together {
				games[g.Game] = g
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return games, nil
}

// each calls f with every game of a shard.
func each(path string, f func(*data.Record)) error {
	s, err := data.OpenShard(path)
	if err != nil {
		return err
	}
	for g, err := range s.Records() {
		if err != nil {
			return err
		}
		f(g)
	}
	return nil
}

// difference describes the first difference between two games in what was
// played and searched, empty if there is none. The names of run and settings
// play no part, nor does what the older of two formats cannot hold.
func difference(a, b *data.Record) string {
	for i := range min(len(a.Decisions), len(b.Decisions)) {
		d, e := &a.Decisions[i], &b.Decisions[i]
		switch {
		case d.Action != e.Action:
			return fmt.Sprintf("decision %d is the action %d and the action %d", i, d.Action, e.Action)
		case !slices.Equal(d.Visits, e.Visits):
			return fmt.Sprintf("decision %d has other visits", i)
		case math.Float32bits(d.Value) != math.Float32bits(e.Value):
			return fmt.Sprintf("decision %d has the value %v and the value %v", i, d.Value, e.Value)
		case d.Full != e.Full || d.PolicyWeight != e.PolicyWeight || d.ValueWeight != e.ValueWeight || !slices.Equal(d.Policy, e.Policy):
			return fmt.Sprintf("decision %d teaches something else", i)
		}
	}
	switch {
	case len(a.Decisions) != len(b.Decisions):
		return fmt.Sprintf("%d and %d decisions", len(a.Decisions), len(b.Decisions))
	case a.Result != b.Result || a.Turns != b.Turns:
		return fmt.Sprintf("%v after %d turns and %v after %d", a.Result, a.Turns, b.Result, b.Turns)
	case a.Network != b.Network || a.Generation != b.Generation:
		return fmt.Sprintf("played by generation %d (%.8s) and generation %d (%.8s)", a.Generation, a.Network, b.Generation, b.Network)
	}
	return ""
}
