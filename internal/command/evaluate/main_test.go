package evaluate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/arena/rating"
	"warren/internal/console"
	"warren/internal/durable"
	"warren/internal/nettest"
	"warren/internal/puzzle"
	"warren/net"
)

// With WARREN_EVALUATE set, the test binary is the command itself.
func TestMain(m *testing.M) {
	if args, ok := os.LookupEnv("WARREN_EVALUATE"); ok {
		os.Args = append([]string{"evaluate"}, strings.Split(args, "\n")...)
		Main(console.Program("evaluate"))
		return
	}
	os.Exit(m.Run())
}

// command runs the program and returns what it prints.
func command(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), "WARREN_EVALUATE="+strings.Join(args, "\n"))
	var out, log bytes.Buffer
	c.Stdout, c.Stderr = &out, &log
	err = c.Run()
	return out.String(), log.String(), err
}

// network saves a small untrained network with its provenance.
func network(t *testing.T, dir string, generation int, meta map[string]string) string {
	t.Helper()
	all := map[string]string{"run": "tiny", "generation": fmt.Sprint(generation), "steps": "20", "samples": "640", "games": fmt.Sprint(100 * generation)}
	for k, v := range meta {
		all[k] = v
	}
	return nettest.Save(t, net.GenerationFile(dir, generation), nettest.New(t, nettest.Small, uint64(generation)), all)
}

func defaults(players ...string) flags {
	return flags{
		Players: players, Games: new(2), Visits: usualVisits, Temperature: usualTemperature, TemperatureTurns: usualTemperatureTurns,
		TurnLimit: 12, Checkpoints: usualCheckpoints, Seed: 1,
	}
}

// evaluate runs the command and returns what it prints.
func evaluate(t *testing.T, f flags) string {
	t.Helper()
	var out strings.Builder
	if err := f.run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestBadInput(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("this is no network"), 0o666); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "none.safetensors")
	run := t.TempDir()
	trained := network(t, run, 1, nil)
	good := defaults("random", "random:label=other")
	if f := good; f.run(t.Context(), io.Discard) != nil {
		t.Error("random against random fails")
	}
	for want, change := range map[string]func(*flags){
		missing:                               func(f *flags) { f.Players[0] = missing },
		text:                                  func(f *flags) { f.Players[1] = text },
		"--visits":                            func(f *flags) { f.Visits = 0 },
		"--games":                             func(f *flags) { f.Games = new(-3) },
		"--games is 0, must be from 1":        func(f *flags) { f.Games = new(0) },
		"--games is 0, must be from":          func(f *flags) { f.Games, f.Until = new(0), 10 },
		"--set is for networks":               func(f *flags) { f.Set = []string{"search.cpuct_init=1"} },
		"--visits is for networks":            func(f *flags) { f.Visits = 64 },
		"--temperature is for networks":       func(f *flags) { f.Temperature = 0 },
		"--temperature-turns is for networks": func(f *flags) { f.TemperatureTurns = 9 },
		"--device is for networks":            func(f *flags) { f.Device = "cpu" },
		"--checkpoints is for the networks":   func(f *flags) { f.Checkpoints = 3 },
		"name the directory of a run":         func(f *flags) { f.Run = []string{"none"} },
		"--visits is 2000000, must be from 1 to 1000000": func(f *flags) { f.Visits = 2e6 },
		"--within is -1s, must be from 0s to 8760h":      func(f *flags) { f.Within = -time.Second },
		"--turn-limit":                   func(f *flags) { f.TurnLimit = 0 },
		"two players or":                 func(f *flags) { f.Players = f.Players[:1] },
		`did you mean "rollouts"?`:       func(f *flags) { f.Players[0] = "rolouts" },
		"did you mean label?":            func(f *flags) { f.Players[0] = "random:lable=me" },
		"--sprt":                         func(f *flags) { f.Sprt = "7" },
		"elo0 must be less":              func(f *flags) { f.Sprt = "7,3" },
		"choose one":                     func(f *flags) { f.Sprt, f.Until = "0,50", 10 },
		"between two":                    func(f *flags) { f.Sprt, f.Players = "0,50", append(f.Players, "rollouts") },
		"before a player moves":          func(f *flags) { f.Openings, f.OpeningTurn = text, f.TurnLimit },
		"reading openings":               func(f *flags) { f.Openings = text },
		"no networks":                    func(f *flags) { f.Run = []string{t.TempDir()} },
		"the anchor":                     func(f *flags) { f.Anchor, f.Until = "nobody", 10 },
		"two players are called":         func(f *flags) { f.Players[1], f.Until = "random", 10 },
		"--set: search.cpuct_init: -1":   func(f *flags) { f.Set = []string{"search.cpuct_init=-1"} },
		"did you mean search.noise_alp":  func(f *flags) { f.Set = []string{"search.noise_alpa=1"} },
		"the player net: search.cpuct_i": func(f *flags) { f.Players[0] = trained + ",search.cpuct_init=much" },
	} {
		f := good
		f.Players = slices.Clone(f.Players)
		change(&f)
		if err := f.run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
	}
}

