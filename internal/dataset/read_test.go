package dataset_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/parquet-go/parquet-go"

	"warren/data"
	"warren/game"
	"warren/internal/dataset"
)

// tables are the rows of a data set, by split.
type tables struct {
	games     map[string][]dataset.Game
	positions map[string][]dataset.Position
}

// readAll reads all rows of a data set.
func readAll(t *testing.T, dir string) tables {
	t.Helper()
	all := tables{map[string][]dataset.Game{}, map[string][]dataset.Position{}}
	for _, split := range dataset.Splits {
		all.games[split] = readTable[dataset.Game](t, filepath.Join(dir, "games", split))
		all.positions[split] = readTable[dataset.Position](t, filepath.Join(dir, "positions", split))
	}
	return all
}

// readTable reads the file with this name and either ending. A file that is missing has no rows.
func readTable[T any](t *testing.T, name string) []T {
	t.Helper()
	if _, err := os.Stat(name + ".parquet"); err == nil {
		rows, err := parquet.ReadFile[T](name + ".parquet")
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	f, err := os.Open(name + ".jsonl.gz")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var rows []T
	d := json.NewDecoder(zip)
	d.DisallowUnknownFields()
	for {
		var row T
		if err := d.Decode(&row); err == io.EOF {
			return rows
		} else if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
}

// nulls fails if a list in JSON is null: readers of a file should not need to know two ways to say empty.
func nulls(t *testing.T, all tables) {
	t.Helper()
	for split, rows := range all.positions {
		for _, p := range rows {
			if p.Visits == nil || p.Policy == nil {
				t.Fatalf("%s: position %d of %s has null for a list", split, p.Ply, p.Hash)
			}
		}
	}
}

// records makes the records again from the rows of a split, and checks on the way that every row fits the game as
// its moves tell it.
func (all tables) records(t *testing.T, split string) []*data.Record {
	t.Helper()
	var records []*data.Record
	rest := all.positions[split]
	for _, w := range all.games[split] {
		n := int(w.Positions)
		if n > len(rest) {
			t.Fatalf("%s: game %d has %d positions, and only %d are left", split, w.Number, n, len(rest))
		}
		records = append(records, record(t, w, rest[:n]))
		rest = rest[n:]
	}
	if len(rest) > 0 {
		t.Fatalf("%s: %d positions are of no game", split, len(rest))
	}
	return records
}

func record(t *testing.T, w dataset.Game, rows []dataset.Position) *data.Record {
	t.Helper()
	moves, err := game.ParseMoveList(w.Moves)
	if err != nil {
		t.Fatal(err)
	}
	r := &data.Record{
		Run: w.Run, Game: w.Number, Seed: w.Seed, Network: w.Network, Generation: w.Generation,
		Settings: w.Settings, EvalPath: w.EvalPath, Opening: w.Opening, Turns: w.Turns,
	}
	if r.ID, err = data.ParseHash(w.Hash); err != nil {
		t.Fatal(err)
	}
	if r.Result, err = data.ParseResult(w.Winner, w.Reason); err != nil {
		t.Fatal(err)
	}
	g := game.New()
	turn, step := 0, 0
	for i, p := range rows {
		switch {
		case i == 32:
			turn = 1
		case i > 32 && (g.Side().String() != rows[i-1].Side):
			turn, step = turn+1, 0
		case i > 32:
			step++
		}
		if p.Hash != w.Hash || int(p.Ply) != i || int(p.Turn) != turn || int(p.Step) != step || i < len(moves.Actions) && p.Action != moves.Actions[i] {
			t.Fatalf("game %d, position %d of turn %d, step %d: %+v", w.Number, i, turn, step, p)
		}
		if p.Side != g.Side().String() || p.Board != g.Board().String() {
			t.Fatalf("game %d, position %d: %s to move on %s", w.Number, i, p.Side, p.Board)
		}
		if (p.Outcome == nil) != (w.Winner == "") || p.Outcome != nil && (*p.Outcome == 1) != (p.Side == w.Winner) {
			t.Fatalf("game %d, position %d: the outcome is wrong", w.Number, i)
		}
		g.Play(p.Action)
		r.Decisions = append(r.Decisions, decision(&p))
	}
	if rest := len(rows) - len(moves.Actions); rest > 3 && len(rows) > 32 || turn != int(w.Turns) && turn != int(w.Turns)+1 && len(rows) > 32 {
		t.Fatalf("game %d has %d moves, %d positions, %d turns", w.Number, len(moves.Actions), len(rows), turn)
	}
	return r
}

// decision is the decision of a position. The policy of the record is nil if it is the shares of the visits.
func decision(p *dataset.Position) data.Decision {
	d := data.Decision{Action: p.Action, Full: p.Full, PolicyWeight: p.PolicyWeight, ValueWeight: p.ValueWeight}
	if p.Value != nil {
		d.Value = *p.Value
	}
	if len(p.Visits) > 0 {
		d.Visits = p.Visits
	}
	if len(p.Policy) > 0 && (len(p.Visits) == 0 || !slices.Equal(p.Policy, d.Target(nil))) {
		d.Policy = p.Policy
	}
	return d
}

// oneLine fails unless err is a line with all of the parts.
func oneLine(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want %q", parts)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not have %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than a line: %v", err)
	}
}
