package game

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// errorContains requires err to be one line that contains want.
func errorContains(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: error %v, want one line with %q", what, err, want)
	}
}

func TestPositionsAreReadBack(t *testing.T) {
	for _, r := range references(t) {
		b, side := *r.game.Board(), r.game.Side()
		text := FormatPosition(&b, side)
		if got, gotSide, err := ParsePosition(text); err != nil || got != b || gotSide != side {
			t.Errorf("turns.tsv:%d: %q is read as %v %v, %v", r.line, text, gotSide, got, err)
		}
	}
}

func TestShortPosition(t *testing.T) {
	want := rows(t, "r....... "+none+none+none+none+none+none+".......E")
	text := "[r" + strings.Repeat(" ", 62) + "E]"
	for letter, side := range map[string]Color{"g": Gold, "w": Gold, "s": Silver, "b": Silver} {
		got, gotSide, err := ParsePosition(letter + " " + text)
		if err != nil || got != want || gotSide != side {
			t.Errorf("%s %s is read as %v %v, %v", letter, text, gotSide, got, err)
		}
	}
	if got := FormatPosition(&want, Silver); got != "s "+text {
		t.Errorf("written as %q, want %q", got, "s "+text)
	}
	if got := fmt.Sprint(want); got != "r"+strings.Repeat(".", 62)+"E" { // not only with its address
		t.Errorf("printed as %s", got)
	}
}

func TestPositionErrors(t *testing.T) {
	empty := strings.Repeat(" ", 64)
	for text, want := range map[string]string{
		"":                                 "no brackets",
		"g":                                "no brackets",
		"g [" + empty:                      "no brackets",
		"x [" + empty + "]":                `"x" is not a side`,
		"g [" + empty[1:] + "]":            "there are 63",
		"g [" + empty + " ]":               "there are 65",
		"g [" + empty[1:] + "k]":           `square h1: 'k' is not a piece`,
		"g [" + empty[2:] + "EE]":          "2 elephants of gold: there can be at most 1",
		"s [" + empty[9:] + "rrrrrrrrr]":   "9 rabbits of silver: there can be at most 8",
		"s [" + empty[3:] + "\u2658" + "]": "square f1",
		"g [" + empty[:21] + "D" + empty[22:] + "]":   "the dog of gold on the trap f6 has been captured",
		"g [" + empty[:41] + "Cr " + empty[44:] + "]": "the rabbit of silver on the trap c3 has been captured",
	} {
		_, _, err := ParsePosition(text)
		errorContains(t, text, err, want)
	}
}

func TestDiagram(t *testing.T) {
	b := rows(t, "rrrr.rrr .d.....c .D.....h .h.eE... .mR..cH. ..R..... DC....CH RR.R.RRR")
	want := `12g
 +-----------------+
8| r r r r   r r r |
7|   d           c |
6|   D x     x   h |
5|   h   e E       |
4|   m R     c H   |
3|     R     x     |
2| D C         C H |
1| R R   R   R R R |
 +-----------------+
   a b c d e f g h
`
	if got := FormatDiagram(&b, "12g"); got != want {
		t.Errorf("drawn as\n%swant\n%s", got, want)
	}
}

func TestTurnLabelErrors(t *testing.T) {
	for _, label := range []string{"", "g", "0g", "+2g", "12", "12x", "12g Ed2n"} {
		_, _, err := parseTurnLabel(label)
		errorContains(t, label, err, "is not a turn")
	}
}

func TestTurnLabels(t *testing.T) {
	b := rows(t, far8+"...e.... "+none+none+none+none+"...E.... "+far1)
	g := FromBoard(b, Silver)
	for _, turn := range []struct{ label, steps string }{{"2s", "ed7s"}, {"3g", "Ed2n"}, {"3s", "ed6e"}, {"4g", "Ed3e"}} {
		if g.TurnLabel() != turn.label {
			t.Errorf("turn %s is labelled %s", turn.label, g.TurnLabel())
		}
		playTurns(t, g, turn.steps)
	}
}

const (
	goldSetup   = "Ra1 Rb1 Rc1 Dd1 De1 Rf1 Rg1 Rh1 Ra2 Hb2 Cc2 Ed2 Me2 Cf2 Hg2 Rh2"
	silverSetup = "ra8 rb8 rc8 dd8 de8 rf8 rg8 rh8 ra7 hb7 cc7 ed7 me7 cf7 hg7 rh7"
	game        = "1g " + goldSetup + "\n1s " + silverSetup + "\n"
)

