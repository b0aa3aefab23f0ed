package play

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"warren/game"
	"warren/game/tactics"
	"warren/internal/arena"
	"warren/internal/console"
	"warren/internal/gametest"
	"warren/internal/metrics"
	"warren/internal/nettest"
	"warren/internal/session"
	"warren/net/bundled"
)

// talk holds a conversation over a script, as Gold against random unless the
// session is given, and returns what was said.
func talk(t *testing.T, s *session.Session, script string) string {
	t.Helper()
	if s == nil {
		s = session.New(session.Config{Opponent: arena.Random{}})
	}
	var out strings.Builder
	c := converse(s, strings.NewReader(script), &out)
	if err := c.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func converse(s *session.Session, in io.Reader, out io.Writer) *conversation {
	return &conversation{
		in: readLines(in), out: out, session: s, command: "warren play", against: "random",
		progress: func() *metrics.Progress { return metrics.NewProgress(&strings.Builder{}) },
	}
}

// saved returns the session of a saved game.
func saved(t *testing.T, path string) *session.Session {
	t.Helper()
	s := session.New(session.Config{Opponent: arena.Random{}})
	if _, err := s.Load(path); err != nil {
		t.Fatal(err)
	}
	return s
}

// small saves a tiny network and returns its path.
func small(t *testing.T) string {
	t.Helper()
	return nettest.Save(t, filepath.Join(t.TempDir(), "small.safetensors"), nettest.New(t, nettest.Small, 1), nil)
}

func expect(t *testing.T, transcript string, parts ...string) {
	t.Helper()
	rest := transcript
	for _, part := range parts {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Fatalf("%q is not there, or not in its place:\n%s", part, transcript)
		}
		rest = after
	}
}

func TestGameAsItIsPlayed(t *testing.T) {
	t.Chdir(t.TempDir())
	expect(t, talk(t, nil, goldSetup+`
Ee2n Ee3n
step Hb2n
step Hb3n
undo
step Hb3n Hb4n
undo
undo
end
game
save mine.txt
quit
`),
		"You are gold, against random",
		"1g\n", "1s ", "2g\n",
		"2s ", "3g\n",
		"Hb2n; 3 steps left", "Hb3n; 2 steps left", "3|   H ", // the undo leaves one step
		"; 1 step left\n",
		"3s ", "4g\n",
		"1g Ra1", "1s ", "2g Ee2n Ee3n\n", "3g Hb2n\n",
		"saved in mine.txt")
}

// A step that is not legal is answered with why, and with what the piece can do instead.
func TestIllegalStepIsExplained(t *testing.T) {
	t.Chdir(t.TempDir())
	expect(t, talk(t, nil, goldSetup+"\nEe2n Ee3e Ef3s\nRa1n\nquit\n"),
		`"Ef3s": f2 is occupied; possible: Ef3n, Ef3e, Ef3w`,
		`"Ra1n": a2 is occupied; "moves" lists what can be played`)
}

// The rules are told on demand, and what they give as examples is so.
func TestRules(t *testing.T) {
	expect(t, talk(t, nil, "rules\nquit\n"), `"rules" tells the rules`, "Aim: ", "Frozen: ", "Traps: ")
	for line := range strings.Lines(rules) {
		if len(line) > 81 {
			t.Errorf("more than 80 columns: %s", line)
		}
	}
	for turn, position := range map[string]string{
		"Ed2n":      "r" + strings.Repeat(".", 50) + "E" + strings.Repeat(".", 11) + "R",
		"hd5n Ed4n": "r" + strings.Repeat(".", 26) + "h.......E" + strings.Repeat(".", 27) + "R",
		"Ed4s hd5s": "r" + strings.Repeat(".", 26) + "h.......E" + strings.Repeat(".", 27) + "R",
	} {
		b, err := game.ParseBoard(position)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := game.ParseSteps(game.FromBoard(b, game.Gold), turn); err != nil || !strings.Contains(strings.ReplaceAll(rules, "\n", " "), turn) {
			t.Errorf("%s: %v", turn, err)
		}
	}
}

