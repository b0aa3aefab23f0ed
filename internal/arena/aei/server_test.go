package aei

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warren/game"
	"warren/game/clock"
)

// scripted is an engine that plays the first legal actions after a second. It has
// the option hash, and keeps what it was asked and which options were set.
type scripted struct {
	mu      sync.Mutex
	tasks   []Task
	options []string
	err     error         // of Think
	slow    time.Duration // to end after pondering
}

func (e *scripted) SetOption(name, value string) error {
	switch {
	case name != "hash" && name != "depth":
		return fmt.Errorf("%w", ErrUnknownOption)
	case value == "":
		return errors.New("it needs a value")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.options = append(e.options, name+"="+value)
	return nil
}

func (e *scripted) Think(ctx context.Context, t Task, report func(Info)) (turn []game.Action, err error) {
	e.mu.Lock()
	e.tasks = append(e.tasks, t)
	e.mu.Unlock()
	if e.err != nil {
		return nil, e.err
	}
	for play := t.Game.Clone(); play.Side() == t.Game.Side() && !play.Result().Over(); {
		a := play.Legal(nil)[0]
		turn = append(turn, a)
		play.Play(a)
	}
	report(Info{Score: -12, Nodes: 345, Time: 1900 * time.Millisecond, PV: turn})
	if t.Ponder {
		<-ctx.Done()
		time.Sleep(e.slow) // of the bubble's clock
	}
	select {
	case <-ctx.Done():
		if !errors.Is(context.Cause(ctx), ErrStop) {
			return nil, context.Cause(ctx)
		}
	case <-time.After(time.Second):
	}
	return turn, nil
}

// conversation is a session over pipes in a synctest bubble: say sends one line
// and returns every byte that the engine answers before it waits again.
type conversation struct {
	in  *io.PipeWriter
	out syncBuffer
	end chan error
}

type syncBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *syncBuffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.buffer.Reset()
	return b.buffer.String()
}

func converse(t *testing.T, e Engine) *conversation {
	in, w := io.Pipe()
	c := &conversation{in: w, end: make(chan error, 1)}
	go func() { c.end <- Serve(t.Context(), in, &c.out, ID{"Fake", "Nobody", "7"}, e); in.Close() }()
	return c
}

func (c *conversation) say(line string) string {
	io.WriteString(c.in, line+"\n") // it may be over
	synctest.Wait()
	return c.out.take()
}

const hello = "protocol-version 1\nid name Fake\nid author Nobody\nid version 7\naeiok\n"

// The setups and first turn that the scripted engine plays.
const (
	goldSetup   = "Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Ca2 Cb2 Dc2 Dd2 He2 Hf2 Mg2 Eh2"
	silverSetup = "ra8 rb8 rc8 rd8 re8 rf8 rg8 rh8 ca7 cb7 dc7 dd7 he7 hf7 mg7 eh7"
	noPosition  = "log Error: setposition: a position is the side to move and 64 squares in brackets, as in g [rrrr...]: no brackets found"
	setupInfo   = "info depth 16\ninfo time 1\ninfo nodes 345\ninfo score -12\n"
	lost        = "; the position is unknown until newgame or setposition\n"
	position    = "setposition g [rrrrrrrrhdcemcdh                                HDCMECDHRRRRRRRR]"
)

