package convert

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warren/data"
	"warren/data/datatest"
	"warren/internal/durable"
)

// The directories in testdata were written by the last commits that wrote these versions: v1 by
// 7eb7886, v2 by 52e320a, v3 by a3401cc and v4 by f288acf.
//
//	train --config smoke --run v1 --set loop.generations=1 --set loop.bootstrap_games=10 \
//	    --set selfplay.turn_limit=10 --set data.games_per_shard=5 \
//	    --set selfplay.random_openings=0.3 --set selfplay.random_turns=4 --set match.every=0
//	train --config smoke --run v2 (the same) --set search.rule=gumbel --set selfplay.setup_policy_weight=0.5
//	train --config smoke --run v3 --set loop.generations=4 --set loop.bootstrap_games=4 \
//	    --set loop.games_per_generation=4 --set selfplay.turn_limit=10 --set data.games_per_shard=8 \
//	    --set selfplay.random_openings=0.3 --set selfplay.random_turns=4 \
//	    --set selfplay.older_opponents=0.6 --set match.every=0
//	train --config smoke --run v4 --set loop.generations=4 --set loop.bootstrap_games=4 \
//	    --set loop.games_per_generation=6 (and otherwise as v3) --set selfplay.older_opponents=0.5 \
//	    --set selfplay.handicap_games=0.3
var versions = []string{"v1", "v2", "v3", "v4"}

// copied returns a copy of the shards of a version.
func copied(t testing.TB, version string) string {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", version))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// mustRun converts a directory in which nothing is wrong.
func mustRun(t testing.TB, dir string) *Report {
	t.Helper()
	report, err := Run(t.Context(), dir, quiet(), nil)
	if err != nil || len(report.Damaged) > 0 {
		t.Fatalf("%v: %v", err, report)
	}
	return report
}

// shards returns the names of the shards in a directory and their content.
func shards(t testing.TB, dir string) map[string]string {
	t.Helper()
	paths, err := durable.List(dir, "games-*")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(b)
	}
	return files
}

// A reader refuses older shards in one line that names the command, and does not touch them.
func TestReadersRefuse(t *testing.T) {
	for _, version := range versions {
		run := t.TempDir()
		dir := filepath.Join(run, "games")
		if err := os.Rename(copied(t, version), dir); err != nil {
			t.Fatal(err)
		}
		before := shards(t, dir)
		_, err := data.Scan(dir, quiet())
		if !errors.Is(err, data.ErrFormat) || errors.Is(err, data.ErrDamaged) ||
			!strings.HasSuffix(err.Error(), "convert the games with warren convert "+run) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line that ends with the command", version, err)
		}
		if !maps.Equal(before, shards(t, dir)) {
			t.Errorf("%s: scanning changed the files", version)
		}
	}
}

// A second conversion changes nothing.
func TestRunTwice(t *testing.T) {
	dir := copied(t, "v3")
	if r := mustRun(t, dir); r.Files != 4 || r.Games != 16 || r.Present != 0 || len(r.LeftOut) > 0 {
		t.Errorf("the report is %+v", r)
	}
	once := shards(t, dir)
	if r := mustRun(t, dir); r.Files != 0 || r.Games != 0 || r.Present != 4 {
		t.Errorf("the second report is %+v", r)
	}
	if !maps.Equal(once, shards(t, dir)) || len(once) != 4 {
		t.Errorf("there are the files %v, then %v", slices.Collect(maps.Keys(once)), slices.Collect(maps.Keys(shards(t, dir))))
	}
}