// Nothing is written unless the person asks, and no move is lost: they are shown.
func TestNothingIsWrittenUnasked(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	untouched := func() {
		t.Helper()
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("%v was written, %v", files, err)
		}
	}
	s := session.New(session.Config{Opponent: arena.Random{}})
	text := talk(t, s, goldSetup+"\nEe2n\nstep Hb2n\nquit\n")
	expect(t, text, "The game is in no file.", "by: warren play --load FILE --side gold random\n1g "+goldSetup, "2g Ee2n\n2s ")
	if !strings.HasSuffix(text, s.MoveList()) || s.Game().TurnLabel() != "3g" {
		t.Errorf("the moves are not shown at the end: %s", text)
	}
	expect(t, talk(t, nil, goldSetup+"\nEe2n\nnew\nquit\n"), "The game so far, which is in no file:\n1g ", "2g Ee2n\n", "1g\n")
	untouched()
	// Nothing is said of an empty game.
	if text := talk(t, nil, "quit\n"); strings.Contains(text, "--load") {
		t.Errorf("an empty game was kept: %s", text)
	}
}

// With --save every turn is in the file as soon as it has been played.
func TestSavingEveryTurn(t *testing.T) {
	t.Chdir(t.TempDir())
	s := session.New(session.Config{Opponent: arena.Random{}})
	var out strings.Builder
	c := converse(s, strings.NewReader(goldSetup+"\nEe2n\nstep Hb2n\nquit\n"), &out)
	c.kept = "my game.txt"
	if err := c.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	file := console.Quote(c.kept)
	expect(t, out.String(), fmt.Sprintf("The game is in %[1]s; continue with it by: warren play --load %[1]s --save %[1]s --side gold random", file), "The steps of the unfinished turn are not saved.\n")
	if label := saved(t, "my game.txt").Game().TurnLabel(); label != "3g" {
		t.Errorf("the file stands at %s", label)
	}

	// What is taken back is taken out of the file.
	c = converse(s, strings.NewReader("undo\nundo\nquit\n"), &out) // the steps, and a turn of each side
	c.kept = "my game.txt"
	if err := c.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if label := saved(t, "my game.txt").Game().TurnLabel(); label != "2g" {
		t.Errorf("a turn was taken back, and the file stands at %s", label)
	}

	// If all is taken back, there is no file, until the next turn is over.
	c = converse(s, strings.NewReader("undo\nundo\nsave other.txt\nquit\n"), &out)
	c.kept = "my game.txt"
	if err := c.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir("."); err != nil || len(files) > 0 {
		t.Errorf("all turns were taken back, and there are %v, %v", files, err)
	}
	c = converse(s, strings.NewReader("new\n"+goldSetup+"\nundo\n"+goldSetup+"\nquit\n"), &out)
	c.kept = "my game.txt"
	if err := c.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if label := saved(t, "my game.txt").Game().TurnLabel(); label != "2g" {
		t.Errorf("after new setups the file stands at %s", label)
	}

	// Another game does not take the file.
	again := converse(saved(t, "my game.txt"), strings.NewReader("Hb2n\nnew\n"+goldSetup+"\nquit\n"), &out)
	again.kept = "my game.txt"
	if err := again.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(t, out.String(), file+" keeps the game so far; the next one is in no file.", "The game is in no file.")
	if label := saved(t, "my game.txt").Game().TurnLabel(); label != "3g" {
		t.Errorf("the file stands at %s", label)
	}
	if err := (&flags{Side: "gold", Opponent: "random", Save: "my game.txt"}).run(t.Context(), &terminal{out: &out}); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("the file of another game is taken: %v", err)
	}
	if err := (&flags{Side: "gold", Opponent: "random", Save: filepath.Join("none", "x.txt")}).run(t.Context(), &terminal{out: &out}); err == nil || !strings.Contains(err.Error(), "there is no directory none") {
		t.Errorf("a file in no directory: %v", err)
	}
	if runtime.GOOS == "linux" { // where even root cannot write to this directory
		if err := (&flags{Side: "gold", Opponent: "random", Save: "/proc/x.txt"}).run(t.Context(), &terminal{out: &out}); err == nil || !strings.Contains(err.Error(), "--save: writing /proc/x.txt") {
			t.Errorf("a file that cannot be written: %v", err)
		}
	}

	// A file that cannot be written is no reason to end the game.
	out.Reset()
	c = converse(session.New(session.Config{Opponent: arena.Random{}}), strings.NewReader(goldSetup+"\nEe2n\nquit\n"), &out)
	c.kept = filepath.Join("none", "x.txt")
	if err := c.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(t, out.String(), "saving the game: ", "none", "the game continues unsaved\n", "3g\n", "The game is in no file.", "2g Ee2n\n")
}

