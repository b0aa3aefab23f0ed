package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"

	"warren/data"
	"warren/internal/durable"
)

// ErrNoGames is wrapped by the error of [Shards] for a directory without shards.
var ErrNoGames = errors.New("no games")

// Shards returns the paths of the shards of a run, or of those in a directory of shards.
func Shards(dir string) ([]string, error) {
	if !durable.IsDir(dir) {
		return nil, fmt.Errorf("there is no directory %s: name a run, or a directory that selfplay has filled", dir)
	}
	if games := filepath.Join(dir, "games"); durable.IsDir(games) {
		dir = games
	}
	paths, err := durable.List(dir, "games-*.parquet")
	if err != nil {
		return nil, fmt.Errorf("looking for games: %w", err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s has %w: name a run, or a directory that selfplay has filled", dir, ErrNoGames)
	}
	return paths, nil
}

// shard is a file of games whose first number is in its name.
type shard struct {
	path  string
	first uint64
}

// ordered returns the shards at paths in ascending order of their first game.
func ordered(paths []string) ([]shard, error) {
	shards := make([]shard, len(paths))
	for i, path := range paths {
		shards[i].path = path
		if _, err := fmt.Sscanf(filepath.Base(path), "games-%d-", &shards[i].first); err != nil {
			return nil, fmt.Errorf("%s is not the name of a shard: move the file elsewhere", path)
		}
	}
	slices.SortStableFunc(shards, func(a, b shard) int { return cmp.Compare(a.first, b.first) })
	return shards, nil
}

// source is an open shard: its next game, and how to get those after it.
type source struct {
	head *data.Record
	next func() (*data.Record, error, bool)
	stop func()
}

// Games yields the games of the shards at paths in ascending order of number, then of hash, each once. An error ends
// the sequence. A shard is open from its first game to its last, so the memory that this takes is that of the shards
// with games of the same numbers. Games calls done after each shard.
func Games(paths []string, done func()) iter.Seq2[*data.Record, error] {
	return func(yield func(*data.Record, error) bool) {
		shards, err := ordered(paths)
		if err != nil {
			yield(nil, err)
			return
		}
		var open []*source
		defer func() {
			for _, s := range open {
				s.stop()
			}
		}()
		var last *data.Record
		for {
			for len(shards) > 0 && (len(open) == 0 || shards[0].first <= lowest(open).head.Game) {
				s, err := openSource(shards[0].path)
				if err != nil {
					yield(nil, err)
					return
				}
				shards = shards[1:]
				if s != nil {
					open = append(open, s)
				}
			}
			if len(open) == 0 {
				return
			}
			s := lowest(open)
			r := s.head
			if last == nil || last.Game != r.Game || last.Hash() != r.Hash() {
				if !yield(r, nil) {
					return
				}
				last = r
			}
			more, err := s.advance()
			if err != nil {
				yield(nil, err)
				return
			}
			if !more {
				s.stop()
				open = slices.DeleteFunc(open, func(o *source) bool { return o == s })
				done()
			}
		}
	}
}

// openSource opens a shard and reads its first game.
func openSource(path string) (*source, error) {
	opened, err := data.OpenShard(path)
	if err != nil {
		return nil, err
	}
	s := &source{}
	s.next, s.stop = iter.Pull2(opened.Records())
	more, err := s.advance()
	if err != nil || !more {
		s.stop()
		return nil, err
	}
	return s, nil
}

// advance goes to the next game. It reports false if there is none.
func (s *source) advance() (more bool, err error) {
	s.head, err, more = s.next()
	return more && err == nil, err
}

// lowest returns the source with the lowest next game.
func lowest(open []*source) *source {
	return slices.MinFunc(open, func(a, b *source) int {
		x, y := a.head.Hash(), b.head.Hash()
		return cmp.Or(cmp.Compare(a.head.Game, b.head.Game), bytes.Compare(x[:], y[:]))
	})
}
