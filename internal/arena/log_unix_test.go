//go:build unix

package arena

import (
	"bytes"
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"warren/internal/durable"
)

// A named pipe in the place of the damaged lines is refused. Opening it would wait for a reader.
func TestPipeForDamagedLines(t *testing.T) {
	content, _ := finished(t)
	dir := written(t, bytes.Replace(content, []byte(`"winner":"gold"`), []byte(`"winner":"lead"`), 1))
	if err := syscall.Mkfifo(filepath.Join(dir, GamesFile+damagedSuffix), 0o600); err != nil {
		t.Skipf("no named pipe can be made here: %v", err)
	}
	tournament, err := NewTournament(dir, rules(4), field(0.9, 0.6, 0.3))
	if !errors.Is(err, durable.ErrSpecial) {
		t.Errorf("%v, %v", tournament, err)
	}
}