// However a game has ended, its file holds the end, and nobody is told to continue with it.
func TestEndedGame(t *testing.T) {
	ended := map[game.Reason]string{} // move lists
	for _, moves := range gametest.Archive(t) {
		g := game.New()
		for _, a := range moves.Actions {
			g.Play(a)
		}
		if r := g.Result(); r.Over() && ended[r.Reason] == "" {
			ended[r.Reason] = game.FormatMoveList(moves.Actions)
		}
	}
	if len(ended) < 2 || ended[game.Goal] == "" {
		t.Fatalf("the archive has only these ends: %v", slices.Collect(maps.Keys(ended)))
	}
	t.Chdir(t.TempDir())
	ended[game.Resignation] = "1g " + goldSetup + "\n"
	for reason, moves := range ended {
		said := "quit\n"
		if reason == game.Resignation {
			said = "Ee2n\nresign\nquit\n"
		}
		for _, kept := range []string{"", reason.String() + ".txt"} {
			s := session.New(session.Config{Opponent: arena.Random{}})
			if err := s.Resume(moves); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			c := converse(s, strings.NewReader(said), &out)
			c.kept = kept
			if err := c.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			text := out.String()
			if strings.Contains(text, "continue") || !strings.Contains(text, "by "+reason.String()) {
				t.Errorf("%v, file %q: said %s", reason, kept, text)
			}
			if kept == "" {
				continue
			}
			if !strings.HasSuffix(text, "The game is in "+kept+".\n") {
				t.Errorf("%v: said %s", reason, text)
			}
			if r := saved(t, kept).Result(); r.Reason != reason {
				t.Errorf("%v: the file has the result %v", reason, r)
			}
		}
	}
	// A resignation after the game was saved by hand is shown.
	expect(t, talk(t, nil, goldSetup+"\nEe2n\nsave mine.txt\nresign\nquit\n"), "The game is in no file. Its moves:\n1g ", "3g resigns\n")
}

// A line that is too long does not end the game.
func TestLongLine(t *testing.T) {
	t.Chdir(t.TempDir())
	long := strings.Repeat("x", longest+1)
	expect(t, talk(t, nil, long+"\n"+goldSetup+"\n"+long+long+"\nEe2n\nquit\n"), "a line of more than 65536 bytes is not read\n", "2g\n", "is not read\n", "3g\n")
}

func TestStopping(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	var out strings.Builder
	s := session.New(session.Config{Opponent: arena.Random{}})
	if err := s.SetUp(); err != nil {
		t.Fatal(err)
	}
	if err := converse(s, blocked{cancel}, &out).run(ctx); err != nil {
		t.Fatal(err)
	}
	expect(t, out.String(), "play --load FILE", "1g ")
}

