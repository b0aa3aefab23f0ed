package data

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// place writes the rows as a shard of the given version and returns its path.
func place[T any](t *testing.T, dir string, rows []T, version int) string {
	t.Helper()
	b, err := encodeRows(rows, version, 0)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, named(b))
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// A shard in another format is refused in one line that names it, and stays where it is.
func TestOtherFormatIsRefused(t *testing.T) {
	type more struct {
		row
		Extra int32 `parquet:"extra"`
	}
	type less struct {
		Hash      string `parquet:"hash"`
		Game      uint64 `parquet:"game"`
		Positions int32  `parquet:"positions"`
	}
	now := []row{rowOf(goldenRecord())}
	for name, test := range map[string]struct {
		write func(dir string) string
		want  string
	}{
		"a newer version":   {func(dir string) string { return place(t, dir, now, Version+1) }, "a newer program wrote it"},
		"an older version":  {func(dir string) string { return place(t, dir, now, Version-1) }, "an older program wrote it"},
		"an unknown column": {func(dir string) string { return place(t, dir, []more{{Extra: 3}}, Version) }, "columns are not those of version"},
		"missing columns":   {func(dir string) string { return place(t, dir, []less{{Game: 3}}, Version) }, "columns are not those of version"},
	} {
		dir := t.TempDir()
		path := test.write(dir)
		_, err := OpenShard(path)
		if !errors.Is(err, ErrFormat) || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), test.want) ||
			!strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error is %v, want one line about %q", name, err, test.want)
		}
		var log bytes.Buffer
		if _, scanned := Scan(dir, slog.New(slog.NewTextHandler(&log, nil))); !errors.Is(scanned, ErrFormat) || log.Len() > 0 {
			t.Errorf("%s: scanning gave %v and logged %q", name, scanned, log.String())
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Metadata that no program writes counts as damage.
func TestVersionMustBeANumber(t *testing.T) {
	path := place(t, t.TempDir(), []row{rowOf(goldenRecord())}, -1)
	if _, err := OpenShard(path); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "version") {
		t.Errorf("error is %v", err)
	}
}

// What has a shard's name but is not a file is named in the log and passed over.
func TestScanPassesOverWhatIsNotAFile(t *testing.T) {
	dir := t.TempDir()
	info := arrive(t, dir, 1, randomRecords(0, 3, 45))
	strange := strangers(t, dir)
	var log bytes.Buffer
	x, err := Scan(dir, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil || x.Games != 3 || len(x.Shards) != 1 || x.Shards[0] != info || len(x.Damaged) > 0 {
		t.Fatalf("the index is %+v, %v", x, err)
	}
	if n := strings.Count(log.String(), "\n"); n != len(strange) {
		t.Errorf("the log has %d lines, want one for each of %v:\n%s", n, strange, log.String())
	}
	for _, path := range strange {
		if _, err := OpenShard(path); !NotAFile(err) {
			t.Errorf("%s: error %v", path, err)
		}
		if strings.Count(log.String(), path) == 0 {
			t.Errorf("%s is not named in the log:\n%s", path, log.String())
		}
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

// strangers makes a directory, a named pipe where there are such, and a link to nothing with the names
// of shards.
func strangers(t *testing.T, dir string) []string {
	path := func(n int) string {
		return filepath.Join(dir, fmt.Sprintf("games-%08d-0123456789abcdef.parquet", n))
	}
	paths := []string{path(1)}
	if err := os.Mkdir(path(1), 0o777); err != nil {
		t.Fatal(err)
	}
	if os.Symlink(filepath.Join(dir, "nothing"), path(2)) == nil {
		paths = append(paths, path(2))
	}
	if makePipe(path(3)) == nil {
		paths = append(paths, path(3))
	}
	return paths
}
