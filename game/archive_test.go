package game

import (
	"maps"
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

// TestArchivedGamesReplay replays real games. Every turn must be legal and be
// written back as it was recorded. If the board decided the game, the winner must
// be the recorded one.
func TestArchivedGamesReplay(t *testing.T) {
	ended := map[Reason]int{}
	for _, recorded := range archive(t) {
		m, err := ParseMoveList(recorded.MoveList)
		if err != nil {
			t.Errorf("game %s: %v", recorded.ID, err)
			continue
		}
		if got, want := FormatMoveList(m.Actions), canonical(recorded.MoveList); got != want {
			t.Errorf("game %s: written back as\n%s\nwant\n%s", recorded.ID, got, want)
		}
		ended[m.Result.Reason]++
		var want Result
		switch reason, _ := recorded.Reason(); reason {
		case Goal, Elimination, Immobilization:
			want = Result{recorded.Winner, reason}
		}
		if m.Result != want {
			t.Errorf("game %s: result %v, want %v (recorded as %q)", recorded.ID, m.Result, want, recorded.Termination)
		}
	}
	// Of the others, 30 ended on time, 16 by resignation and one by an illegal move,
	// which the next test is about.
	if want := map[Reason]int{Goal: 88, Immobilization: 7, Elimination: 5, Ongoing: 47}; !maps.Equal(ended, want) {
		t.Errorf("ended on the board: %v, want %v", ended, want)
	}
}

// TestIllegalMoveOfArchivedGame looks at the one game that is recorded as lost by an
// illegal move. The move itself is not recorded. The game stops where Silver has
// exactly one turn that only the rule of repetition forbids.
func TestIllegalMoveOfArchivedGame(t *testing.T) {
	games := archive(t)
	i := slices.IndexFunc(games, func(a ArchivedGame) bool { return a.Termination == "i" })
	m, err := ParseMoveList(games[i].MoveList)
	if err != nil {
		t.Fatal(err)
	}
	g := m.Game
	third := 0
	for _, b := range g.DistinctTurns() {
		if g.occurrences(positionHash(b.hash(), g.side.Other())) == 2 {
			third++
		}
	}
	if g.Side() != Silver || games[i].Winner != Gold || third != 1 {
		t.Errorf("game %s: %v to move has %d turns that repeat a position for the third time, want silver and 1",
			games[i].ID, g.Side(), third)
	}
}

// canonical rewrites an archived game in the form of FormatMoveList: g and s for
// the sides, the setups in the fixed order, and no empty last turn.
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
				if a[2] != b[2] {
					return (1 - 2*n) * (int(a[2]) - int(b[2])) // Silver's from rank 8
				}
				return int(a[1]) - int(b[1])
			})
		}
		text.WriteString(strings.Join(words, " ") + "\n")
	}
	return text.String()
}
