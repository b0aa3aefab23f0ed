package engine

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"warren/game"
	"warren/game/clock"
	"warren/internal/arena/aei"
	"warren/internal/eval"
	"warren/internal/nettest"
	"warren/internal/think"
	"warren/mcts"
)

// checkpoint saves a small untrained network.
func checkpoint(t *testing.T) string {
	t.Helper()
	return nettest.Save(t, filepath.Join(t.TempDir(), "gen-00001.safetensors"), nettest.New(t, nettest.Small, 1), map[string]string{"run": "tiny"})
}

func defaults(network string) flags {
	return flags{Network: network, Threads: 1, Batch: 4, Hash: 8, Time: time.Second}
}

func TestBadInput(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("this is no network"), 0o666); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "none.safetensors")
	good := checkpoint(t)
	for want, change := range map[string]func(*flags){
		missing:                             func(f *flags) { f.Network = missing },
		text:                                func(f *flags) { f.Network = text },
		"open waren":                        func(f *flags) { f.Network = "waren" },
		"--threads":                         func(f *flags) { f.Threads = -1 },
		"--batch":                           func(f *flags) { f.Batch = -1 },
		"--hash is 0":                       func(f *flags) { f.Hash = 0 },
		"must be from 1 to 10624":           func(f *flags) { f.Hash = 10625 },
		"--visits":                          func(f *flags) { f.Visits = -1 },
		"--depth":                           func(f *flags) { f.Depth = -1 },
		"--level: there is no level \"13\"": func(f *flags) { f.Level = "13" },
		"have no effect with --level":       func(f *flags) { f.Level, f.Visits = "3", 5 },
		"--time":                            func(f *flags) { f.Time = 0 },
		"--set: search.cpuct_init: 200 is out of range (allowed: 0 to 100)": func(f *flags) { f.Set = []string{"search.cpuct_init=200"} },
		"--overhead": func(f *flags) { f.Overhead = -time.Second },
	} {
		f := defaults(good)
		change(&f)
		if _, _, err := f.engine(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
	}
}

// TestGame plays both sides of a game over the protocol, with a limit on visits.
func TestGame(t *testing.T) {
	f := defaults(checkpoint(t))
	f.Visits = 4
	e, id, err := f.engine()
	if err != nil {
		t.Fatal(err)
	}
	f.Set = []string{"search.fpu_reduction=0.3"}
	if other, _, err := f.engine(); err != nil || other.config.Search.FPUReduction != 0.3 || e.config.Search != mcts.MatchConfig() {
		t.Errorf("searches with %+v, %v", other.config.Search, err)
	}
	if id.Name != "Warren tiny/gen-00001.safetensors" {
		t.Errorf("the engine is called %q", id.Name)
	}
	c := newController(t, e, id)
	c.send("aei", "setoption name hash value 4", "setoption name threads value 2", "newgame", "go")
	for turn := range 12 {
		move := c.until("bestmove ")
		c.send("makemove "+move, "go ponder", "isready")
		if turn == 5 {
			c.send("stop")
			c.until("bestmove ")
		}
		if turn < 11 {
			c.send("go")
		}
	}
	c.send("quit")
	for line := range c.lines {
		if strings.HasPrefix(line, "log Error") || strings.HasPrefix(line, "log Warning") {
			t.Error(line)
		}
	}
	for _, line := range c.seen {
		if strings.HasPrefix(line, "log Error") || strings.HasPrefix(line, "log Warning") {
			t.Error(line)
		}
	}
}

// TestWithoutArguments lets the bundled network play a turn.
func TestWithoutArguments(t *testing.T) {
	f := defaults("")
	f.Visits = 2
	e, id, err := f.engine()
	if err != nil {
		t.Fatal(err)
	}
	if id.Name != "Warren" {
		t.Errorf("the engine is called %q", id.Name)
	}
	c := newController(t, e, id)
	c.send("aei", "newgame", "go")
	if _, err := game.ParseTurn(game.New(), c.until("bestmove ")); err != nil {
		t.Error(err)
	}
	c.send("quit")
}

