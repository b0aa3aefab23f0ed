package game

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func archive(t testing.TB) (games []ArchivedGame) {
	t.Helper()
	f, err := os.Open("testdata/archive-2026-02.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for game, err := range ReadArchive(f) {
		if err != nil {
			t.Fatal(err)
		}
		games = append(games, game)
	}
	if len(games) != 147 {
		t.Fatalf("the archive holds %d games, want 147", len(games))
	}
	return games
}

// TestArchivedGamesReplay holds the rules and the notation to real games: every
// turn legal, written back as it was recorded, and the recorded winner where
// the board decided.
func TestArchivedGamesReplay(t *testing.T) {
	decided := map[Reason]int{}
	for _, archived := range archive(t) {
		m, err := ParseMoveList(archived.MoveList)
		if err != nil {
			t.Errorf("game %s: %v", archived.ID, err)
			continue
		}
		if got, want := FormatMoveList(m.Actions), canonical(archived.MoveList); got != want {
			t.Errorf("game %s: written back as\n%s\nwant\n%s", archived.ID, got, want)
		}
		reason, known := archived.Reason()
		onBoard := reason == Goal || reason == Elimination || reason == Immobilization
		switch {
		case onBoard:
			decided[reason]++
			if want := (Result{archived.Winner, reason}); m.Result != want {
				t.Errorf("game %s ended %v, recorded as %v", archived.ID, m.Result, want)
			}
		case m.Result.Over():
			t.Errorf("game %s: the board says %v, recorded as %q", archived.ID, m.Result, archived.Termination)
		}
		_ = known
	}
	if want := map[Reason]int{Goal: 88, Immobilization: 7, Elimination: 5}; decided[Goal] != 88 || decided[Immobilization] != 7 || decided[Elimination] != 5 {
		t.Errorf("decided on the board: %v, want %v", decided, want)
	}
}

// canonical writes an archived game as FormatMoveList does: g and s for the
// sides, the setups in the fixed order, and no empty last turn.
func canonical(moves string) string {
	var text strings.Builder
	for n, line := range strings.Split(moves, `\n`) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		words[0] = strings.NewReplacer("w", "g", "b", "s").Replace(words[0])
		if n < 2 {
			slices.SortFunc(words[1:], func(a, b string) int {
				order := int(a[2])*8 + int(a[1]) - int(b[2])*8 - int(b[1])
				if n == 1 {
					return int(b[2])*8 - int(a[2])*8 + int(a[1]) - int(b[1])
				}
				return order
			})
		}
		text.WriteString(strings.Join(words, " ") + "\n")
	}
	return text.String()
}