func TestTurnLabelsAreCut(t *testing.T) {
	g := New()
	for text, want := range map[string]string{
		"1g Ra1  Rb1 ": "Ra1  Rb1",
		" 1g\tRa1":     "Ra1",
		"1g":           "",
		"Ra1 1g":       "Ra1 1g",
		"":             "",
	} {
		if turn, err := g.CutTurnLabel(text); err != nil || turn != want {
			t.Errorf("%q without its label is %q, %v", text, turn, err)
		}
	}
	for _, text := range []string{"1s ra8", "2g Ed2n", "2g"} {
		_, err := g.CutTurnLabel(text)
		errorContains(t, text, err, " is another turn: this is turn 1g")
	}
}

func TestSetupInAnyOrder(t *testing.T) {
	words := strings.Fields(goldSetup)
	slices.Reverse(words)
	g := New()
	actions, err := ParseTurn(g, strings.Join(words, " "))
	if err != nil {
		t.Fatal(err)
	}
	if got := FormatTurn(g, actions); got != goldSetup {
		t.Errorf("written back as %q, want %q", got, goldSetup)
	}
	// Half of a setup may be written on its own.
	if got := FormatTurn(g, actions[:3]); got != "Ra1 Rb1 Rc1" {
		t.Errorf("three placements are written as %q", got)
	}
	for _, a := range actions[:3] {
		g.Play(a)
	}
	rest, err := ParseTurn(g, strings.Join(strings.Fields(goldSetup)[3:], " "))
	if err != nil || !slices.Equal(rest, actions[3:]) {
		t.Errorf("the rest of the setup is read as %v, %v", rest, err)
	}
}

func TestTurnErrors(t *testing.T) {
	m, err := ParseMoveList(game)
	if err != nil {
		t.Fatal(err)
	}
	setup := func(old, new string) string { return strings.Replace(goldSetup, old, new, 1) }
	tests := []struct {
		g          *Game
		turn, want string
	}{
		{New(), "", "the turn is empty"},
		{New(), setup("Ra1 ", ""), "15 of 16 pieces: there is no piece on a1"},
		{New(), setup("Ra1", "Ra3"), "gold sets up on ranks 1 and 2"},
		{New(), setup("Ra1", "Rb1"), "already a piece on b1"},
		{New(), setup("Ra1", "Ea1"), "too many elephants; a side has 1"},
		{New(), setup("Ra1", "ra1"), "this piece is silver's"},
		{New(), setup("Ra1", "Ra1n"), "the setup is not over"},
		{m.Game, "Ra3", "the setup is over"},
		{m.Game, "Ed", `"Ed": too short`},
		{m.Game, "Xd2n", `"Xd2n": the first letter is not a piece`},
		{m.Game, "Ei2n", `"i2" is not a square`},
		{m.Game, "Ed9n", `"d9" is not a square`},
		{m.Game, "Ed2q", "one to four directions"},
		{m.Game, "Ed2nnnnn", "one to four directions"},
		{m.Game, "Ed2xx", "one to four directions"},
		{m.Game, "Ed2n\x00", "one to four directions"},
		{m.Game, "Ed2n Ed3n 2s", `"2s": too short`},
		{m.Game, "rc3x", `"rc3x": a capture (x) follows the step that makes it`},
	}
	for _, test := range tests {
		before := test.g.Hash()
		_, err := ParseTurn(test.g, test.turn)
		errorContains(t, test.turn, err, test.want)
		if test.g.Hash() != before {
			t.Errorf("%s: the game was changed", test.turn)
		}
	}
}

func TestMoveList(t *testing.T) {
	tests := []struct {
		name, turns string
		written     string
		result      Result
	}{
		{"turns", "2g Ed2n\n2s ed7s ed6s", "2g Ed2n\n2s ed7s ed6s\n", Result{}},
		{"condensed steps", "2g Ed2nnnn", "2g Ed2n Ed3n Ed4n Ed5n\n", Result{}},
		{"old letters", "2w Ed2n\n2b ed7s", "2g Ed2n\n2s ed7s\n", Result{}},
		{"one line", `2g Ed2n\n2s ed7s\n3g`, "2g Ed2n\n2s ed7s\n", Result{}},
		{"line ends of Windows", "2g Ed2n\r\n2s ed7s\r\n3g", "2g Ed2n\n2s ed7s\n", Result{}},
		{"a turn taken back", "2g Ed2n\n2s takeback\n2g Me2n\n2s ed7s", "2g Me2n\n2s ed7s\n", Result{}},
		{"two turns taken back", "2g Ed2n\n2s ed7s\n3g takeback\n2s takeback\n2g Me2n", "2g Me2n\n", Result{}},
		{"resignation", "2g Ed2n\n2s resigns\n", "2g Ed2n\n", Result{Gold, Resignation}},
		{"resignation, and the next turn's number", "2g resigns\n2g", "", Result{Silver, Resignation}},
	}
	for _, test := range tests {
		m, err := ParseMoveList(game + test.turns)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := FormatMoveList(m.Actions); got != game+test.written {
			t.Errorf("%s: written back as\n%swant\n%s", test.name, got, game+test.written)
		}
		if m.Result != test.result {
			t.Errorf("%s: result %v, want %v", test.name, m.Result, test.result)
		}
	}
}