// TestTurnsAsTheyAreShown plays turns in the form in which the program shows them.
func TestTurnsAsTheyAreShown(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, setup := range []string{"1g " + goldSetup, "setup 1g " + goldSetup} {
		s := session.New(session.Config{Opponent: arena.Random{}})
		text := talk(t, s, setup+"\nsave a.txt\n1g Ee2n\n2s Ee2n\n2g hnit\n2g Ee2n Ee3n pass\nstep 3g Hb2n\n3g Hb3n end\nsave a.txt\nquit\n")
		expect(t, text, "1g is another turn: this is turn 2g", "2s is another turn: this is turn 2g", `"hnit" is neither`,
			"Hb2n; 3 steps left", "4g\n")
		for _, turn := range []string{"1g " + goldSetup + "\n", "\n2g Ee2n Ee3n\n", "\n3g Hb2n Hb3n\n"} {
			if !strings.Contains(s.MoveList(), turn) {
				t.Errorf("%q was not played: %s", turn, s.MoveList())
			}
		}
	}
}

// blocked is an input that never returns; it cancels when it is read.
type blocked struct{ cancel func() }

func (b blocked) Read([]byte) (int, error) {
	b.cancel()
	select {}
}

// goldSetup is the setup that the scripts begin with.
const goldSetup = "Ra1 Rb1 Rc1 Dd1 De1 Rf1 Rg1 Rh1 Ra2 Hb2 Cc2 Md2 Ee2 Cf2 Hg2 Rh2"

