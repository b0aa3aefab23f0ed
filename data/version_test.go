package data

import (
	"bytes"
	"errors"
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

// A shard in an unknown format is refused in one line that names it, and stays where it is.
func TestUnknownFormatIsRefused(t *testing.T) {
	type more struct {
		rowV1
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
		"newer version":       {func(dir string) string { return place(t, dir, now, Version+1) }, "a newer program wrote it"},
		"columns of another":  {func(dir string) string { return place(t, dir, now, 1) }, "columns are not those of version 1"},
		"an unknown column":   {func(dir string) string { return place(t, dir, []more{{Extra: 3}}, Version) }, "columns are not those of version 4"},
		"an unknown column 1": {func(dir string) string { return place(t, dir, []more{{Extra: 3}}, 1) }, "columns are not those of version 1"},
		"missing columns":     {func(dir string) string { return place(t, dir, []less{{Game: 3}}, Version) }, "columns are not those of version 4"},
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