// TestTranscripts compares the engine's side byte by byte: each line from the
// controller is followed by all that the engine answers. A time instead of a
// line lets that time pass.
func TestTranscripts(t *testing.T) {
	long := "setoption name " + strings.Repeat("x", maxLine)
	type exchange struct{ say, answer string }
	for name, exchanges := range map[string][]exchange{
		"opening": {{"aei", hello}, {"isready", "readyok\n"}},
		"line endings and spaces": {{"aei\r", hello}, {"  isready \t\r", "readyok\n"},
			{"isready\nisready", "readyok\nreadyok\n"}},
		"a game": {
			{"aei", hello}, {"newgame", ""},
			{"go", setupInfo + "info pv " + goldSetup + "\n"}, {"1s", "bestmove " + goldSetup + "\n"},
			{"makemove " + goldSetup, ""},
			{"go", setupInfo + "info pv " + silverSetup + "\n"}, {"isready", "readyok\n"}, {"1s", "bestmove " + silverSetup + "\n"},
			{"makemove " + silverSetup, ""},
			{"go", "info depth 4\ninfo time 1\ninfo nodes 345\ninfo score -12\ninfo pv Ca2n Ra1n Cb2n Rb1n\n"},
			{"1s", "bestmove Ca2n Ra1n Cb2n Rb1n\n"},
			{"quit", ""},
		},
		"stop": {{"aei", hello},
			{"stop", "log Warning: stop: no search is running\n"},
			{"go", setupInfo + "info pv " + goldSetup + "\n"}, {"stop", "bestmove " + goldSetup + "\n"},
			{"stop", "log Warning: stop: no search is running\n"}, {"1s", ""}},
		"ponder": {{"aei", hello},
			{"go ponder", setupInfo + "info pv " + goldSetup + "\n"}, {"1h", ""}, {"isready", "readyok\n"},
			{"stop", "bestmove " + goldSetup + "\n"},
			{"go ponder", setupInfo + "info pv " + goldSetup + "\n"}, {"makemove " + goldSetup, ""}, {"1h", ""},
			{"go ponder", setupInfo + "info pv " + silverSetup + "\n"},
			{"go", setupInfo + "info pv " + silverSetup + "\n"}, {"1s", "bestmove " + silverSetup + "\n"}},
		"a search ends without an answer": {{"aei", hello},
			{"go", setupInfo + "info pv " + goldSetup + "\n"}, {"newgame", ""}, {"1h", ""},
			{"go", setupInfo + "info pv " + goldSetup + "\n"}, {position, ""}, {"1h", ""},
			{"go", "info depth 4\ninfo time 1\ninfo nodes 345\ninfo score -12\ninfo pv Ha2n Ra1n Db2n Rb1n\n"},
			{"makemove Ee2n", ""}, {"1h", ""},
			{"go ponder", "info depth 4\ninfo time 1\ninfo nodes 345\ninfo score -12\ninfo pv ha7s ha6n ha7s ha6e\n"}, {"quit", ""}},
		"a second go": {{"aei", hello},
			{"go", setupInfo + "info pv " + goldSetup + "\n"},
			{"go", "log Error: go: a search is running already; it continues\n"}, {"1s", "bestmove " + goldSetup + "\n"}},
		"malformed": {{"aei", hello},
			{"", "log Error: an empty line; it is ignored\n"},
			{"aei", "log Error: aei: the session has already begun\n"},
			{"go infinite", "log Error: go: \"infinite\" is not known: write go, or go ponder\n"},
			{"isready now", "log Error: isready takes no argument, not \"now\"; it is ignored\n"},
			{"newgame 960", "log Error: newgame takes no argument, not \"960\"; it is ignored" + lost},
			{"stop it", "log Error: stop takes no argument, not \"it\"; it is ignored\n"},
			{"setposition", "log Error: setposition: a position is the side to move and 64 squares in brackets, as in g [rrrr...]: no brackets found" + lost},
			{"setposition g [rrr]", "log Error: setposition: a board is 64 characters, a8 to h8 first and a1 to h1 last, but there are 3" + lost},
			{"setoption", "log Error: setoption: \"\" is not of the form: name NAME value VALUE\n"},
			{"setoption hash 5", "log Error: setoption: \"hash 5\" is not of the form: name NAME value VALUE\n"},
			{"setoption name", "log Error: setoption: \"name\" is not of the form: name NAME value VALUE\n"},
			{"setoption name value 4", "log Warning: unknown option \"value 4\"; it is ignored\n"},
			{"newgame", ""}, {"makemove", "log Error: makemove: the turn is empty: a turn has one to four steps" + lost},
			{"newgame", ""}, {"makemove Ee2n", "log Error: makemove: \"Ee2n\": the setup is not over; write placements, such as Ra1" + lost},
			{"newgame", ""}, {"makemove \x00\x1b[2J\xff", "log Error: makemove: \"\\x00\\x1b[2J\\xff\": the first letter is not a piece (RCDHME, rcdhme); write a step as Ed2n, a capture as rc3x, a placement as Ra1" + lost},
			{long, "log Error: a line of more than 65536 bytes; it is ignored" + lost},
			{"isready", "readyok\n"}},
		"before aei": {
			{"isready", "log Error: isready before aei; it is ignored\n"}, {"go", "log Error: go before aei; it is ignored\n"},
			{"", "log Error: an empty line; it is ignored\n"}, {"aei", hello}, {"isready", "readyok\n"}},
		"a refused move": {{"aei", hello}, {position, ""},
			{"makemove Ee7n", "log Error: makemove: \"Ee7n\": the piece on e7 is silver's camel" + lost},
			{"go", "log Error: go: it follows a refused makemove" + lost}, {"1h", ""},
			{"go ponder", "log Error: go: it follows a refused makemove" + lost}, {"1h", ""},
			{"makemove Ee2n", "log Error: makemove: it follows a refused makemove" + lost},
			{"stop", "log Warning: stop: no search is running\n"}, {"isready", "readyok\n"},
			{position, ""}, {"makemove Ee2n", ""},
			{"go", "info depth 4\ninfo time 1\ninfo nodes 345\ninfo score -12\ninfo pv ha7s ha6n ha7s ha6e\n"}, {"1s", "bestmove ha7s ha6n ha7s ha6e\n"}},
		"refused while the engine thinks": {{"aei", hello},
			{"go", setupInfo + "info pv " + goldSetup + "\n"}, {"makemove Ra1", "log Error: makemove: the setup places 1 of 16 pieces: there is no piece on b1" + lost}, {"1h", ""},
			{"newgame", ""}, {"go ponder", setupInfo + "info pv " + goldSetup + "\n"}, {"setposition x", noPosition + lost}, {"1h", ""}, {"stop", "log Warning: stop: no search is running\n"},
			{"newgame", ""}, {"go", setupInfo + "info pv " + goldSetup + "\n"}, {"newgame now", "log Error: newgame takes no argument, not \"now\"; it is ignored" + lost}, {"1h", ""},
			{"newgame", ""}, {"go", setupInfo + "info pv " + goldSetup + "\n"}, {long, "log Error: a line of more than 65536 bytes; it is ignored" + lost}, {"1h", ""},
			{"go", "log Error: go: it follows a refused line" + lost}},
		"a move before aei": {{"makemove " + goldSetup, "log Error: makemove before aei; it is ignored" + lost}, {"aei", hello},
			{"go", "log Error: go: it follows a refused makemove" + lost}, {"newgame", ""}, {"go", setupInfo + "info pv " + goldSetup + "\n"}},
		"unknown message":            {{"aei", hello}, {"xboard 2", "log Error: unknown message \"xboard\"; the session ends\n"}, {"isready", ""}},
		"unknown message before aei": {{"uci", "log Error: unknown message \"uci\"; the session ends\n"}, {"aei", ""}},
		"quit":                       {{"aei", hello}, {"quit", ""}, {"isready", ""}},
		"the game is over": {{"aei", hello},
			{"setposition s [R                                                              r]", ""},
			{"go", "bestmove\nlog Error: go: the game is over: gold has won by goal\n"},
			{"go ponder", "log Error: go: the game is over: gold has won by goal\n"},
			{"makemove ra1n", "log Error: makemove: the game is over: gold has won by goal" + lost}, {"isready", "readyok\n"}},
		"options": {{"aei", hello},
			{"setoption name hash value 200", ""}, {"setoption name depth value 8", ""},
			{"setoption name hash", "log Error: setoption: option hash: it needs a value\n"},
			{"setoption name nonsense value 3", "log Warning: unknown option \"nonsense\"; it is ignored\n"},
			{"setoption name nonsense", "log Warning: unknown option \"nonsense\"; it is ignored\n"},
			{"setoption name opponent value Bot Bomb 2005", ""}, {"setoption name opponent_rating value 2000", ""},
			{"setoption name rating value 1800", ""}, {"setoption name rated value 0", ""}, {"setoption name event value World Championship", ""},
			{"setoption name tcmove value soon", "log Error: setoption: option tcmove: \"soon\" is not a number from 0 to 1e+09 seconds\n"},
			{"setoption name tcmove value -1", "log Error: setoption: option tcmove: \"-1\" is not a number from 0 to 1e+09 seconds\n"},
			{"setoption name tcturns value NaN", "log Error: setoption: option tcturns: \"NaN\" is not a number from 0 to 1e+06\n"},
			{"setoption name moveused", "log Error: setoption: option moveused: \"\" is not a number from 0 to 1e+09 seconds\n"},
			{"isready", "readyok\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := converse(t, &scripted{})
				for i, x := range exchanges {
					var got string
					if d, err := time.ParseDuration(x.say); err == nil {
						time.Sleep(d) // of the bubble's clock: it takes no time
						synctest.Wait()
						got = c.out.take()
					} else {
						got = c.say(x.say)
					}
					if got != x.answer {
						t.Errorf("exchange %d: to %.80q it answered\n%s, want\n%s", i, x.say, got, x.answer)
					}
				}
				c.in.Close()
				err := <-c.end
				if wrong := strings.Contains(name, "unknown message"); (err != nil) != wrong {
					t.Errorf("the session ended with %v", err)
				}
			})
		})
	}
}