func setupActions(t *testing.T) []game.Action {
	t.Helper()
	g := game.New()
	var all []game.Action
	silver := strings.NewReplacer("1", "8", "2", "7").Replace(strings.ToLower(goldSetup))
	for _, text := range []string{goldSetup, silver} {
		actions, err := game.ParseTurn(g, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range actions {
			g.Play(a)
		}
		all = append(all, actions...)
	}
	return all
}

func TestWrongInputGivesOneLine(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("bad.txt", []byte("1g Ra1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"hnit":                     `did you mean "hint"`,
		"Ed2n":                     "is gold's camel",
		"Md2n Md3s":                "leaves the board as it was",
		"Md2n Ed3n":                "is gold's camel",
		"Md2s":                     "d1 is occupied",
		"Ra1":                      "the setup is over",
		"Ee2nnnnn":                 "one to four directions",
		"Ee2n Ee3n Ra2n Rh2n Hb2n": "four steps are used up",
		"step":                     "there is no step",
		"end":                      "at least one step",
		"end now":                  "nothing comes after end",
		"2g":                       "there is no step",
		"2s Ee2n":                  "this is turn 2g",
		"Ee2n pass Ee3n":           "the first letter is not a piece",
		"setup":                    "the setup is over",
		"hint":                     "no network to ask",
		"eval":                     "no network to ask",
		"save":                     "save FILE",
		"save bad.txt":             "bad.txt already exists and is not a saved game",
		"save none/x.txt":          "saving the game",
		"load none.txt":            "none.txt",
		"load bad.txt":             "reading bad.txt: line 1: turn 1g",
		"load":                     "load FILE",
		"load a b.txt":             "in quotes if it has spaces",
		"load 'a b.txt":            "load FILE: the quote ' in",
		`load  "a  b, 'c'.txt"`:    "a  b, 'c'.txt",
		"\x00\xff":                 "neither a command nor a step",
		"ra7":                      "the setup is over",
	} {
		t.Run(line, func(t *testing.T) {
			s := session.New(session.Config{Opponent: arena.Random{}})
			if err := s.Resume(game.FormatMoveList(setupActions(t))); err != nil {
				t.Fatal(err)
			}
			text := talk(t, s, line+"\nquit\n")
			_, said, _ := strings.Cut(text, "a b c d e f g h\n")
			if !strings.Contains(said, want) || strings.Count(said, "\n") != 1 {
				t.Errorf("said %q, want one line with %q", said, want)
			}
			if s.Game().TurnLabel() != "2g" || len(s.OpenTurn()) > 0 {
				t.Error("the game continued")
			}
		})
	}
}

func TestHintAndEvaluation(t *testing.T) {
	t.Chdir(t.TempDir())
	f := flags{Opponent: "random", Adviser: small(t), Visits: 20}
	adviser, err := f.adviser(&arena.Entrant{})
	if err != nil {
		t.Fatal(err)
	}
	s := func() *session.Session {
		return session.New(session.Config{Opponent: arena.Random{}, Adviser: adviser})
	}
	text := talk(t, s(), "hint\nsetup "+goldSetup+"\nmoves\nhint 30\neval on\nMd2n Md3n\neval\nhint 0\neval maybe\nquit\n")
	expect(t, text, "20 visits: gold wins with", "placement", "  play: R", // or another piece, from a1 on
		"1s ", "Cc2n Cc3x", "30 visits: gold", "visits       Q   prior  step", "expected: 2g ", "play: ",
		"2s ", "gold ", "silver ", "%\n", "gold ", "a number from 1", "eval on or eval off")
	again := talk(t, s(), "hint\nsetup "+goldSetup+"\nmoves\nhint 30\neval on\nMd2n Md3n\neval\nhint 0\neval maybe\nquit\n")
	if again != text {
		t.Error("the same seed gave another game")
	}
}

func TestHintThatWins(t *testing.T) {
	board, side, err := game.ParsePosition("g [        R      r                                              E ]")
	if err != nil {
		t.Fatal(err)
	}
	g := game.FromBoard(board, side)
	text := describe(&session.Advice{Visits: 1, Turn: tactics.Winning(g), Wins: true}, g)
	expect(t, "\n"+text, "\n1 visit: gold wins with", "play: ", "Ra7n, which wins at once\n")
}

func TestGoodSetup(t *testing.T) {
	t.Chdir(t.TempDir())
	expect(t, talk(t, session.New(session.Config{Opponent: arena.Random{}, Side: game.Silver}), "setup\ngame\nquit\n"), "1g ", "1s\n", "2g ", "1s ")
}

func TestResigning(t *testing.T) {
	t.Chdir(t.TempDir())
	expect(t, talk(t, nil, goldSetup+"\nresign\nresign\nEe2n\nsave r.txt\nundo\nEe2n\nquit\n"),
		"Silver wins by resignation.", "the game is over", "the game is over", "saved in r.txt", "2s ")
	if r := saved(t, "r.txt").Result(); r != (game.Result{Winner: game.Silver, Reason: game.Resignation}) {
		t.Errorf("the saved game is %v", r)
	}
	expect(t, talk(t, nil, goldSetup+"\nresign\nload r.txt\nquit\n"), "Silver wins by resignation.", "Silver wins by resignation.")
}

// The steps that can be made are in lines of 80 columns.
func TestMovesAreInLines(t *testing.T) {
	text := talk(t, nil, goldSetup+"\nstep Hb2n\nmoves\nquit\n")
	expect(t, text, "Cc2n  Cc2w  Cf2n Cf3x  ")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "Cc2n  ") && len(line) > 81 {
			t.Errorf("more than 80 columns: %s", line)
		}
	}
}

