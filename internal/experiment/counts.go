package experiment

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"warren/data"
	"warren/internal/durable"
)

// shardTally is what was counted in a shard.
type shardTally struct {
	Shard   string `json:"shard"` // file name
	Arrival uint64 `json:"arrival"`
	First   uint64 `json:"first"` // number of its first game
	tally
}

// counts counts the games of all runs. It counts each shard once and keeps the
// result in the experiment's directory.
type counts struct {
	dir dir

	mu   sync.Mutex
	runs map[Run][]shardTally // by arrival
}

func newCounts(d dir) *counts { return &counts{dir: d, runs: map[Run][]shardTally{}} }

// of returns the tallies of a run's shards in the order of their arrival.
func (c *counts) of(r Run) ([]shardTally, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.runs[r]
	if !ok {
		var err error
		if known, err = readTallies(c.dir.signs(r)); err != nil {
			return nil, err
		}
	}
	known, err := c.countNew(r, known)
	slices.SortFunc(known, func(a, b shardTally) int {
		return cmp.Or(cmp.Compare(a.Arrival, b.Arrival), cmp.Compare(a.First, b.First))
	})
	c.runs[r] = known
	return slices.Clone(known), err
}

// countNew counts the shards that are not known yet and keeps what it finds.
func (c *counts) countNew(r Run, known []shardTally) (all []shardTally, err error) {
	counted := map[string]bool{}
	for _, s := range known {
		counted[s.Shard] = true
	}
	paths, err := durable.List(c.dir.games(r), "games-*.parquet")
	if err != nil {
		return known, fmt.Errorf("looking for games: %w", err)
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return counted[filepath.Base(path)] })
	if len(paths) == 0 {
		return known, nil
	}
	log, err := durable.OpenLog(c.dir.signs(r))
	if err != nil {
		return known, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	for _, path := range paths {
		s, err := countShard(path)
		if errors.Is(err, data.ErrDamaged) || data.NotAFile(err) {
			continue // the run itself reports it and sets it aside
		}
		if err != nil {
			return known, err
		}
		text, err := json.Marshal(s)
		if err != nil {
			return known, fmt.Errorf("keeping what was counted: %w", err)
		}
		if err := log.Append(text); err != nil {
			return known, err
		}
		known = withTally(known, s)
	}
	return known, nil
}

func countShard(path string) (shardTally, error) {
	s := shardTally{Shard: filepath.Base(path)}
	shard, err := data.OpenShard(path)
	if err != nil {
		return s, err
	}
	s.Arrival = shard.Arrival()
	for record, err := range shard.Records() {
		if err != nil {
			return s, err
		}
		if s.Games == 0 {
			s.First = record.Game
		}
		s.count(record)
	}
	return s, nil
}

// readTallies reads what was kept. It returns nothing if there is no such file.
// A line that a crash has cut off is left out, and its shard is counted again. If
// a shard was converted to a newer format and counted again, the later line counts.
func readTallies(path string) ([]shardTally, error) {
	content, err := durable.ReadFile(path, durable.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what was counted: %w", err)
	}
	var all []shardTally
	lines := bufio.NewReader(bytes.NewReader(content))
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return all, nil
		}
		var s shardTally
		if err := json.Unmarshal(line, &s); err != nil {
			return nil, fmt.Errorf("reading %s: %w; remove the file, and its games are counted again", path, err)
		}
		all = withTally(all, s)
	}
}

// withTally adds the tally of a shard, or puts it in the place of that of the same
// games under another name.
func withTally(all []shardTally, s shardTally) []shardTally {
	i := slices.IndexFunc(all, func(t shardTally) bool { return t.Arrival == s.Arrival && t.First == s.First })
	if i < 0 {
		return append(all, s)
	}
	all[i] = s
	return all
}
