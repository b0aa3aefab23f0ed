package perft

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/game"
)

const (
	start    = "g [rrrrrrrrhdcemcdh................................HDCMECDHRRRRRRRR]"
	archived = "../../../game/testdata/archive-2026-02.tsv"
)

const setup = "3353 a129dfc8a37a50fd4c062d8dacf7c30852f76672a213426fdd5b90c85d08c1fa"

// perft runs the command with the text as its standard input.
func perft(ctx context.Context, t *testing.T, f flags, stdin string) (stdout string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stdin")
	if err := os.WriteFile(path, []byte(stdin), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var out strings.Builder
	err = f.run(ctx, in, &out)
	return out.String(), err
}

func TestRun(t *testing.T) {
	tests := []struct {
		name   string
		flags  flags
		stdin  string
		stdout string // all of it
		err    string // part of the one line
	}{
		{"turns", flags{}, start + "\n", setup + "\n", ""},
		{"turns among comments", flags{}, "# one\n\n" + start + "\r\n", setup + "\n", ""},
		{"no turns", flags{}, "s [" + strings.Repeat(" ", 63) + "R]",
			"0 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n", ""},
		{"no steps", flags{Steps: new(0)}, start, "1\n", ""},
		{"one step", flags{Steps: new(1)}, start, "8\n", ""},
		{"two steps", flags{Steps: new(2)}, start + "\n" + start, "108\n108\n", ""},
		{"three steps", flags{Steps: new(3)}, start, "1566\n", ""},
		{"nothing", flags{}, "", "", ""},
		{"a bad line", flags{}, start + "\n\nx", setup + "\n", "line 3: a position is"},
		{"a bad side", flags{}, "q [rrr]", "", `line 1: side to move: "q" is not a side`},
		{"an endless line", flags{}, strings.Repeat("x", 1<<17), "", "reading standard input: a line of more than 65536 bytes"},
		{"negative steps", flags{Steps: new(-1)}, "", "", "--steps is -1, must be from 0"},
		{"no such archive", flags{Replay: "no-such-file.tsv"}, "", "", "no-such-file.tsv"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stdout, err := perft(t.Context(), t, test.flags, test.stdin)
			if stdout != test.stdout {
				t.Errorf("standard output %q, want %q", stdout, test.stdout)
			}
			if (err != nil) != (test.err != "") || err != nil && (!strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("the error is %v, want one line with %q", err, test.err)
			}
		})
	}
}

func TestHelpTeaches(t *testing.T) {
	if example := "$ echo '" + start + "' | warren perft\n      " + setup; !strings.Contains(about, example) {
		t.Errorf("the help does not have %q", example)
	}
}

func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, f := range []flags{{}, {Steps: new(9)}, {Replay: archived}} {
		if stdout, err := perft(ctx, t, f, start); !errors.Is(err, context.Canceled) || stdout != "" {
			t.Errorf("printed %q, %v", stdout, err)
		}
	}
}

// The counting of steps says how much of it is done, and stops between two of its pieces, however short they are.
func TestStepsPieceByPiece(t *testing.T) {
	board, side, err := game.ParsePosition(start)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var shares []float64
	report := func(share float64) {
		if shares = append(shares, share); share >= 0.5 {
			cancel()
		}
	}
	if _, err := countSteps(3)(ctx, game.FromBoard(board, side), report); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if n := len(shares); n != 108/2 || shares[0] != 1.0/108 || shares[n-1] != 0.5 {
		t.Errorf("reported %v", shares)
	}
}

func TestReplayArchive(t *testing.T) {
	stdout, err := perft(t.Context(), t, flags{Replay: archived}, "")
	if err != nil {
		t.Error(err)
	}
	last := strings.Fields(stdout[strings.LastIndex(stdout, "all"):])
	if want := "all 147 0 147 0"; strings.Join(last, " ") != want {
		t.Errorf("the summary ends with %q, want %q", strings.Join(last, " "), want)
	}
}

// TestReplayMoveLists replays games of another program, of which one cannot be used.
func TestReplayMoveLists(t *testing.T) {
	const list = "1g Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Ca2 Db2 Hc2 Md2 Ee2 Hf2 Dg2 Ch2\r\n1s ra8 rb8 rc8 rd8 re8 rf8 rg8 rh8 ca7 db7 hc7 ed7 me7 hf7 dg7 ch7\r\n2g Ee2n Ee3n\r\n"
	path := filepath.Join(t.TempDir(), "games.txt")
	for text, want := range map[string]struct {
		bad bool
		out string
	}{
		"\ufeffGold: alice\r\n" + list + "Result: 1-0\r\n":      {false, "not recorded 1 0 1 0 all 1 0 1 0"},
		list + "1g \x00\x1b[2J\n" + list:                        {true, "not recorded 3 1 2 0 all 3 1 2 0"},
		"1g " + strings.Repeat("Ra1", 1e6) + "\n" + list + list: {true, "not recorded 2 0 2 0 all 2 0 2 0"},
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		stdout, err := perft(t.Context(), t, flags{Replay: path}, "")
		if got := strings.Join(strings.Fields(stdout), " "); (err != nil) != want.bad || !strings.HasSuffix(got, want.out) || strings.ContainsAny(got, "\x00\x1b") || strings.Contains(stdout, "game  (") {
			t.Errorf("%.20q: %v, %q, want %q", text, err, got, want.out)
		}
	}
}

// TestReplayNamesBadGames damages four games of the archive in different ways.
func TestReplayNamesBadGames(t *testing.T) {
	text, err := os.ReadFile(archived)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")[:6]
	lines[1] = strings.Replace(lines[1], "5w Hh2w", "5w Hh2e", 1)
	lines[2] = strings.Replace(lines[2], "\tw\tg\t", "\tb\tg\t", 1)
	lines[3] = "669124\tw\n"
	lines[5] = strings.Replace(lines[5], " rc3x", "", 1)
	path := filepath.Join(t.TempDir(), "archive.tsv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, err := perft(t.Context(), t, flags{Replay: path}, "")
	if want := "4 bad games or lines"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v, want %q", err, want)
	}
	for _, want := range []string{
		`game 669122 (line 2): turn 5w: "Hh2e": the step leaves the board`,
		"game 669123 (line 3): recorded as won by silver (goal), but by the rules won by gold (goal)",
		"line 4: 2 columns, fewer than the first line names",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the report lacks %q:\n%s", want, stdout)
		}
	}
}
