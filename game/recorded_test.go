package game

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func archive(t testing.TB) (games []RecordedGame) {
	t.Helper()
	f, err := os.Open("testdata/archive-2026-02.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for game, err := range ReadGames(f) {
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
	i := slices.IndexFunc(games, func(a RecordedGame) bool { return a.Termination == "i" })
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

func TestReadGamesErrors(t *testing.T) {
	const header = "id\tmovelist\tresult\ttermination\n"
	for text, want := range map[string]string{
		"":                                "it is empty",
		"\n \n":                           "it is empty",
		"Gold: alice\nSilver: bob\n":      "it has only tags",
		"id\tresult\n":                    `line 1: no column "termination"`,
		header + "7\t1g\n":                "line 2: 2 columns",
		header + "\n7\t1g\tq\tg\n":        `line 3: the result "q" names no winner`,
		header + "7\t1g\td\tg\n":          `line 2: the result "d" names no winner`,
		header + strings.Repeat("7", 2e6): "line 2: longer than any game",
		strings.Repeat("Ra1 ", 1e6):       "line 1: longer than any game",
		strings.Repeat("Ra1 Ra1 \n", 2e5): "line 1: longer than any game",

		"id\tresult\ttermination\tmovelist\n": "only the names of its columns",
	} {
		var last error
		for _, err := range ReadGames(strings.NewReader(text)) {
			last = err
		}
		errorContains(t, text[:min(len(text), 40)], last, want)
	}
}

// What cannot be used is left out, and the games around it are read.
func TestReadGamesLeavesOut(t *testing.T) {
	const header = "id\tresult\ttermination\tmovelist\textra"
	const row = "\n7\tb\tg\t1g Ra1\t"
	const list = "1g Ra1 Rb1\n1s ra8\n"
	archived := func(line int) RecordedGame { return RecordedGame{line, "7", Silver, "g", "1g Ra1"} }
	listed := func(line int) RecordedGame { return RecordedGame{Line: line, MoveList: list} }
	for name, test := range map[string]struct {
		text string
		want []RecordedGame
		bad  int
	}{
		"an archive":          {header + row + row, []RecordedGame{archived(2), archived(3)}, 0},
		"CRLF":                {strings.ReplaceAll(header+row+row+"\n", "\n", "\r\n"), []RecordedGame{archived(2), archived(3)}, 0},
		"byte order mark":     {"\ufeff" + header + row, []RecordedGame{archived(2)}, 0},
		"blank lines":         {"\n" + header + row + "\n\n" + row, []RecordedGame{archived(3), archived(6)}, 0},
		"results d and u":     {header + "\n1\td\tg\t1g\t\n2\tu\tg\t1g\t" + row, []RecordedGame{archived(4)}, 2},
		"a row without moves": {header + "\n1\tw\tg" + row, []RecordedGame{archived(3)}, 1},
		"a row that ends":     {header + "\n1\tw" + row, []RecordedGame{archived(3)}, 1},
		"a row of NUL":        {header + "\n\x00\x00\x00" + row, []RecordedGame{archived(3)}, 1},
		"a very long row":     {header + "\n" + strings.Repeat("7\t", 1e6) + row, []RecordedGame{archived(3)}, 1},
		"a move list":         {list, []RecordedGame{listed(1)}, 0},
		"a setup taken back":  {"1g Ra1\n1s takeback\n" + list, []RecordedGame{{Line: 1, MoveList: "1g Ra1\n1s takeback\n" + list}}, 0},
		"a turn taken back":   {list + "2g takeback\n" + list, []RecordedGame{{Line: 1, MoveList: list + "2g takeback\n"}, listed(4)}, 0},
		"several":             {"\n" + list + "\n" + list, []RecordedGame{listed(2), listed(5)}, 0},
		"marked CRLF":         {"\ufeff" + strings.ReplaceAll(list+list, "\n", "\r\n"), []RecordedGame{listed(1), listed(3)}, 0},
		"tags":                {"Gold: alice\n[Event \"x\"]\n\n" + list + "Result: 1-0\n\nGold: bob\n" + list + "[End]", []RecordedGame{listed(4), listed(9)}, 0},
		"a tag with a tab":    {"Gold:\talice\n" + list, []RecordedGame{listed(2)}, 0},
		"half a tag":          {"[Event\n" + list, []RecordedGame{{Line: 1, MoveList: "[Event\n"}, listed(2)}, 0},
		"a very long game":    {list + "1g " + strings.Repeat("\nRa1 Rb1", 2e5) + "\n" + list, []RecordedGame{listed(1), listed(200004)}, 1},
		"a move list of tabs": {"1g\tRa1\n1s\tra8\n", []RecordedGame{{Line: 1, MoveList: "1g\tRa1\n1s\tra8\n"}}, 0},
		"text before a game":  {"bread\n" + list, []RecordedGame{{Line: 1, MoveList: "bread\n"}, listed(2)}, 0},
	} {
		var got []RecordedGame
		bad := 0
		for g, err := range ReadGames(strings.NewReader(test.text)) {
			if err != nil {
				bad++
				continue
			}
			got = append(got, g)
		}
		if !slices.Equal(got, test.want) || bad != test.bad {
			t.Errorf("%s: %d games left out, and read %.500s; want %d and %v", name, bad, fmt.Sprint(got), test.bad, test.want)
		}
	}
}

// The letter of a termination is that of the reason with which a game was recorded.
func TestRecordedReasons(t *testing.T) {
	for letter, want := range map[string]Reason{
		"g": Goal, "e": Elimination, "m": Immobilization, "p": Repetition, "s": TurnLimit, "t": Time, "r": Resignation,
	} {
		if got, ok := (&RecordedGame{Termination: letter}).Reason(); got != want || !ok {
			t.Errorf("%q is %v, %t; want %v", letter, got, ok, want)
		}
	}
	for _, letter := range []string{"", "i", "x"} {
		if got, ok := (&RecordedGame{Termination: letter}).Reason(); got != Ongoing || ok {
			t.Errorf("%q is %v, %t", letter, got, ok)
		}
	}
}

// An error of the reader is said once, after the games before it.
func TestReadGamesStopsWhereTheFileFails(t *testing.T) {
	for _, text := range []string{"1g Ra1\n", "id\tresult\ttermination\tmovelist\n7\tw\tg\t1g Ra1\n"} {
		games, failures := 0, 0
		for _, err := range ReadGames(io.MultiReader(strings.NewReader(text), iotest.ErrReader(errors.New("a scratch")))) {
			if err == nil {
				games++
			} else if failures++; !strings.Contains(err.Error(), "a scratch") {
				t.Errorf("the error is %v", err)
			}
		}
		if games != 1 || failures != 1 {
			t.Errorf("%q: %d games and %d failures", text, games, failures)
		}
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