func TestMoveListErrors(t *testing.T) {
	won := "1g " + goldSetup + "\n1s ra7 rb7 rc7 dd7 de7 cf7 hg7 rh7 ra8 rb8 hc8 cd8 ee8 mf8 rg8 rh8\n" +
		"2g Ra2nnnn\n2s rb7sss ra7e\n3g Ra6n\n3s rb7s rb8s ra8e\n4g Ra7n\n"
	for text, want := range map[string]string{
		"Ra1":                                 `"Ra1" is not a turn`,
		"1s " + silverSetup:                   "turn 1s: out of order: the next turn is 1g",
		"1g takeback":                         "no turn to take back",
		game + "3g Ed2n":                      "turn 3g: out of order: the next turn is 2g",
		game + "2g Ed2n\n2s ed7n":             `turn 2s: "ed7n": d8 is occupied`,
		game + "2g Ed2n takeback":             `turn 2g: "takeback"`,
		game + "2g resigns\n2g Ed2n":          "gold has resigned",
		won + "4s resigns":                    "the game is over: gold has won by goal",
		game + "99999999999999999999g Ed2n":   "turn",
		"2000000000000000000000000g takeback": "is not a turn",
	} {
		m, err := ParseMoveList(text)
		errorContains(t, text, err, want)
		if m == nil || m.Game == nil {
			t.Errorf("%s: no game up to the error", text)
		}
	}
	tagged, err := ParseMoveList("\ufeffGold: alice\r\n[Event \"x\"]\r\n" + strings.ReplaceAll(game+"2g Ed2n\n", "\n", "\r\n") + "Result: 1-0\r\n")
	if err != nil || tagged.Game.Turns() != 1 || FormatMoveList(tagged.Actions) != game+"2g Ed2n\n" {
		t.Errorf("a game with tags is read as %d turns, %v", tagged.Game.Turns(), err)
	}
	m, err := ParseMoveList("")
	if err != nil || !m.Game.InSetup() || len(m.Actions) != 0 {
		t.Errorf("no text is read as %d actions, %v; want a game that has not begun", len(m.Actions), err)
	}
}

func TestParseSteps(t *testing.T) {
	board, err := ParseBoard(strings.Repeat(".", 40) + ".RE...r." + "..r....R" + "R.......")
	if err != nil {
		t.Fatal(err)
	}
	g := FromBoard(board, Gold) // E on c3 held by a rabbit, a rabbit on c2 and one on g3
	for text, want := range map[string]string{
		"Ec3e":                "Ec3e",                     // the turn is not complete
		"Ec3n rc2n":           "Ec3n rc2n rc3x",           // a pull without its capture
		"Ec3n rc2n rc3x":      "Ec3n rc2n rc3x",           // a pull with its capture
		"Ec3n rc2n Rh2nn":     "Ec3n rc2n rc3x Rh2n Rh3n", // four steps complete the turn
		"rc2w":                "rc2w",                     // an unfinished push
		"rc2w Ec3s":           "rc2w Ec3s",                // a finished push
		"Ec3n rg3s":           `"rg3s": no gold piece can push or pull the rabbit on g3 there: a push takes a stronger piece next to it that is not frozen, a pull one that has just left that square`,
		"Ec3n rc2n Rh2n rc3x": `"rc3x": the previous step does not capture this piece`,
		"Rh2nnnn Ec3n":        `"Ec3n": the turn's four steps are used up`,
		"Rh2x":                `"Rh2x": a capture (x) follows the step that makes it; write a step such as Ed2n`,
		"":                    "there is no step; write a step such as Ed2n",
		"Ra1":                 `"Ra1": the setup is over; write a step such as Ed2n`,
	} {
		actions, err := ParseSteps(g, text)
		got := FormatTurn(g, actions)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
	if _, err := ParseSteps(New(), "Ed2n"); err == nil {
		t.Error("a step was read in the setup")
	}
}

func TestFormatLine(t *testing.T) {
	board, side, err := ParsePosition("g [r..................................................E...........R]")
	if err != nil {
		t.Fatal(err)
	}
	g := FromBoard(board, side)
	var actions []Action
	play := g.Clone()
	for _, turn := range []string{"Ed2n Ed3n", "ra8e", "Ed4n"} {
		steps, err := ParseTurn(play, turn)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range steps {
			actions = append(actions, a)
			play.Play(a)
		}
	}
	before := g.Hash()
	if got, want := FormatLine(g, actions), "2g Ed2n Ed3n  2s ra8e  3g Ed4n"; got != want || g.Hash() != before {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := FormatLine(g, actions[:1]), "2g Ed2n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := FormatLine(g, nil); got != "" {
		t.Errorf("nothing is %q", got)
	}
}