func TestFlagsThatAreWrong(t *testing.T) {
	network := small(t)
	t.Chdir(t.TempDir())
	if err := os.Mkdir(bundled.Name, 0o777); err != nil { // such as a clone: it is no network
		t.Fatal(err)
	}
	for want, f := range map[string]flags{
		`there is no player "randon"`:      {Opponent: "randon", Side: "gold", Visits: 1},
		"--side is \"white\"":              {Opponent: "random", Side: "white", Visits: 1},
		"--side is \"\"":                   {Opponent: "random", Side: "", Visits: 1},
		"--visits is -1":                   {Opponent: "random", Side: "gold", Visits: -1},
		"did you mean search.cpuct_":       {Opponent: "random", Side: "gold", Visits: 1, Set: []string{"search.cpuct_int=1"}},
		"none.safetensors":                 {Opponent: "none.safetensors", Side: "gold", Visits: 1},
		`there is no level "casual"`:       {Side: "gold", Level: "casual"},
		"only networks have levels":        {Opponent: "random", Side: "gold", Level: "2"},
		"chosen on the page":               {Web: true, Level: "8"},
		"--load has no effect with --web":  {Web: true, Load: "game.txt"},
		"--kind has no effect with --web":  {Web: true, Kind: "goal"},
		"--set has no effect with --puzz":  {Side: "gold", Puzzles: true, Set: []string{"search.cpuct_init=1"}},
		"--http has no effect with --puzz": {Side: "gold", Puzzles: true, HTTP: usualAddress},
		"add --web":                        {Side: "gold", HTTP: "127.0.0.1:9000"},
		"--http 127.0.0.1:8080: add --web": {Side: "gold", HTTP: usualAddress},
		"starting an engine":               {Opponent: "aei:./none", Side: "gold"}, // before the board
		"--web greedy":                     {Opponent: "greedy", Web: true},
		"none.safetensors: ":               {Opponent: "none.safetensors", Web: true, HTTP: "127.0.0.1:0"},
		"such as --http 127.0.0.1:8081":    {Web: true, HTTP: "nowhere"},
		"--save .: this is a directory":    {Opponent: "random", Side: "gold", Save: "."},
		"none.txt":                         {Opponent: network, Side: "silver", Visits: 1, Load: "none.txt"},
	} {
		err := f.run(t.Context(), &terminal{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
	}
}

// TestWithoutArguments plays as a fresh clone does, over a pipe: both sides set up, Gold
// plays a turn, and the bundled network answers with a legal one.
func TestWithoutArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	for level, against := range map[string]string{"": "warren", "1": "--level 1 warren"} {
		out, err := os.Create("out.txt")
		if err != nil {
			t.Fatal(err)
		}
		f := flags{Side: "gold", Seed: 1, Level: level}
		in := readLines(strings.NewReader(goldSetup + "\nEe2n Ee3n\nhint 2\nsave mine.txt\nHb2n\nquit\n"))
		if err := f.run(t.Context(), &terminal{in: in, out: out}); err != nil {
			t.Fatal(err)
		}
		out.Close()
		text, err := os.ReadFile("out.txt")
		if err != nil {
			t.Fatal(err)
		}
		expect(t, string(text), "You are gold, against warren at level 1 of 12", "1s ", "2g\n", "2s ", "3g\n", "2 visits: gold wins with", "3s ", "--side gold "+against+"\n")
		g := saved(t, "mine.txt").Game() // reads only legal turns
		if g.TurnLabel() != "3g" {
			t.Errorf("after the answer the game stands at %s", g.TurnLabel())
		}
	}
}

// Levels set the visits and the temperature of networks, and --visits the visits alone.
func TestLevels(t *testing.T) {
	help, all := levels(), arena.Levels()
	for _, l := range all {
		if !strings.Contains(help, fmt.Sprintf("%2d  %s\n", l.Number, l.Title)) {
			t.Errorf("the help lacks the level %d:\n%s", l.Number, help)
		}
		n, err := (&flags{Level: strconv.Itoa(l.Number)}).names()
		if err != nil {
			t.Fatal(err)
		}
		want := l.Over(arena.DefaultSearch())
		want.Threads = n.Search.Threads
		if n.Search != want || n.Search.Threads < 1 {
			t.Errorf("at the level %d a network searches with %+v", l.Number, n.Search)
		}
	}
	n, err := (&flags{Level: "12", Visits: 77}).names()
	if err != nil || n.Search.Visits != 77 || n.Search.Time != 0 || n.Search.Temperature != 1 {
		t.Errorf("%v: searches with %+v", err, n.Search)
	}
	for want, f := range map[int]flags{1: {}, 2: {Level: "2"}, 10: {Opponent: "runs/quick"}} {
		if l, err := f.level(); err != nil || l != all[want-1] {
			t.Errorf("%v: %+v plays at %+v", err, f, l)
		}
	}
	if l, err := (&flags{Visits: 60}).level(); err != nil || l != all[9] {
		t.Errorf("%v: with --visits it plays at %+v", err, l)
	}
}

// Hints are from the opponent's network if it has one, and else from the bundled one.
func TestAdviserWithoutAFlag(t *testing.T) {
	network := small(t)
	advice := func(f flags) float32 {
		n, err := f.names()
		if err != nil {
			t.Fatal(err)
		}
		e, err := n.Parse(f.Opponent)
		if err != nil {
			t.Fatal(err)
		}
		adviser, err := f.adviser(e)
		if err != nil {
			t.Fatal(err)
		}
		value, err := session.New(session.Config{Opponent: e.Player, Adviser: adviser}).Evaluate()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	own, shipped, random := advice(flags{Opponent: network}), advice(flags{Opponent: "warren"}), advice(flags{Opponent: "random"})
	if own == shipped || shipped != random || advice(flags{Opponent: "random", Adviser: network}) != own {
		t.Errorf("the evaluations are %v, %v and %v", own, shipped, random)
	}
}

// The level that is said is that of the settings with which the opponent plays, wherever they come from.
func TestLevelOfOpponent(t *testing.T) {
	for want, f := range map[int]flags{
		1: {}, 3: {Level: "3"}, 5: {Level: "3", Opponent: "warren:level=5"}, 6: {Opponent: "warren:level=6"}, 8: {Opponent: "warren:level=8,device=cpu"}, 7: {Level: "7", Opponent: "warren:label=me"}, 10: {Visits: 0, Opponent: "warren", Level: "10"},
		0: {Level: "3", Opponent: "warren:visits=5"}, -1: {Visits: 60}, -2: {Opponent: "random"},
	} {
		names, err := f.names()
		if err != nil {
			t.Fatal(err)
		}
		opponent, err := names.Parse(cmp.Or(f.Opponent, "warren"))
		if err != nil {
			t.Fatal(err)
		}
		if l := levelOf(opponent.Player); l.Number != max(want, 0) {
			t.Errorf("%+v plays at level %d", f, l.Number)
		}
	}
}

// The levels of a network that is not the bundled one are called its own: how strong they are depends on it.
func TestLevelOfAnotherNetwork(t *testing.T) {
	var out strings.Builder
	f := flags{Opponent: small(t), Side: "gold", Seed: 1}
	if err := f.run(t.Context(), &terminal{in: readLines(strings.NewReader("quit\n")), out: &out}); err != nil {
		t.Fatal(err)
	}
	expect(t, out.String(), "You are gold, against small.safetensors at its level 10 of 12 (looks far ahead)")
}

// slow is a player that sits down when the display says that it is waited for.
type slow struct{ arena.Random }

func (slow) Name() string { return "slow" }

func (slow) Sit(ctx context.Context, seed uint64) (arena.Seat, error) {
	<-ctx.Done()
	return arena.Random{}.Sit(ctx, seed)
}

// calls calls itself with what is written.
type calls func(text string)

func (c calls) Write(p []byte) (int, error) { c(string(p)); return len(p), nil }

// While an engine starts, the display says what is waited for.
func TestOpponentIsWaitedFor(t *testing.T) {
	ctx, seat := context.WithTimeout(t.Context(), time.Minute)
	defer seat()
	said := false
	display := calls(func(text string) {
		if strings.Contains(text, "waiting for slow") {
			said = true
			seat()
		}
	})
	c := converse(session.New(session.Config{Opponent: slow{}}), strings.NewReader(""), io.Discard)
	c.progress = func() *metrics.Progress { return metrics.OnTerminal(display) }
	if err := c.run(ctx); err != nil || !said {
		t.Errorf("%v; told %t", err, said)
	}
}

// The bar of a turn by time goes by time. Of a turn by anything else nothing is known before its first action.
func TestOpponentIsThinking(t *testing.T) {
	for _, c := range []struct {
		opponent    arena.Player
		script      string // that the person plays first
		made        int    // actions
		done, total float64
	}{
		{arena.AlphaBeta{Time: 8 * time.Second}, goldSetup, 0, 0, 0}, // it has no time for its setup
		{arena.AlphaBeta{Time: 8 * time.Second}, goldSetup + "\nEe2n", 0, 2, 8},
		{&arena.Searcher{SearchSettings: arena.SearchSettings{Time: 8 * time.Second}}, goldSetup + "\nEe2n", 3, 2, 8},
		{arena.Random{}, goldSetup + "\nEe2n", 0, 0, 0},
		{arena.Random{}, goldSetup + "\nEe2n", 3, 3, 4},
	} {
		s := session.New(session.Config{Opponent: arena.Random{}})
		for turn := range strings.Lines(c.script) {
			if s.Game().Side() != s.Side() {
				if _, err := s.Reply(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.PlayTurn(turn); err != nil {
				t.Fatal(err)
			}
		}
		s.Replace(c.opponent)
		got := thinking(game.Silver, c.made, 4, 2*time.Second, s.OpponentTime())
		if got.Title != "Silver is thinking" || got.Done != c.done || got.Total != c.total {
			t.Errorf("%s after %d actions: %+v, want %v of %v", s.Opponent(), c.made, got, c.done, c.total)
		}
	}
}

// After a win the next level is named, if there is one.
func TestNextLevel(t *testing.T) {
	all := arena.Levels()
	for _, c := range []struct {
		level  arena.Level
		winner game.Color
		want   string
	}{
		{all[2], game.Gold, " You beat level 3; --level 4 is the next."},
		{all[2], game.Silver, ""},
		{all[len(all)-1], game.Gold, ""},
		{arena.Level{}, game.Gold, ""},
	} {
		talk := &conversation{level: c.level, session: session.New(session.Config{Opponent: arena.Random{}, Side: game.Gold})}
		if got := talk.next(game.Result{Winner: c.winner}); got != c.want {
			t.Errorf("level %d, %v wins: %q, want %q", c.level.Number, c.winner, got, c.want)
		}
	}
}

// newcomer is an opponent that adapts and has not played yet.
type newcomer struct{ arena.Random }

type newcomerSeat struct{ arena.Seat }

func (newcomerSeat) Level() arena.Level { return arena.Adapting() }

func (n newcomer) Sit(ctx context.Context, seed uint64) (arena.Seat, error) {
	seat, err := n.Random.Sit(ctx, seed)
	return newcomerSeat{seat}, err
}

// An opponent that adapts has no level before its first turn.
func TestLevelBeforeTheFirstTurn(t *testing.T) {
	text := talk(t, session.New(session.Config{Opponent: newcomer{}}), goldSetup+"\nresign\nquit\n")
	if !strings.Contains(text, "Silver wins by resignation.\n") || strings.Contains(text, "At the end") {
		t.Errorf("said %s", text)
	}
}

func TestPiecesOffTheBoard(t *testing.T) {
	if gone := gone(game.New()); gone != "" {
		t.Errorf("in the setup: %s", gone)
	}
	b, _, err := game.ParsePosition("g [rrrrrrrrhdcemc h                                 DCMECDHRRRRRRR ]")
	if err != nil {
		t.Fatal(err)
	}
	if gone := gone(game.FromBoard(b, game.Gold)); gone != "HR d" {
		t.Errorf("off the board are %q", gone)
	}
}

func TestColoursOnlyPaint(t *testing.T) {
	g := game.New()
	for _, a := range setupActions(t) {
		g.Play(a)
	}
	text := draw(g, true)
	if !strings.Contains(text, goldOn+"E"+plain) || !strings.Contains(text, silverOn+"e"+plain) || !strings.Contains(text, trapOn+"x") {
		t.Errorf("not in colour:\n%s", text)
	}
	for _, escape := range []string{goldOn, silverOn, trapOn, plain} {
		text = strings.ReplaceAll(text, escape, "")
	}
	if text != draw(g, false) {
		t.Errorf("another board:\n%s", text)
	}
}