// What was searched of the opponent's turn is known when the engine moves again.
func TestTreeIsKept(t *testing.T) {
	f := defaults(checkpoint(t))
	e, _, err := f.engine()
	if err != nil {
		t.Fatal(err)
	}
	board, side, err := game.ParsePosition("g [e           r                                      R          E ]")
	if err != nil {
		t.Fatal(err)
	}
	g := game.FromBoard(board, side)
	if _, _, err := e.prepare(aei.Task{Game: g, Clock: clock.New(clock.Unlimited())}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.thinker.Analyse(t.Context(), g, think.Limits{Visits: 1000}); err != nil {
		t.Fatal(err)
	}
	for _, a := range []game.Action{g.Legal(nil)[0], game.Pass} {
		g.Play(a)
	}
	_, moves, err := e.thinker.Analyse(t.Context(), g, think.Limits{Visits: 1})
	visits := 0
	for _, m := range moves {
		visits += m.Visits
	}
	if err != nil || visits == 0 {
		t.Errorf("after the opponent's turn the tree has %d visits, %v", visits, err)
	}
}

// What the engine does before it searches is taken from the turn's time.
func TestOpeningTakesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{config: think.Config{Search: mcts.MatchConfig(), Threads: 2, Memory: 1 << 18, Backend: eval.Func(func(int) (func(*eval.Batch) error, error) {
			time.Sleep(time.Second) // of the bubble's clock
			return nil, nil
		})}}
		task := aei.Task{Game: game.New(), Clock: clock.New(clock.Control{Move: 10 * time.Second})}
		if l, _, err := e.prepare(task); l.Time != 8*time.Second {
			t.Errorf("the turn has %v, %v", l.Time, err)
		}
	})
}

// TestWinIsPlayed asks an engine that knows nothing and hardly searches for a turn
// in which a step wins.
func TestWinIsPlayed(t *testing.T) {
	f := defaults(checkpoint(t))
	f.Visits = 1
	e, id, err := f.engine()
	if err != nil {
		t.Fatal(err)
	}
	c := newController(t, e, id)
	board, err := game.ParseBoard("rrr....r" + "...R...." + strings.Repeat(".", 39) + "RRRRRRRE.")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []struct {
		board game.Board
		side  game.Color
	}{{board, game.Gold}, {board.Flip(), game.Silver}} {
		c.send("aei", "setposition "+game.FormatPosition(&b.board, b.side), "go")
		g := game.FromBoard(b.board, b.side)
		turn, err := game.ParseTurn(g, c.until("bestmove "))
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range turn {
			g.Play(a)
		}
		if want := (game.Result{Winner: b.side, Reason: game.Goal}); g.Result() != want {
			t.Errorf("it played %v: %+v", turn, g.Result())
		}
	}
	c.send("quit")
}

func TestOptions(t *testing.T) {
	f := defaults(checkpoint(t))
	e, _, err := f.engine()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []aei.Option{{Name: "hash", Value: "20"}, {Name: "threads", Value: "3"}, {Name: "visits", Value: "7"}, {Name: "depth", Value: "-2"}} {
		if err := e.SetOption(o.Name, o.Value); err != nil {
			t.Errorf("%v: %v", o, err)
		}
	}
	if e.config.Memory != 20<<20 || e.config.Threads != 3 || e.visits != 7 || e.depth != 0 {
		t.Errorf("%+v", e)
	}
	for _, o := range []aei.Option{{Name: "hash", Value: "0"}, {Name: "hash", Value: "10625"}, {Name: "hash", Value: "x"}, {Name: "hash", Value: ""},
		{Name: "threads", Value: "0"}, {Name: "visits", Value: "-1"}, {Name: "depth", Value: "4.5"}, {Name: "goal_depth", Value: "1"}} {
		if err := e.SetOption(o.Name, o.Value); err == nil {
			t.Errorf("%v was taken", o)
		}
	}
	if e.config.Memory != 20<<20 || e.config.Threads != 3 {
		t.Errorf("%+v after refused values", e)
	}
}

// FuzzSetOption sets an option, which is refused or within its range.
func FuzzSetOption(f *testing.F) {
	for name, bounds := range options {
		f.Add(name, strconv.Itoa(bounds[0]))
		f.Add(name, strconv.Itoa(bounds[1]+1))
	}
	f.Add("hash", "1e3")
	f.Add("nonsense", "\xff")
	f.Fuzz(func(t *testing.T, name, value string) {
		e := &engine{}
		err := e.SetOption(name, value)
		if _, known := options[name]; known == errors.Is(err, aei.ErrUnknownOption) {
			t.Errorf("%q: %v", name, err)
		}
		if err != nil && (e.changed || e.visits != 0 || e.depth != 0) {
			t.Errorf("%q=%q was refused and set", name, value)
		}
		if e.config.Memory < 0 || e.config.Memory > mcts.MostBytes || e.config.Threads < 0 || e.config.Threads > 1024 || e.visits < 0 || e.visits > 1<<30 || e.depth < 0 || e.depth > 1<<30 {
			t.Errorf("%q=%q: %+v", name, value, e)
		}
	})
}
