package data

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warren/internal/durable"
)

// damagedSuffix is appended to the name of a damaged shard.
const damagedSuffix = ".damaged"

// After patience, and then at every interval, a scan logs how far it is.
const patience, interval = 2 * time.Second, 10 * time.Second

// Index lists the content of a directory of shards.
type Index struct {
	Shards    []ShardInfo // in ascending order of Arrival, then of First, then of Path
	Games     int         // different records
	Positions int         // decisions to train on in them
	Arrival   uint64      // the highest arrival number, 0 without shards and games elsewhere
	Damaged   []string    // paths of the damaged shards, as renamed by this scan
	numbers   []uint64    // game numbers, ascending, each once
	records   map[Hash]bool
	moved     uint64 // lower numbers are those of games elsewhere
}

// Range is a range of game numbers.
type Range struct {
	First uint64 `json:"first"`
	Count int    `json:"count"`
}

// Totals counts games of a run.
type Totals struct {
	Games     int    `json:"games"`
	Positions int    `json:"positions"`         // decisions to train on in them
	Next      uint64 `json:"next"`              // the lowest number above those of all of them
	Arrival   uint64 `json:"arrival,omitempty"` // the highest arrival number of their shards; 0 if a former version counted
}

// Totals counts the games of the index.
func (x *Index) Totals() Totals {
	return Totals{Games: x.Games, Positions: x.Positions, Next: x.Next(), Arrival: x.Arrival}
}

// Add counts games that have been moved out of the directory. Lower numbers than t.Next count as played, and
// x.Arrival is at least t.Arrival, so that later games stay newer if these come back.
// If some of these games are in the directory again, they count once: their shards have only such
// numbers, and those of later games have none.
func (x *Index) Add(t Totals) {
	missing := x.Missing(t)
	x.Games += missing.Games
	x.Positions += missing.Positions
	x.moved = max(x.moved, t.Next)
	x.Arrival = max(x.Arrival, t.Arrival)
}

// Missing returns t, which counts the games of a run at some time, without those of them that are in the directory: its
// Games and Positions are lower, but not below 0.
func (x *Index) Missing(t Totals) Totals {
	for _, s := range x.Shards {
		if s.Last < t.Next {
			t.Games -= s.Games
			t.Positions -= s.Positions
		}
	}
	t.Games, t.Positions = max(0, t.Games), max(0, t.Positions)
	return t
}

// Scan verifies every shard in dir, on all cores, and returns their index. For a damaged shard it logs a warning,
// adds ".damaged" to its name and leaves it out. What has a shard's name but is not a file (a
// directory, a named pipe, a link to nothing) is passed over with a warning. A shard in another
// version's format is an error that wraps [ErrFormat]. Other files are ignored. A missing directory
// gives an empty index. If log is nil, nothing is logged.
func Scan(dir string, log *slog.Logger) (*Index, error) {
	return scan(dir, log, patience, SetAside, nil)
}

// Look is like [Scan], but it changes nothing: a damaged shard keeps its name. It is for directories
// that belong to another process. After every shard it calls looked, unless that is nil, with the number of
// files so far, that of all in the directory, and why this one is left out, nil if it is not. An error of
// looked ends the scan.
func Look(dir string, log *slog.Logger, looked func(done, total int, why error) error) (*Index, error) {
	return scan(dir, log, patience, func(path string, why error, log *slog.Logger) (string, error) {
		log.Warn("passing over a damaged shard; its games will be missing", "path", path, "error", why)
		return path, nil
	}, looked)
}