// TestClockOptions sends every option of the clock, and checks the clock that
// comes with the task.
func TestClockOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &scripted{}
		c := converse(t, e)
		c.say("aei")
		for _, o := range []string{"tcmove 15", "tcreserve 90", "tcpercent 75", "tcmax 120", "tctotal 7200", "tcturns 100", "tcturntime 60.5"} {
			c.say("setoption name " + strings.Replace(o, " ", " value ", 1))
		}
		c.say("newgame")
		time.Sleep(3 * time.Second)
		for _, o := range []string{"greserve 80", "sreserve 70", "gused 4", "sused 5", "lastmoveused 6", "moveused 2"} {
			c.say("setoption name " + strings.Replace(o, " ", " value ", 1))
		}
		c.say("go")
		time.Sleep(time.Second)
		const s = time.Second
		want := clock.Clock{
			Control:  clock.Control{Move: 15 * s, Reserve: 90 * s, Percent: 75, Max: 120 * s, Total: 7200 * s, Turns: 100, TurnTime: 60500 * time.Millisecond},
			Reserves: [2]time.Duration{80 * s, 70 * s}, Used: [2]time.Duration{4 * s, 5 * s}, LastMoveUsed: 6 * s, MoveUsed: 2 * s, Elapsed: 3 * s,
		}
		if len(e.tasks) != 1 || e.tasks[0].Clock != want {
			t.Errorf("asked with %+v, want %+v", e.tasks, want)
		}
		// A new game keeps the time control and fills the reserves.
		c.say("newgame")
		c.say("go ponder")
		want.Reserves, want.Used, want.LastMoveUsed, want.MoveUsed, want.Elapsed = [2]time.Duration{90 * s, 90 * s}, [2]time.Duration{}, 0, 0, 0
		if len(e.tasks) != 2 || e.tasks[1].Clock != want || !e.tasks[1].Ponder {
			t.Errorf("asked with %+v, want %+v", e.tasks[1:], want)
		}
		c.say("quit")
		<-c.end
	})
}

