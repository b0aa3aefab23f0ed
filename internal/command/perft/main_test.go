package perft

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	start    = "g [rrrrrrrrhdcemcdh................................HDCMECDHRRRRRRRR]"
	archived = "../../../game/testdata/archive-2026-02.tsv"
)

func TestRun(t *testing.T) {
	long := strings.Repeat("x", 1<<17)
	tests := []struct {
		name, args, stdin string
		code              int
		stdout            string // all of it
		stderr            string // part of the one line
	}{
		{"turns", "", start + "\n", 0, "3353 a129dfc8a37a50fd4c062d8dacf7c30852f76672a213426fdd5b90c85d08c1fa\n", ""},
		{"turns by name, among comments", "--turns", "# one\n\n" + start + "\r\n", 0,
			"3353 a129dfc8a37a50fd4c062d8dacf7c30852f76672a213426fdd5b90c85d08c1fa\n", ""},
		{"no turns", "", "s [" + strings.Repeat(" ", 63) + "R]", 0,
			"0 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n", ""},
		{"no steps", "--steps 0", start, 0, "1\n", ""},
		{"one step", "--steps 1", start, 0, "8\n", ""},
		{"two steps", "--steps 2", start + "\n" + start, 0, "108\n108\n", ""},
		{"nothing", "", "", 0, "", ""},
		{"a bad line", "", start + "\n\nx", 1, "3353 a129dfc8a37a50fd4c062d8dacf7c30852f76672a213426fdd5b90c85d08c1fa\n", "line 3: a position is"},
		{"a bad side", "", "q [rrr]", 1, "", `line 1: side to move: "q" is not a side`},
		{"an endless line", "", long, 1, "", "reading standard input: a line of more than 65536 bytes"},
		{"negative steps", "--steps=-1", "", 2, "", "--steps -1: the number of steps must not be negative"},
		{"words for steps", "--steps four", "", 2, "", "steps"},
		{"two wishes", "--steps 2 --turns", "", 2, "", "can't be used together"},
		{"an unknown flag", "--step-count 2", "", 2, "", "--step-count"},
		{"no such archive", "--replay no-such-file.tsv", "", 1, "", "no-such-file.tsv"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			code := run(context.Background(), "perft", strings.Fields(test.args), strings.NewReader(test.stdin), &stdout, &stderr)
			if code != test.code {
				t.Errorf("exit status %d, want %d", code, test.code)
			}
			if stdout.String() != test.stdout {
				t.Errorf("standard output %q, want %q", stdout.String(), test.stdout)
			}
			if got := stderr.String(); !strings.Contains(got, test.stderr) || strings.Count(got, "\n") > 1 || (got == "") != (test.stderr == "") {
				t.Errorf("standard error %q, want one line with %q", got, test.stderr)
			}
		})
	}
}

func TestHelpTeaches(t *testing.T) {
	var stdout, stderr strings.Builder
	if code := run(context.Background(), "perft", []string{"-h"}, nil, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("exit status %d, standard error %q", code, stderr.String())
	}
	for _, want := range []string{"--steps", "--replay", "$ echo '" + start + "' | warren perft", "3353 a129"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the help does not mention %q", want)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{nil, {"--steps", "9"}, {"--replay", archived}} {
		var stdout, stderr strings.Builder
		if code := run(ctx, "perft", args, strings.NewReader(start), &stdout, &stderr); code != 130 || stderr.String() != "perft: interrupted\n" {
			t.Errorf("%v: exit status %d, standard error %q", args, code, stderr.String())
		}
	}
}

func TestReplayArchive(t *testing.T) {
	var stdout, stderr strings.Builder
	if code := run(context.Background(), "perft", []string{"--replay", archived}, nil, &stdout, &stderr); code != 0 {
		t.Errorf("exit status %d, %s", code, stderr.String())
	}
	last := strings.Fields(stdout.String()[strings.LastIndex(stdout.String(), "all"):])
	if want := "all 147 0 147 0"; strings.Join(last, " ") != want {
		t.Errorf("the summary ends with %q, want %q", strings.Join(last, " "), want)
	}
}

// TestReplayMoveLists replays games of another program, of which one cannot be used.
func TestReplayMoveLists(t *testing.T) {
	const list = "1g Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Ca2 Db2 Hc2 Md2 Ee2 Hf2 Dg2 Ch2\r\n1s ra8 rb8 rc8 rd8 re8 rf8 rg8 rh8 ca7 db7 hc7 ed7 me7 hf7 dg7 ch7\r\n2g Ee2n Ee3n\r\n"
	path := filepath.Join(t.TempDir(), "games.txt")
	for text, want := range map[string]struct {
		code int
		out  string
	}{
		"\ufeffGold: alice\r\n" + list + "Result: 1-0\r\n":      {0, "not recorded 1 0 1 0 all 1 0 1 0"},
		list + "1g \x00\x1b[2J\n" + list:                        {1, "not recorded 3 1 2 0 all 3 1 2 0"},
		"1g " + strings.Repeat("Ra1", 1e6) + "\n" + list + list: {1, "not recorded 2 0 2 0 all 2 0 2 0"},
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr strings.Builder
		code := run(context.Background(), "perft", []string{"--replay", path}, nil, &stdout, &stderr)
		if got := strings.Join(strings.Fields(stdout.String()), " "); code != want.code || !strings.HasSuffix(got, want.out) || strings.ContainsAny(got, "\x00\x1b") {
			t.Errorf("%.20q: exit status %d, %q, want %d, %q", text, code, got, want.code, want.out)
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
	var stdout, stderr strings.Builder
	if code := run(context.Background(), "perft", []string{"--replay", path}, nil, &stdout, &stderr); code != 1 {
		t.Errorf("exit status %d, want 1", code)
	}
	for _, want := range []string{
		`game 669122 (line 2): turn 5w: "Hh2e": the step leaves the board`,
		"game 669123 (line 3): recorded as won by silver (goal), but by the rules won by gold (goal)",
		"line 4: 2 columns, fewer than the first line names",
	} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, stdout.String())
		}
	}
	if want := "4 bad games or lines"; !strings.Contains(stderr.String(), want) {
		t.Errorf("standard error %q, want %q", stderr.String(), want)
	}
}
