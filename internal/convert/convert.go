// Package convert converts games of earlier versions of the program into the present format of package
// data, which reads no other.
//
// A game keeps its number, its arrival number and its identity. So a run that is continued has the same
// replay window, in the same order, and the same games are held out and discarded. A converted shard has
// another name, because the name has the hash of its content.
//
// [Run] converts one shard after another. It writes the new shard completely, renames it, reads it again
// and compares it game by game. Then it removes the old one. If it is killed at any moment, running
// it again finishes the work: a shard that has already been converted gives the same new shard, under the
// same name.
package convert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"warren/data"
	"warren/internal/durable"
	"warren/internal/plural"
)

// oldSuffix is appended to the name of a shard that has games which cannot be converted.
const oldSuffix = ".old"

// shardPattern matches the names of shards.
const shardPattern = "games-*.parquet"

// Report is what [Run] did.
type Report struct {
	Files   int            // shards that were converted
	Games   int            // games in them that were converted
	Present int            // shards that were in the present format already
	LeftOut map[string]int // games that were not converted, by the reason
	Kept    []string       // paths of the old shards with such games, which got the suffix .old
	Damaged []string       // paths of damaged shards, which got the suffix .damaged
}

// String returns the report in a line.
func (r *Report) String() string {
	text := fmt.Sprintf("%s with %s converted", plural.Of(r.Files, "file"), plural.Of(r.Games, "game"))
	if r.Present > 0 {
		text += fmt.Sprintf(", %s in the present format already", plural.Of(r.Present, "file"))
	}
	for _, reason := range slices.Sorted(maps.Keys(r.LeftOut)) {
		text += fmt.Sprintf(", %s left out (%s)", plural.Of(r.LeftOut[reason], "game"), reason)
	}
	if len(r.Kept) > 0 {
		text += fmt.Sprintf(", %s with such games kept as *%s", plural.Of(len(r.Kept), "file"), oldSuffix)
	}
	if len(r.Damaged) > 0 {
		text += fmt.Sprintf(", %s damaged and renamed", plural.Of(len(r.Damaged), "file"))
	}
	return text
}

// Run converts the games of a run, or those in a directory of shards. It logs what is damaged or not a
// file, and passes over it. It calls progress, if not nil, with the number of shards done, and of all.
// If the context ends, Run returns its error and the report so far.
func Run(ctx context.Context, dir string, log *slog.Logger, progress func(done, total int)) (*Report, error) {
	owner, shards, err := find(dir)
	if err != nil {
		return nil, err
	}
	lock, err := durable.LockDir(owner, fmt.Sprintf("another process works on %s: wait for it, or stop it", owner))
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if err := durable.Sweep(shards); err != nil {
		return nil, err
	}
	paths, err := durable.List(shards, shardPattern)
	if err != nil {
		return nil, fmt.Errorf("looking for games: %w", err)
	}
	c := &converter{dir: shards, log: log, verify: same, report: Report{LeftOut: map[string]int{}}}
	for i, path := range paths {
		if progress != nil {
			progress(i, len(paths))
		}
		if err := ctx.Err(); err != nil {
			return &c.report, err
		}
		if err := c.file(path); err != nil {
			return &c.report, err
		}
	}
	return &c.report, nil
}

// find returns the directory to lock, a run's if there is one, and that of its shards.
func find(dir string) (owner, shards string, err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", "", fmt.Errorf("there is no directory %s", dir)
	}
	games := filepath.Join(dir, "games")
	if info, err := os.Stat(games); err == nil && info.IsDir() {
		return dir, games, nil
	}
	whole, err := filepath.Abs(dir)
	if err != nil {
		return "", "", fmt.Errorf("finding the games: %w", err)
	}
	if run := filepath.Dir(whole); filepath.Base(whole) == "games" {
		if _, err := os.Stat(filepath.Join(run, "config.yaml")); err == nil {
			return run, dir, nil
		}
	}
	if paths, err := durable.List(dir, shardPattern); err != nil || len(paths) == 0 {
		if err != nil {
			return "", "", fmt.Errorf("looking for games: %w", err)
		}
		return "", "", fmt.Errorf("%s holds no run and no games: name the directory of a run, or one that selfplay has filled", dir)
	}
	return dir, dir, nil
}