// TestClockOverTwoMoves plays two turns of Gold with a controller that sends no clock: the
// engine's estimate takes the place of it.
func TestClockOverTwoMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &scripted{}
		c := converse(t, e)
		c.say("aei")
		c.say("newgame")
		// Without newgame, a new reserve is what both sides have.
		for _, o := range []string{"tcmove 3", "tcreserve 30", "tcpercent 100"} {
			c.say("setoption name " + strings.Replace(o, " ", " value ", 1))
		}
		think := func() {
			c.say("go")
			time.Sleep(time.Second) // of the bubble's clock
			synctest.Wait()
		}
		c.say("setoption name moveused value 59.5")
		think() // for a second: half a second more than a setup has
		c.say("makemove " + goldSetup)
		think()
		c.say("makemove " + silverSetup)
		think()
		c.say("makemove Ca2n Ra1n Cb2n Rb1n")
		c.say("setoption name moveused value 7")
		c.say("makemove ca7s ra8s cb7s rb8s") // of which nothing is used by the next turn
		think()
		const s = time.Second
		want := []struct {
			reserves [2]time.Duration
			used     [2]time.Duration
			last     time.Duration
			moveUsed time.Duration
		}{
			{[2]time.Duration{30 * s, 30 * s}, [2]time.Duration{}, 0, 59500 * time.Millisecond},
			{[2]time.Duration{29500 * time.Millisecond, 30 * s}, [2]time.Duration{60500 * time.Millisecond, 0}, 60500 * time.Millisecond, 0},
			{[2]time.Duration{29500 * time.Millisecond, 30 * s}, [2]time.Duration{60500 * time.Millisecond, s}, s, 0},
			{[2]time.Duration{31500 * time.Millisecond, 30 * s}, [2]time.Duration{s, s}, s, 0},
		}
		for i, task := range e.tasks {
			k := task.Clock
			if w := want[i]; k.Reserves != w.reserves || k.Used != w.used || k.LastMoveUsed != w.last || k.MoveUsed != w.moveUsed {
				t.Errorf("task %d: the clock is %+v, want %+v", i, k, w)
			}
		}
		if len(e.tasks) != len(want) {
			t.Errorf("%d tasks", len(e.tasks))
		}
		c.say("quit")
		<-c.end
	})
}