func scan(dir string, log *slog.Logger, patience time.Duration, aside func(string, error, *slog.Logger) (string, error), looked func(int, int, error) error) (*Index, error) {
	log = logger(log)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("scanning shards: %w", err)
	}
	x := &Index{records: map[Hash]bool{}}
	read := func(i int) contents {
		if name := entries[i].Name(); shardName.MatchString(name) {
			return readContents(filepath.Join(dir, name))
		}
		return contents{}
	}
	began := time.Now()
	for i, c := range ahead(len(entries), read) {
		e := entries[i]
		path := filepath.Join(dir, e.Name())
		if !shardName.MatchString(e.Name()) {
			if strings.HasSuffix(e.Name(), ".parquet") {
				log.Warn("ignoring a Parquet file whose name is not a shard's", "path", path)
			}
			continue
		}
		err := c.err
		switch {
		case err == nil:
			x.add(&c)
		case errors.Is(err, ErrDamaged):
			path, err := aside(path, err, log)
			if err != nil {
				return nil, err
			}
			x.Damaged = append(x.Damaged, path)
		case NotAFile(err):
			log.Warn("passing over what has the name of a shard but is not a file", "path", path, "error", err)
		default:
			return nil, err
		}
		if spent := time.Since(began); spent > patience {
			patience = spent + interval
			left := spent * time.Duration(len(entries)-i-1) / time.Duration(i+1)
			log.Info("reading all games", "path", dir, "files", i+1, "of", len(entries), "left", left.Round(time.Second))
		}
		if looked == nil {
			continue
		}
		if err := looked(i+1, len(entries), err); err != nil {
			return nil, err
		}
	}
	x.sort()
	return x, nil
}

// SetAside adds ".damaged" to the name of a damaged shard and logs why, unless log is nil. It returns the
// new path.
func SetAside(path string, why error, log *slog.Logger) (string, error) {
	logger(log).Warn("setting aside a damaged shard; its games will be missing", "path", path, "error", why)
	aside := path + damagedSuffix
	if err := os.Rename(path, aside); err != nil {
		return "", fmt.Errorf("setting aside a damaged shard: %w", err)
	}
	return aside, nil
}

// logger returns log, or if it is nil, one that logs nothing.
func logger(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}

// NotAFile reports whether the error of [OpenShard] says that there is no file at the path: nothing, a
// directory, a named pipe, a device, or a link to nothing.
func NotAFile(err error) bool {
	return errors.Is(err, durable.ErrSpecial) || errors.Is(err, fs.ErrNotExist)
}

// sort brings the shards and the numbers into their order.
func (x *Index) sort() {
	slices.SortFunc(x.Shards, func(a, b ShardInfo) int {
		return cmp.Or(cmp.Compare(a.Arrival, b.Arrival), cmp.Compare(a.First, b.First), cmp.Compare(a.Path, b.Path))
	})
	slices.Sort(x.numbers)
	x.numbers = slices.Compact(x.numbers)
}

// contents is what an index has of a shard, or why it has nothing of it.
type contents struct {
	info  ShardInfo
	games []indexed
	err   error
}

type indexed struct {
	hash      Hash
	number    uint64
	positions int
}

// readContents reads and verifies the shard at path.
func readContents(path string) (c contents) {
	shard, err := OpenShard(path)
	if err != nil {
		return contents{err: err}
	}
	c.info = ShardInfo{Path: path, Arrival: shard.Arrival()}
	for s, err := range Rows[summary](shard.File) {
		if err != nil {
			return contents{err: err}
		}
		h, err := ParseHash(s.Hash)
		if err != nil {
			return contents{err: shard.damaged(err)}
		}
		if len(c.games) == 0 {
			c.info.First, c.info.Last = s.Game, s.Game
		}
		c.info.First, c.info.Last = min(c.info.First, s.Game), max(c.info.Last, s.Game)
		c.info.Games++
		c.info.Positions += int(s.Positions)
		c.games = append(c.games, indexed{h, s.Game, int(s.Positions)})
	}
	return c
}

// add adds a shard to the index.
func (x *Index) add(c *contents) {
	for _, g := range c.games {
		if x.records[g.hash] {
			continue
		}
		x.records[g.hash] = true
		x.Games++
		x.Positions += g.positions
		x.numbers = append(x.numbers, g.number)
	}
	x.Shards = append(x.Shards, c.info)
	x.Arrival = max(x.Arrival, c.info.Arrival)
}

// Has reports whether the game with this number has been played.
func (x *Index) Has(number uint64) bool {
	_, ok := slices.BinarySearch(x.numbers, number)
	return ok || number < x.moved
}

// HasRecord reports whether the record with this identity is stored.
func (x *Index) HasRecord(h Hash) bool { return x.records[h] }

// Next returns the lowest number above those of all games. Lower numbers may be missing: games that
// were unfinished when the run stopped, or that were in a damaged shard.
func (x *Index) Next() uint64 {
	if len(x.numbers) == 0 {
		return x.moved
	}
	return max(x.moved, x.numbers[len(x.numbers)-1]+1)
}