// A mistake on the command line is one line and a failure, and the help describes
// every player.
func TestCommandLine(t *testing.T) {
	_, stderr, err := command(t, "--games", "2", "rolouts", "random")
	if err == nil || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "evaluate: there is no player") {
		t.Errorf("%v, %q", err, stderr)
	}
	stdout, _, err := command(t, "-h")
	for _, want := range []string{"alphabeta:nodes=20000", "temperature_turns", "search.KEY", "aei:COMMAND", "--set", "Examples:"} {
		if err != nil || !strings.Contains(stdout, want) {
			t.Errorf("the help has no %q, %v", want, err)
		}
	}
	if _, stderr, err = command(t, "--games", "0", "random", "greedy"); err == nil || !strings.Contains(stderr, "--games is 0") {
		t.Errorf("%v, %q", err, stderr)
	}
	if _, stderr, err = command(t, "--run", "none", "random"); err == nil || !strings.Contains(stderr, "there are no networks in ") {
		t.Errorf("%v, %q", err, stderr)
	}
	stdout, _, err = command(t, "--games", "4", "--turn-limit", "10", "random", "greedy")
	if err != nil || !strings.HasPrefix(stdout, "random against greedy: ") || !strings.Contains(stdout, "of 4 won") || !strings.Contains(stdout, "of the games by adjudication") {
		t.Errorf("%v, %q", err, stdout)
	}
}

func TestMatchAsJSON(t *testing.T) {
	f := defaults("random", "greedy")
	f.JSON, f.Games = true, new(6)
	f.Sprt = "0,50"
	text := evaluate(t, f)
	var got score
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Player != "random" || got.Opponent != "greedy" || got.Games != 6 || got.Wins+got.Losses != 6 || got.Adjudicated() != 6 || got.Turns != 72 ||
		*got.Rules != (arena.RulesRecord{Seed: 1, TurnLimit: 12, Openings: "own"}) {
		t.Errorf("%+v", got)
	}
	if got.Rate != float64(got.Wins)/6 || got.Low > got.Rate || got.High < got.Rate || got.High == got.Low {
		t.Errorf("a rate of %g from %g to %g", got.Rate, got.Low, got.High)
	}
	for _, want := range []string{`"reasons": {`, `"turn limit": 6`, `"elo1": 50`, `"verdict": "undecided"`, `"pairs": [`} {
		if strings.Count(text, want) != 1 {
			t.Errorf("the JSON does not have %s once:\n%s", want, text)
		}
	}
}