// TestWaitForPondering: the time in which pondering ends is time used for the next turn, and for no other.
func TestWaitForPondering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &scripted{slow: 400 * time.Millisecond}
		c := converse(t, e)
		for _, line := range []string{"aei", "newgame", "makemove " + goldSetup, "makemove " + silverSetup, "setoption name tcmove value 9"} {
			c.say(line)
		}
		pause := func() { time.Sleep(2 * time.Second); synctest.Wait() } // of the bubble's clock
		for _, line := range []string{"go ponder", "makemove Ca2n Ra1n Cb2n Rb1n", "setoption name moveused value 1", "go", "makemove ca7s ra8s cb7s rb8s", "go", "go ponder", "newgame", "go"} {
			c.say(line)
			pause()
		}
		var used []time.Duration
		for _, task := range e.tasks {
			if !task.Ponder {
				used = append(used, task.Clock.MoveUsed)
			}
		}
		if want := []time.Duration{1400 * time.Millisecond, 0, 0}; !slices.Equal(used, want) {
			t.Errorf("the turns begin with %v used, want %v", used, want)
		}
		if last := e.tasks[2].Clock.LastMoveUsed; last != 2400*time.Millisecond {
			t.Errorf("the first took %v, want 2.4s", last)
		}
		c.say("quit")
		<-c.end
	})
}

// TestHandicap: setups may leave pieces out, and the engine searches the game without them.
func TestHandicap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &scripted{}
		c := converse(t, e)
		c.say("aei")
		noElephant := strings.Replace(goldSetup, " Eh2", "", 1)
		noRabbits := strings.Replace(silverSetup, "ra8 rb8 ", "", 1)
		for _, line := range []string{"newgame", "makemove " + noElephant, "makemove " + noRabbits} {
			if got := c.say(line); got != "" {
				t.Errorf("%q was answered by %q", line, got)
			}
		}
		c.say("go")
		time.Sleep(time.Second)
		synctest.Wait()
		if got := c.out.take(); !strings.Contains(got, "bestmove Rh1n") {
			t.Errorf("the answer is %q", got)
		}
		list, err := game.ParseHandicapList("1g " + noElephant + "\n1s " + noRabbits)
		if err != nil {
			t.Fatal(err)
		}
		if len(e.tasks) != 1 || e.tasks[0].Game.Hash() != list.Game.Hash() {
			t.Fatalf("it thinks about\n%v", e.tasks[0].Game.Board())
		}
		// A new game has all of its pieces.
		for _, line := range []string{"newgame", "makemove " + goldSetup, "makemove " + silverSetup, "go"} {
			c.say(line)
		}
		if n := bits.OnesCount64(e.tasks[1].Game.Board().Occupied()); n != 32 {
			t.Errorf("the next game has %d pieces", n)
		}
		if got := c.say("newgame\nmakemove " + strings.Join(strings.Fields(goldSetup)[:7], " ")); !strings.Contains(got, "places 7 of 16 pieces") {
			t.Errorf("a setup of seven pieces was answered by %q", got)
		}
		c.say("quit")
		<-c.end
	})
}

