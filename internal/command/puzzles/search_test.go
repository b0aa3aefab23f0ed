package puzzles

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/console"
	"warren/internal/puzzle"
	"warren/internal/puzzle/find"
)

// moody plays the first legal action with even seeds, and otherwise gives an error.
type moody struct{ err error }

func (moody) Name() string { return "moody" }

func (m moody) Sit(ctx context.Context, seed uint64) (arena.Seat, error) {
	if seed%2 == 1 {
		return nil, m.err
	}
	return m, nil
}

func (moody) Act(_ context.Context, g *game.Game) (game.Action, error) { return g.Legal(nil)[0], nil }

// Turns that the player forfeits are left out and counted; any other error ends the search.
func TestForfeitsAreLeftOut(t *testing.T) {
	d := drawer{player: moody{&arena.Forfeit{Cause: "it crashed"}}}
	turns, err := d.draws(t.Context(), game.New())
	var said strings.Builder
	d.report(&said)
	if err != nil || len(turns) != 1 || !strings.Contains(said.String(), "left out: 12. The first: it crashed.") {
		t.Errorf("%d turns, %v, %q", len(turns), err, &said)
	}
	broken := errors.New("it is broken")
	d = drawer{player: moody{broken}}
	if _, err := d.draws(t.Context(), game.New()); !errors.Is(err, broken) {
		t.Errorf("of a broken player: %v", err)
	}
}

// The puzzles that were found before an error are written, and the error is returned.
func TestFoundPuzzlesAreKept(t *testing.T) {
	all, err := puzzle.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	f := flags{Out: filepath.Join(t.TempDir(), "puzzles.tsv")}
	set := find.Set{Each: 1}
	broken := errors.New("it is broken")
	var out strings.Builder
	if err := f.save(&out, &set, broken); !errors.Is(err, broken) || out.Len() > 0 {
		t.Errorf("without puzzles: %v, %q", err, &out)
	}
	if _, err := os.Stat(f.Out); err == nil {
		t.Error("without puzzles there is a file")
	}
	found := all.Puzzles[0]
	found.Failures = 0
	set.Add(found)
	for failed, want := range map[error]error{broken: broken, context.Canceled: console.ErrStopped} {
		if err := f.save(&out, &set, failed); err != want {
			t.Errorf("after %v: %v", failed, err)
		}
		if written, err := puzzle.Open(f.Out); err != nil || len(written.Puzzles) != 1 {
			t.Errorf("after %v the file cannot be read: %v", failed, err)
		}
	}
}

// Numbers out of range are refused before anything is read.
func TestBadNumbers(t *testing.T) {
	for want, f := range map[string]flags{
		"--workers is 100000000, must be from 0 to 1024": {Each: 1, Workers: 1e8},
		"--each is 0": {},
	} {
		if err := f.run(t.Context(), t.Output()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