// The shards are found from the directory of the run, and from their own.
func TestRunOfARun(t *testing.T) {
	run := t.TempDir()
	games := filepath.Join(run, "games")
	for _, dir := range []string{run, games} {
		if err := os.CopyFS(games, os.DirFS("testdata/v2")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(run, "config.yaml"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		busy, err := durable.LockDir(run, "busy")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Run(t.Context(), dir, quiet(), nil); err == nil || !strings.Contains(err.Error(), "another process works on "+run) {
			t.Errorf("error %v, while another process works on the run", err)
		}
		busy.Close()
		if r := mustRun(t, dir); r.Files != 2 || r.Games != 10 {
			t.Errorf("%s: %v", dir, r)
		}
		for name := range shards(t, games) {
			if err := os.Remove(filepath.Join(games, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := Run(t.Context(), filepath.Join(run, "none"), quiet(), nil); err == nil || !strings.Contains(err.Error(), "there is no directory") {
		t.Errorf("error %v for a directory that does not exist", err)
	}
}

// Whenever the conversion stops, running it again has the same result.
func TestRunAfterAKill(t *testing.T) {
	whole := copied(t, "v3")
	mustRun(t, whole)
	want := shards(t, whole)

	for stop := range 4 { // between two shards
		dir := copied(t, "v3")
		ctx, cancel := context.WithCancel(t.Context())
		report, err := Run(ctx, dir, quiet(), func(done, total int) {
			if total != 4 {
				t.Errorf("there are %d shards to convert", total)
			}
			if done == stop {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || report.Files != stop {
			t.Errorf("stopped before shard %d: %v, %v", stop, report, err)
		}
		mustRun(t, dir)
		if !maps.Equal(want, shards(t, dir)) {
			t.Errorf("stopped before shard %d: the result is another", stop)
		}
	}

	// Killed while a new shard was being written, and after that, before the old one was removed.
	dir := copied(t, "v3")
	for name, content := range want {
		for path, b := range map[string]string{durable.TempPrefix + name: content[:len(content)/2], name: content} {
			if err := os.WriteFile(filepath.Join(dir, path), []byte(b), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	mustRun(t, dir)
	if !maps.Equal(want, shards(t, dir)) {
		t.Errorf("with both the new and the old shards, the result differs")
	}
	if left, _ := durable.List(dir, durable.TempPrefix+"*"); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// An old shard stays until its games have been read from the new one, and if that cannot be written.
func TestOldShardStaysUntilVerified(t *testing.T) {
	dir := copied(t, "v1")
	before := shards(t, dir)
	for name, content := range before {
		path := filepath.Join(dir, name)
		f, err := data.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c := &converter{dir: t.TempDir(), log: quiet(), report: Report{LeftOut: map[string]int{}}}
		c.verify = func(info data.ShardInfo, _ []*data.Record) error {
			if _, err := os.Stat(path); err != nil || info.Games != 5 {
				t.Errorf("with the new shard %+v: %v", info, err)
			}
			return data.ErrDamaged
		}
		if err := c.shard(path, f); err == nil || errors.Is(err, data.ErrDamaged) || !strings.Contains(err.Error(), "the old one stays") || c.report.Games != 0 {
			t.Errorf("error %v, and the report %v", err, &c.report)
		}
		c.dir = filepath.Join(dir, "none")
		if err := c.shard(path, f); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v where nothing can be written", err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != content {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// same notices every difference between the games that were read and those on the disk.
func TestVerification(t *testing.T) {
	dir := copied(t, "v2")
	mustRun(t, dir)
	all := datatest.Read(t, dir)[:5]
	info, err := data.WriteShard(t.TempDir(), 0, all)
	if err != nil {
		t.Fatal(err)
	}
	if err := same(info, all); err != nil {
		t.Error(err)
	}
	changed := *all[1]
	changed.Seed++
	if err := same(info, []*data.Record{all[0], &changed, all[2], all[3], all[4]}); err == nil {
		t.Error("another seed was not noticed")
	}
	if err := same(info, all[:4]); err == nil {
		t.Error("a game too many was not noticed")
	}
	other := *all[0]
	other.ID = data.Hash{1}
	if err := same(info, []*data.Record{all[0], all[1], all[2], all[3], &other}); err == nil {
		t.Error("a missing game was not noticed")
	}
	few, err := data.WriteShard(t.TempDir(), 0, all[:4])
	if err != nil {
		t.Fatal(err)
	}
	if info.Path = few.Path; same(info, all) == nil {
		t.Error("a game too few was not noticed")
	}
}

// Damaged shards are set aside, and what is not a file is passed over; the rest is converted.
func TestRunPassesOver(t *testing.T) {
	dir := copied(t, "v3")
	paths, err := durable.List(dir, "games-*")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(paths[1])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 16
	if err := os.WriteFile(paths[1], b, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"games-00000007-0123456789abcdef.parquet", "games-00000009-0123456789abcdef.parquet"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	report, err := Run(t.Context(), dir, slog.New(slog.NewTextHandler(&log, nil)), nil)
	if err != nil || report.Files != 3 || report.Games != 12 || !slices.Equal(report.Damaged, []string{paths[1] + ".damaged"}) {
		t.Errorf("%v, %+v", err, report)
	}
	if n := strings.Count(log.String(), "passing over"); n != 2 {
		t.Errorf("%d lines name the directories:\n%s", n, log.String())
	}
	if again, err := os.ReadFile(paths[1] + ".damaged"); err != nil || !bytes.Equal(again, b) {
		t.Errorf("the damaged shard has changed: %v", err)
	}
}

// The report says what was done in one line.
func TestReport(t *testing.T) {
	for want, r := range map[string]Report{
		"1 file with 5 games converted":                                         {Files: 1, Games: 5},
		"0 files with 0 games converted, 2 files in the present format already": {Present: 2},
		"2 files with 1 game converted, 3 games left out (not valid), 1 file with such games kept as *.old": {
			Files: 2, Games: 1, LeftOut: map[string]int{"not valid": 3}, Kept: []string{"x"}},
		"0 files with 0 games converted, 1 file damaged and renamed": {Damaged: []string{"x"}},
	} {
		if got := r.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
