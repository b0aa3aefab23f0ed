package convert

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/data"
)

// Whatever the bytes of a file are, it is damaged or of a newer format, or its rows are valid games of the
// present format with the identity that they had, or left out.
func FuzzRows(f *testing.F) {
	for _, version := range versions {
		for _, content := range shards(f, filepath.Join("testdata", version)) {
			f.Add([]byte(content))
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		sum := sha256.Sum256(b)
		path := filepath.Join(dir, fmt.Sprintf("games-00000000-%x.parquet", sum[:8]))
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		file, err := data.OpenFile(path)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		known := func(err error) {
			if !errors.Is(err, data.ErrDamaged) && !errors.Is(err, data.ErrFormat) || strings.Contains(err.Error(), "\n") {
				t.Fatal(err)
			}
		}
		if err != nil {
			known(err)
			return
		}
		c := &converter{log: quiet()}
		for w, err := range data.Rows[row](file) {
			if err != nil {
				known(err)
				return
			}
			r, reason := c.record(w, file.Version())
			if reason != "" {
				continue
			}
			encoded, err := r.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			var again data.Record
			if err := errors.Join(r.Validate(), again.UnmarshalBinary(encoded), again.Validate()); err != nil || r.Hash().String() != w.Hash {
				t.Errorf("game %d, %s: %v", r.Game, w.Hash, err)
			}
		}
	})
}
