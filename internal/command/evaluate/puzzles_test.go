package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/puzzle"
)

// knowing answers the puzzles of some kinds as the file does, and forfeits the others.
type knowing struct {
	file  *puzzle.File
	kinds []puzzle.Kind
}

func (knowing) Name() string                                      { return "knowing" }
func (k knowing) Sit(context.Context, uint64) (arena.Seat, error) { return k, nil }

func (k knowing) Act(_ context.Context, g *game.Game) (game.Action, error) {
	for _, p := range k.file.Puzzles {
		if slices.Contains(k.kinds, p.Kind) && *g.Start() == p.Board && g.Side() == p.Side {
			return p.Answer[4-g.StepsLeft()], nil
		}
	}
	return 0, &arena.Forfeit{Cause: "it does not know"}
}

func TestPuzzles(t *testing.T) {
	f := defaults()
	f.Puzzles, f.JSON, f.Out, f.PuzzleFile = true, true, filepath.Join(t.TempDir(), "rated.tsv"), filepath.Join(t.TempDir(), "some.tsv")
	all, err := puzzle.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	some := &puzzle.File{Trials: all.Trials}
	for _, p := range all.Puzzles {
		if strings.HasSuffix(p.ID, "0") && p.Kind != puzzle.Capture {
			some.Puzzles = append(some.Puzzles, p)
		}
	}
	file, err := os.Create(f.PuzzleFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := some.Write(file); err != nil {
		t.Fatal(err)
	}
	file.Close()
	var out strings.Builder
	players := []*arena.Entrant{
		{Player: knowing{all, []puzzle.Kind{puzzle.Goal, puzzle.Forced, puzzle.Defence, puzzle.Trap, puzzle.Gain}}},
		{Player: knowing{all, []puzzle.Kind{puzzle.Goal}}},
	}
	if err := f.puzzles(t.Context(), &out, players); err != nil {
		t.Fatal(err)
	}
	var score puzzleScore
	if err := json.Unmarshal([]byte(out.String()), &score); err != nil {
		t.Fatal(err)
	}
	n := len(some.Puzzles)
	first, second := score.Players[0], score.Players[1]
	goals := second.Kinds["goal"].Puzzles
	if score.Puzzles != n || first.Solved != n || first.Rate != 1 || len(first.Failed) != 0 || first.Kinds["capture"] != nil {
		t.Errorf("of %d puzzles the first solved %+v", n, first)
	}
	if second.Solved != goals || second.Kinds["goal"].Solved != goals || len(second.Failed) != n-goals || math.Abs(second.Rate-float64(goals)/float64(n)) > 1e-9 ||
		second.Low >= second.Rate || second.High <= second.Rate {
		t.Errorf("of %d puzzles, of which %d goals, the second solved %+v", n, goals, second)
	}
	rated, err := puzzle.Open(f.Out)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rated.Puzzles {
		p := &rated.Puzzles[i]
		want := 1
		if p.Kind == puzzle.Goal {
			want = 0
		}
		if rated.Trials != 2 || p.Failures != want {
			t.Errorf("%s: %d of %d trials failed, want %d", p.ID, p.Failures, rated.Trials, want)
		}
	}
	if err := f.puzzles(t.Context(), io.Discard, nil); err != nil {
		t.Errorf("written again: %v", err)
	}
	f.JSON, f.Out = false, filepath.Join(t.TempDir(), "thesis.tex")
	if err := os.WriteFile(f.Out, []byte("mine\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := f.puzzles(t.Context(), &out, players); err == nil || !strings.Contains(err.Error(), "would be replaced") {
		t.Errorf("over another file: %v", err)
	}
	f.Out = ""
	out.Reset()
	if err := f.puzzles(t.Context(), &out, players); err != nil || !strings.Contains(out.String(), "100% (") || !strings.Contains(out.String(), "0% (0 to") {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestTableOfOnePuzzle(t *testing.T) {
	var table strings.Builder
	if err := (&puzzleScore{Puzzles: 1}).write(&table); err != nil || !strings.HasPrefix(table.String(), "1 puzzle  all ") {
		t.Errorf("%v, %q", err, &table)
	}
}

// broken cannot play.
type broken struct{}

var errBroken = errors.New("it is broken")

func (broken) Name() string                                         { return "broken" }
func (broken) Sit(context.Context, uint64) (arena.Seat, error)      { return broken{}, nil }
func (broken) Act(context.Context, *game.Game) (game.Action, error) { return 0, errBroken }

// What players have solved is shown when a later one fails. One that cannot be started is refused before.
func TestPuzzlesOfAPlayerThatFails(t *testing.T) {
	file, err := puzzle.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	f := defaults()
	f.Puzzles = true
	first := &arena.Entrant{Player: knowing{file, nil}}
	var out strings.Builder
	if err := f.puzzles(t.Context(), &out, []*arena.Entrant{first, {Player: broken{}}}); !errors.Is(err, errBroken) || !strings.Contains(out.String(), "\nknowing      0% (0 to") {
		t.Errorf("%v: %s", err, &out)
	}
	out.Reset()
	if err := f.puzzles(t.Context(), &out, []*arena.Entrant{first, {Player: broken{}}, {Player: arena.Random{}}}); !errors.Is(err, errBroken) || !strings.Contains(out.String(), "\nrandom       -  ") {
		t.Errorf("%v, and a player that was never asked: %s", err, &out)
	}
	out.Reset()
	if err := f.puzzles(t.Context(), &out, []*arena.Entrant{{Player: broken{}}}); !errors.Is(err, errBroken) || out.Len() > 0 {
		t.Errorf("%v: %s", err, &out)
	}
	missing := &arena.Entrant{Player: &arena.External{Label: "missing", Command: []string{"there-is-no-such-engine"}}}
	if err := f.puzzles(t.Context(), &out, []*arena.Entrant{first, missing}); err == nil || !strings.Contains(err.Error(), "cannot be started") || out.Len() > 0 {
		t.Errorf("%v: %s", err, &out)
	}
}

func TestPuzzleFlags(t *testing.T) {
	for _, c := range []struct {
		set  func(f *flags)
		want string
	}{
		{func(f *flags) { f.PuzzleFile = "x" }, "add --puzzles"},
		{func(f *flags) { f.Puzzles, f.Sprt = true, "0,50" }, "--sprt is for games"},
		{func(f *flags) { f.Puzzles, f.Games = true, new(3) }, "--games is for games"},
		{func(f *flags) { f.Puzzles, f.Temperature = true, 0 }, "--temperature is for games"},
		{func(f *flags) { f.Puzzles, f.TemperatureTurns = true, 9 }, "--temperature-turns is for games"},
		{func(f *flags) { f.Puzzles, f.TurnLimit = true, 100 }, "--turn-limit is for games"},
	} {
		f := defaults()
		f.Games, f.TurnLimit = nil, usualTurnLimit
		c.set(&f)
		if err := f.check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// A file that cannot be written is refused before the players think.
func TestPuzzlesThatCannotBeSaved(t *testing.T) {
	f := defaults()
	f.Puzzles, f.Out = true, filepath.Join(t.TempDir(), "none", "rated.tsv")
	var out strings.Builder
	if err := f.puzzles(t.Context(), &out, []*arena.Entrant{{}}); err == nil || !strings.Contains(err.Error(), "--out: writing "+f.Out) || out.Len() > 0 {
		t.Errorf("%v and %q", err, &out)
	}
}