// A test ends with the last opening of a book. What is left of a test is not known.
func TestBookEnds(t *testing.T) {
	book := filepath.Join(t.TempDir(), "book.tsv")
	var games strings.Builder
	for pair := range 2 {
		games.WriteString(game.FormatMoveList(arena.RandomSetups{}.Opening(pair, 1)))
	}
	if err := os.WriteFile(book, []byte(games.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	f := defaults("random", "greedy")
	f.JSON, f.Openings, f.Games, f.Sprt = true, book, new(6), "0,50"
	var got score
	if err := json.Unmarshal([]byte(evaluate(t, f)), &got); err != nil || got.Games != 4 {
		t.Errorf("a test with two openings plays %d games, %v", got.Games, err)
	}
	left := arena.Progress{Games: 4, Total: 6}
	if text := f.left(left); text != "" {
		t.Errorf("of a test is said to be left:%s", text)
	}
	f.Sprt = ""
	if text := f.left(left); !strings.Contains(text, "2 games are left") {
		t.Errorf("of a tournament is said to be left:%s", text)
	}
}

// A score of all games or none has no rating, and one bound of it.
func TestScoreWithoutElo(t *testing.T) {
	tallies := []arena.Tally{{}, {Wins: 6, Losses: 2}}
	for games := range 60 {
		tallies = append(tallies, arena.Tally{Wins: games}, arena.Tally{Losses: games})
	}
	for _, tally := range tallies {
		s := newScore(&arena.Standings{Pairings: []arena.Pairing{{Player: "a", Opponent: "b", Tally: tally}}}, "a", "b")
		if (s.Elo != nil) != (tally.Wins > 0 && tally.Losses > 0) || (s.EloLow != nil) != (tally.Wins > 0) || (s.EloHigh != nil) != (tally.Losses > 0) {
			t.Errorf("%v: %v, %v to %v", tally, s.Elo, s.EloLow, s.EloHigh)
		}
		if _, err := json.Marshal(s); err != nil {
			t.Errorf("%v: %v", tally, err)
		}
	}
}

// A network plays itself with another setting of the search, and --set holds for
// every network that does not set the same.
func TestSearchSettingsMakeAnotherPlayer(t *testing.T) {
	path := network(t, t.TempDir(), 3, nil)
	f := defaults("net:"+path+",search.cpuct_init=0.5", path)
	f.Visits = 2
	if got := evaluate(t, f); !strings.HasPrefix(got, "tiny/gen-00003.safetensors,search.cpuct_init=0.5 against tiny/gen-00003.safetensors: ") {
		t.Error(got)
	}
	f.Out = t.TempDir()
	f.Set = []string{"search.cpuct_init=0.75"}
	got := evaluate(t, f)
	if !strings.Contains(got, "tiny/gen-00003.safetensors,search.cpuct_init=0.5") {
		t.Error(got)
	}
	log, err := os.ReadFile(filepath.Join(f.Out, arena.GamesFile))
	if err != nil || !bytes.Contains(log, []byte(",search.cpuct_init=0.5,")) || !bytes.Contains(log, []byte(",search.cpuct_init=0.75,")) {
		t.Errorf("the log does not identify the players, %v:\n%s", err, log)
	}
	// Continuing with other settings is refused.
	f.Set = nil
	if err := f.run(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "give it another name with the option label=") {
		t.Errorf("other settings under the same name: %v", err)
	}
}

// What a network says of its run cannot control the terminal.
func TestNetworkCannotControlTheTerminal(t *testing.T) {
	dir := t.TempDir()
	path, puzzles := network(t, dir, 1, map[string]string{"run": "a\x1b[2Jb"}), filepath.Join(dir, "puzzles.tsv")
	all, err := puzzle.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	all.Puzzles = all.Puzzles[:1]
	if err := durable.WriteFile(puzzles, all.Write); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"--games", "2", "--turn-limit", "4", path, path + ",visits=3"},
		{"--puzzles", "--puzzle-file", puzzles, path},
	} {
		out, log, err := command(t, append(args, "--visits", "2")...)
		if err != nil || strings.Contains(out+log, "\x1b") || !strings.Contains(out, `a\x1b[2Jb/gen-00001.safetensors`) {
			t.Errorf("%q: %v: %q; %q", args, err, out, log)
		}
	}
}