// TestGameOfATask: the engine is asked about the game to which the turns have led, written with or without captures.
func TestGameOfATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &scripted{}
		c := converse(t, e)
		c.say("aei")
		g, position := game.New(), capture(t)
		for _, line := range []string{"makemove " + goldSetup, "makemove " + silverSetup, "setoption name hash value 5",
			"setposition " + game.FormatPosition(position.Board(), position.Side()), "makemove rc5s cc6x Eb5e Ra1n"} {
			kind, text := message(line)
			if kind == "setposition" {
				g = position
			}
			if kind == "makemove" {
				turn, err := game.ParseTurn(g, text)
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range turn {
					g.Play(a)
				}
				line = strings.Replace(line, " cc6x", "", 1)
			}
			for _, sent := range []string{line, "go ponder"} {
				if got := c.say(sent); strings.Contains(got, "log ") {
					t.Errorf("%q was answered by %q", sent, got)
				}
			}
			if asked := e.tasks[len(e.tasks)-1].Game; asked.Hash() != g.Hash() {
				t.Errorf("after %q it thinks about\n%v", line, asked.Board())
			}
		}
		if want := []string{"hash=5"}; !slices.Equal(e.options, want) {
			t.Errorf("the options %q are set, want %q", e.options, want)
		}
		c.say("quit")
		<-c.end
	})
}

func TestEngineThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := converse(t, &scripted{err: errors.New("the network's\nanswer is not a number")})
		c.say("aei")
		if got, want := c.say("go"), "log Error: the network's answer is not a number\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if err := <-c.end; err == nil || !strings.Contains(err.Error(), "thinking") {
			t.Errorf("the session ended with %v", err)
		}
		c.in.Close()
	})
}

// TestFuzzedLines sends thousands of wrong lines, none of which ends the session,
// and checks that the engine still answers.
func TestFuzzedLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		c := converse(t, &scripted{})
		c.say("aei")
		words := []string{"name", "value", "hash", "tcmove", "greserve", "-1", "1e400", "NaN", "g", "s", "[", "]", "[" + strings.Repeat("r", 64) + "]",
			"[" + strings.Repeat(" ", 64) + "]", "ponder", "Ra1", "Ee2n", "rc3x", "ee7s", goldSetup, silverSetup, "Rh6nnnn", "\xff\xfe", "\x00", "🐇", "\t", "%s%n", strings.Repeat("A", 5000)}
		kinds := []string{"", "isready", "newgame", "setposition", "setoption", "setoption name", "makemove", "go", "stop", "aei"}
		complaints := 0
		for range 3000 {
			line := kinds[rng.IntN(len(kinds))]
			for range rng.IntN(6) {
				line += " " + words[rng.IntN(len(words))]
			}
			switch rng.IntN(8) {
			case 0:
				line = line[:rng.IntN(len(line)+1)]
			case 1:
				if len(line) > 0 {
					b := []byte(line)
					b[rng.IntN(len(b))] = byte(rng.UintN(256))
					line = string(b)
				}
			}
			line = strings.ReplaceAll(line, "\n", " ")
			kind, _ := message(strings.TrimSpace(line))
			if _, known := messages[kind]; kind != "" && !known {
				line = "makemove " + line // else it ends the session, as it should
			}
			got := c.say(line)
			if strings.HasPrefix(got, "log Error") {
				complaints++
			}
			if got != "" && !strings.HasSuffix(got, "\n") {
				t.Fatalf("%q was answered by half a line, %q", line, got)
			}
		}
		c.say("stop")
		if got := c.say("isready"); got != "readyok\n" {
			t.Errorf("isready was answered by %q", got)
		}
		if complaints < 1000 {
			t.Errorf("only %d of 3000 lines were complained about", complaints)
		}
		c.say("quit")
		if err := <-c.end; err != nil {
			t.Error(err)
		}
	})
}