type converter struct {
	dir    string
	log    *slog.Logger
	verify func(data.ShardInfo, []*data.Record) error
	report Report
}

// file converts the shard at path, unless it is in the present format.
func (c *converter) file(path string) error {
	f, err := data.OpenFile(path)
	switch {
	case err == nil && f.Version() < data.Version:
		err = c.shard(path, f)
	case err == nil:
		if _, err = data.OpenShard(path); err == nil {
			c.report.Present++
		}
	case data.NotAFile(err):
		c.log.Warn("passing over what has the name of a shard but is not a file", "path", path, "error", err)
		return nil
	}
	if errors.Is(err, data.ErrDamaged) {
		aside, err := data.SetAside(path, err, c.log)
		c.report.Damaged = append(c.report.Damaged, aside)
		return err
	}
	return err
}

// shard converts an older shard. An error that wraps data.ErrDamaged is about the old one.
func (c *converter) shard(path string, f *data.File) error {
	var records []*data.Record
	left := 0
	for w, err := range data.Rows[row](f) {
		if err != nil {
			return err
		}
		r, reason := c.record(w, f.Version())
		if reason != "" {
			c.report.LeftOut[reason]++
			left++
			continue
		}
		records = append(records, r)
	}
	if len(records) > 0 {
		info, err := data.WriteShard(c.dir, f.Arrival(), records)
		if err != nil {
			return fmt.Errorf("converting %s: %w", path, err)
		}
		if err := c.verify(info, records); err != nil {
			return fmt.Errorf("converting %s: the new shard %s is not what was written, and the old one stays: %v", path, info.Path, err)
		}
	}
	c.report.Files++
	c.report.Games += len(records)
	if err := c.retire(path, left > 0); err != nil {
		return fmt.Errorf("removing a shard that has been converted: %w", err)
	}
	return nil
}

// record converts a game. If that is not possible, it returns the reason.
func (c *converter) record(w *row, version int) (r *data.Record, reason string) {
	if w.Missing != 0 {
		return nil, "with a handicap, which is not played any more"
	}
	r, err := w.record(version)
	if err == nil {
		err = r.Validate()
	}
	if err != nil {
		c.log.Warn("leaving out a game that is not valid", "game", w.Game, "error", err)
		return nil, "not valid"
	}
	return r, ""
}

// same compares a new shard, as it is on the disk, with the records that it should have.
func same(info data.ShardInfo, records []*data.Record) error {
	shard, err := data.OpenShard(info.Path)
	if err != nil {
		return err
	}
	want := map[data.Hash][]byte{}
	for _, r := range records {
		want[r.Hash()], _ = r.AppendBinary(nil)
	}
	if info.Games != len(want) {
		return fmt.Errorf("it has %d games instead of %d", info.Games, len(want))
	}
	for r, err := range shard.Records() {
		if err != nil {
			return err
		}
		got, _ := r.AppendBinary(nil)
		if b, ok := want[r.Hash()]; !ok || !bytes.Equal(got, b) {
			return fmt.Errorf("its game %d is another", r.Game)
		}
		delete(want, r.Hash())
	}
	if len(want) > 0 {
		return fmt.Errorf("%d games are not in it", len(want))
	}
	return nil
}

// retire removes an old shard, or renames it if it has games that were left out.
func (c *converter) retire(path string, keep bool) error {
	if keep {
		if err := os.Rename(path, path+oldSuffix); err != nil {
			return err
		}
		c.report.Kept = append(c.report.Kept, path+oldSuffix)
	} else if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.SyncDir(c.dir)
}