// A stopped tournament continues with the same command and ends as if it had not been
// stopped.
func TestTournamentGoesOn(t *testing.T) {
	run := t.TempDir()
	for generation := range 4 {
		network(t, run, generation, map[string]string{"seconds": fmt.Sprint(60 * generation)})
	}
	tournament := func(dir string) flags {
		f := defaults("random", "greedy")
		f.Run, f.Checkpoints, f.Out, f.JSON, f.Games, f.Workers, f.Visits = []string{run}, 2, dir, true, new(4), 1, 2
		return f
	}
	whole, broken := t.TempDir(), t.TempDir()
	f := tournament(whole)
	want := standings(t, evaluate(t, f))

	// A kill leaves whole lines and part of one.
	log, err := os.ReadFile(filepath.Join(whole, arena.GamesFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(log, []byte("\n"))
	kept := append(bytes.Join(lines[:len(lines)/2], nil), `{"game":{"gold":`...)
	if err := os.WriteFile(filepath.Join(broken, arena.GamesFile), kept, 0o666); err != nil {
		t.Fatal(err)
	}
	f = tournament(broken)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	var out strings.Builder
	if err := f.run(stopped, &out); !errors.Is(err, console.ErrStopped) {
		t.Fatal(err)
	}
	if n := count(standings(t, out.String())); n == 0 || n >= count(want) || n != 2*bytes.Count(kept, []byte(`{"game":{"gold":"`)) {
		t.Errorf("the standings of a tournament that was stopped at once count %d of %d", n, count(want))
	}
	got := standings(t, evaluate(t, f))
	if count(got) != count(want) || count(want) != 2*4*6 {
		t.Errorf("%d games, without an interruption %d", count(got)/2, count(want)/2)
	}
	for i, p := range want.Players {
		if q := got.Players[i]; p.Name != q.Name || p.Wins != q.Wins || p.Adjudicated != q.Adjudicated || p.RunSeconds != q.RunSeconds {
			t.Errorf("%+v, interrupted %+v", p, q)
		}
	}
	if p := want.Player("tiny/gen-00003.safetensors"); p == nil || p.RunSeconds != 180 || p.RunGames != 300 || p.RunSamples != 640 || p.RunSteps != 20 || p.Generation != 3 {
		t.Errorf("the provenance in %+v", p)
	}
	for _, name := range []string{"ratings.txt", "ratings.json", "ratings.svg", "games.tsv"} {
		content, err := os.ReadFile(filepath.Join(broken, name))
		if err != nil || len(content) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if name == "ratings.svg" && !bytes.Contains(content, []byte(">generation<")) {
			t.Errorf("the plot:\n%s", content)
		}
	}
}

// The networks of a run are found wherever the run is, and a network by any path.
func TestAnyPath(t *testing.T) {
	run := filepath.Join(t.TempDir(), "a, b=c;[1] 'é'")
	path := network(t, run, 1, nil)
	f := defaults("random", path+",visits=3", arena.NetworkName(path)+",visits=4,label=\"x, y\"")
	f.Run, f.Games, f.JSON, f.Visits = []string{run}, new(2), true, 2
	var names []string
	for _, p := range standings(t, evaluate(t, f)).Players {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	if want := []string{"random", "tiny/gen-00001.safetensors", "tiny/gen-00001.safetensors,visits=3", "x, y"}; !slices.Equal(names, want) {
		t.Errorf("the players are %q, want %q", names, want)
	}
}

// The standings are shown even if they cannot be saved, as on a full disk.
func TestStandingsThatCannotBeSaved(t *testing.T) {
	f := defaults("random", "greedy")
	f.Out = t.TempDir()
	evaluate(t, f)
	path := filepath.Join(f.Out, "games.tsv")
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o777)); err != nil {
		t.Fatal(err)
	}
	for _, f.JSON = range []bool{false, true} {
		var out strings.Builder
		if err := f.run(t.Context(), &out); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(out.String(), "greedy") {
			t.Errorf("%v and %q", err, out.String())
		}
	}
}

// Of two players that are the same, both games of a pair are one game. The results count half of the games as copies.
func TestSamePlayerTwice(t *testing.T) {
	dir := t.TempDir()
	f := defaults("random", "random:label=b")
	f.Games, f.TurnLimit = new(6), 80
	if got := evaluate(t, f); !strings.Contains(got, "; copies of other games, which tell nothing new: 3\n") {
		t.Errorf("the match says %q", got)
	}
	f.Out, f.JSON = dir, true
	if got := evaluate(t, f); strings.Count(got, `"repeats": 3`) != 1 {
		t.Errorf("the tournament says %s", got)
	}
	moves := map[string]int{}
	for g, err := range arena.Games(dir) {
		if err != nil {
			t.Fatal(err)
		}
		moves[g.Moves]++
	}
	for _, n := range moves {
		if n != 2 {
			t.Errorf("a game was played %d times", n)
		}
	}
}

// Two networks without temperature play one pair of games again and again. No test decides by that, and it ends.
func TestTestOfCopiesEnds(t *testing.T) {
	dir := t.TempDir()
	f := defaults(network(t, dir, 1, nil), network(t, dir, 2, nil))
	f.Games, f.Sprt, f.Temperature, f.Visits, f.TurnLimit, f.Workers, f.JSON = new(400), "0,50", 0, 2, 4, 1, true
	for _, out := range []string{"", filepath.Join(dir, "out")} {
		f.Out = out
		var match score
		var all arena.Standings
		text := evaluate(t, f)
		if err := errors.Join(json.Unmarshal([]byte(text), &match), json.Unmarshal([]byte(text), &all)); err != nil {
			t.Fatal(err)
		}
		tally := match.Tally
		if out != "" {
			tally = all.Pairings[0].Tally
		}
		pairs := all.Test.Pairs
		if tally.Games() != 2*101 || tally.Repeats != 2*100 || all.Test.Verdict != rating.Undecided || pairs[0]+pairs[1]+pairs[2] != 1 {
			t.Errorf("%v: %v after the pairs %v", tally, all.Test.Verdict, pairs)
		}
	}
}

// The games of a match do not know when it ends, to which players by time would hurry.
func TestWithinIsNoClock(t *testing.T) {
	ctx, cancel := within(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	if _, ok := ctx.Deadline(); ok || context.Cause(ctx) != errTimeUp {
		t.Errorf("the context has a deadline: %t; it ends with %v", ok, context.Cause(ctx))
	}
}

// --within ends a match or a tournament that is not over, says what is left, and the
// same command resumes the tournament.
func TestWithin(t *testing.T) {
	out, log, err := command(t, "--within", "1ns", "--games", "6", "random", "random:label=b")
	if err != nil || out != "random against b: no game finished\n" || !strings.Contains(log, "The time is up. The results cover the games finished so far. 6 games are left. With --out DIR the games could be resumed.\n") {
		t.Errorf("%v: %q; %q", err, out, log)
	}
	dir := t.TempDir()
	f := defaults("random", "random:label=b")
	f.Out, f.JSON, f.Games, f.Within = dir, true, new(6), time.Nanosecond
	if s := standings(t, evaluate(t, f)); count(s) != 0 {
		t.Errorf("%d games in no time", count(s)/2)
	}
	f.Within = time.Hour
	if s := standings(t, evaluate(t, f)); count(s) != 2*6 {
		t.Errorf("%d games, want 6", count(s)/2)
	}
	for p, want := range map[arena.Progress]string{
		{Total: 100}:             " 100 games are left.",
		{Games: 20, Total: 100}:  " 80 games are left, for some 0s.",
		{Games: 99, Total: 100}:  " 1 game is left, for some 0s.",
		{Games: 20, Total: 1020}: " 1000 games are left, for some 0s.",
	} {
		if got := new(flags).left(p); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
	f.Until = 40
	if got := f.left(arena.Progress{Total: 100}); got != "" {
		t.Errorf("before a game has ended: %q", got)
	}
	if got, want := f.left(arena.Progress{Games: 20, Total: 420, Widest: 83.4, Left: 90 * time.Second}), " The widest interval that games can narrow is +-83; about 400 games are left, for some 1m30s."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Ctrl-C is no success, whatever is printed.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, puzzles := range []bool{false, true} {
		f := defaults("random", "random:label=b")
		if f.Puzzles = puzzles; puzzles {
			f.Games, f.TurnLimit = nil, usualTurnLimit
		}
		var out strings.Builder
		if err := f.run(ctx, &out); !errors.Is(err, console.ErrStopped) || out.Len() == 0 {
			t.Errorf("puzzles %t: %v, printed %q", puzzles, err, &out)
		}
	}
}

func standings(t *testing.T, text string) *arena.Standings {
	t.Helper()
	s := new(arena.Standings)
	if err := json.Unmarshal([]byte(text), s); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return s
}

// count counts every game twice, once for each of its players.
func count(s *arena.Standings) int {
	n := 0
	for _, p := range s.Players {
		n += p.Games
	}
	return n
}

func TestPlot(t *testing.T) {
	p := plot(&arena.Standings{Players: []arena.Standing{
		{Name: "a/gen-00002.safetensors", Run: "a", Generation: 2, Elo: 50},
		{Name: "a/gen-00001.safetensors", Run: "a", Generation: 1},
		{Name: "a/gen-00001.safetensors,search.cpuct_init=0.5", Run: "a", Generation: 1},
		{Name: "mine.safetensors", Run: "a", Generation: 2},
		{Name: "random"},
	}})
	if len(p.Curves) != 3 || len(p.Levels) != 1 || p.Curves[1].Name != "a,search.cpuct_init=0.5" || p.Curves[2].Name != "mine.safetensors" {
		t.Fatalf("%+v", p)
	}
	if q := p.Curves[0].Points; len(q) != 2 || q[0].X != 2 || q[1].X != 1 {
		t.Errorf("%+v", q)
	}
}

func TestCheckpointsAreSpreadEvenly(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run[1]") // not a pattern
	for generation := range 8 {
		network(t, run, generation, nil)
	}
	for count, want := range map[int]string{1: "7", 2: "1 7", 3: "1 4 7", 50: "1 2 3 4 5 6 7"} {
		paths, err := checkpoints(run, count)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range paths {
			got = append(got, strings.TrimLeft(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(p), "gen-"), ".safetensors"), "0"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d of them are %v, want %s", count, got, want)
		}
	}
	// Without the untrained one, the first is as good as the others.
	if err := os.Remove(filepath.Join(run, "networks", "gen-00000.safetensors")); err != nil {
		t.Fatal(err)
	}
	if paths, err := checkpoints(run, 50); len(paths) != 7 || err != nil {
		t.Errorf("of 7 networks these are chosen: %v, %v", paths, err)
	}
}

// failing is a player that plays one game and cannot begin another.
type failing struct {
	arena.Random
	games int
}

func (*failing) Name() string { return "failing" }

func (p *failing) Sit(ctx context.Context, seed uint64) (arena.Seat, error) {
	if p.games++; p.games > 1 {
		return nil, errors.New("no more")
	}
	return p.Random.Sit(ctx, seed)
}

// The games before the one that failed count.
func TestScoreUntilAGameFails(t *testing.T) {
	f := defaults()
	var out strings.Builder
	err := f.tournament(t.Context(), &out, arena.TournamentConfig{Games: 4, Workers: 1}, []*arena.Entrant{{Player: &failing{}}, {Player: arena.Random{}}})
	if err == nil || !strings.Contains(err.Error(), "game 2 of failing against random: no more") || !strings.Contains(out.String(), " of 1 won") {
		t.Errorf("got %v and %q", err, out.String())
	}
}
