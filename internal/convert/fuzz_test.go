package convert

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/data"
)

// Whatever the bytes of a file are, converting it ends without an error other than that of a newer
// format, and leaves valid games in the present format. The file is removed, or kept under another name.
func FuzzRun(f *testing.F) {
	for _, version := range versions {
		for _, content := range shards(f, filepath.Join("testdata", version)) {
			f.Add([]byte(content))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		sum := sha256.Sum256(b)
		name := fmt.Sprintf("games-00000000-%x.parquet", sum[:8])
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
		report, err := Run(t.Context(), dir, quiet(), nil)
		after := shards(t, dir)
		if err != nil {
			if !errors.Is(err, data.ErrFormat) || strings.Contains(err.Error(), "\n") || !maps.Equal(after, map[string]string{name: string(b)}) {
				t.Fatalf("%v: %v, and there are %d files", err, report, len(after))
			}
			return
		}
		switch {
		case report.Present == 1 && after[name] == string(b):
		case after[name] != "":
			t.Fatalf("%v, and the file is still there", report)
		case len(report.Damaged)+len(report.Kept) == 1 && after[name+".damaged"]+after[name+".old"] != string(b):
			t.Fatalf("%v, and the file that was kept has changed", report)
		case len(report.Damaged)+len(report.Kept) == 0 && report.Games == 0:
			t.Fatalf("%v, and the file is gone", report)
		}
		if report.Present == 0 && len(records(t, dir)) != report.Games {
			t.Fatalf("%v, and there are %d games", report, len(records(t, dir)))
		}
	})
}
