package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"warren/data"
	"warren/metrics"
)

// compareGames compares the games with the same number.
func compareGames(ctx context.Context, a, b string, progress *metrics.Progress) (*result, error) {
	games, err := readGames(ctx, a, progress)
	if err != nil {
		return nil, err
	}
	others, err := readGames(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	r := &result{}
	for _, number := range slices.Sorted(maps.Keys(games)) {
		g := games[number]
		other, ok := others[number]
		if !ok {
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
	return r, nil
}

// readGames reads all games of a run, by their numbers.
func readGames(ctx context.Context, run string, progress *metrics.Progress) (map[uint64]*data.Record, error) {
	paths, err := filepath.Glob(filepath.Join(run, "games", "*.parquet"))
	if err != nil {
		return nil, fmt.Errorf("looking for games: %w", err)
	}
	games := map[uint64]*data.Record{}
	for i, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress.Update(metrics.Status{Title: "reading the games of " + run, Done: float64(i), Total: float64(len(paths))})
		shard, err := data.OpenShard(path)
		if err != nil {
			return nil, err
		}
		for g, err := range shard.Records() {
			if err != nil {
				return nil, err
			}
			games[g.Game] = g
		}
	}
	if len(games) == 0 {
		return nil, fmt.Errorf("%s has no games: name the directory of a run", run)
	}
	return games, nil
}

// difference describes the first difference between two games in what was
// played and searched, empty if there is none. The names of run and settings
// play no part, nor does what the older of two formats cannot hold.
func difference(a, b *data.Record) string {
	if a.Missing != b.Missing {
		return fmt.Sprintf("pieces are missing on the squares %#x and %#x", a.Missing, b.Missing)
	}
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
