package aei

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warren/game"
	"warren/game/clock"
)

// prompt is an engine that answers at once, and keeps what it was asked.
type prompt struct {
	t     *testing.T
	asked uint64 // hash of the game of the last task
}

func (e *prompt) SetOption(name, value string) error {
	if name != "hash" {
		return ErrUnknownOption
	}
	return nil
}

func (e *prompt) Think(ctx context.Context, task Task, report func(Info)) (turn []game.Action, err error) {
	e.asked = task.Game.Hash()
	if task.Ponder {
		<-ctx.Done()
	}
	if task.Game.Result().Over() {
		e.t.Fatal("asked in a game that is over")
	}
	for side := task.Game.Side(); task.Game.Side() == side && !task.Game.Result().Over(); { // the game is the engine's own
		a := task.Game.Legal(nil)[0]
		turn = append(turn, a)
		task.Game.Play(a)
	}
	report(Info{PV: turn})
	return turn, nil
}

// replies holds the types of an engine's messages.
var replies = []string{"protocol-version", "id", "aeiok", "readyok", "bestmove", "info", "log"}

// wellFormed checks that an engine's output is lines of known types.
func wellFormed(t *testing.T, output string) {
	t.Helper()
	if output != "" && !strings.HasSuffix(output, "\n") {
		t.Errorf("the last line is not whole: %q", output)
	}
	for line := range strings.Lines(output) {
		if kind, _ := message(strings.TrimSpace(line)); !slices.Contains(replies, kind) || strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return r < ' ' }) {
			t.Errorf("it wrote the line %q", line)
		}
	}
}

// FuzzServe sends lines to an engine, each after the answer to the last one, and then all of
// them at once.
func FuzzServe(f *testing.F) {
	f.Add("isready\nnewgame\nmakemove " + goldSetup + "\ngo\nmakemove " + silverSetup + "\ngo ponder\nstop\ngo\nmakemove Ca2n Ra1n Cb2n Rb1n\ngo\nquit")
	f.Add(position + "\nmakemove Ee7n\ngo\nmakemove Ee2n\n" + position + "\nmakemove Ee2n\ngo ponder\nnewgame\nsetoption name tcmove value 3\ngo")
	f.Add("newgame\nmakemove " + strings.TrimSuffix(goldSetup, " Mg2 Eh2") + "\nmakemove " + silverSetup + "\ngo\nxboard")
	f.Add("go ponder\nmakemove Ra1\nsetposition x\nmakemove " + goldSetup + "\ngo")
	f.Add("setoption name greserve value 1e9\nsetoption name moveused\nsetposition s [R                                                              r]\ngo\ngo infinite\n\x00\xff")
	f.Fuzz(func(t *testing.T, text string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		e := &prompt{t: t}
		var out bytes.Buffer
		s := &server{engine: e, out: bufio.NewWriter(&out), game: game.New(), clock: clock.New(clock.Unlimited())}
		defer s.discard()
		for line := range strings.Lines("aei\n" + text) {
			out.Reset()
			kind, _ := message(strings.TrimSpace(line))
			err := s.receive(ctx, input{text: strings.TrimSpace(line)})
			if err == nil && s.search != nil && !s.search.ponder {
				err = s.finish(<-s.search.answer)
			}
			answer := out.String()
			wellFormed(t, answer)
			if refused := strings.Contains(answer, "log Error"); refused && messages[kind].places && s.refused == "" {
				t.Errorf("%q was refused, and the position counts as known", line)
			}
			if s.refused != "" && (s.search != nil || strings.Contains(answer, "bestmove")) {
				t.Errorf("%q had a search of a position that is not known: %q", line, answer)
			}
			if strings.Contains(answer, "bestmove ") && e.asked != s.game.Hash() {
				t.Errorf("%q had a search of another game, or changed its own", line)
			}
			for _, d := range append(append(s.clock.Reserves[:], s.clock.Used[:]...), s.clock.MoveUsed, s.clock.LastMoveUsed) {
				if d < 0 {
					t.Errorf("after %q the clock is %+v", line, s.clock)
				}
			}
			if err != nil {
				break
			}
		}
		out.Reset()
		err := Serve(ctx, strings.NewReader(text), &out, ID{}, &prompt{t: t})
		wellFormed(t, out.String())
		if unknown := strings.Contains(out.String(), "log Error: unknown message"); unknown != (err != nil) {
			t.Errorf("the session ended with %v after\n%s", err, &out)
		}
	})
}

// FuzzClient hears an engine, whose output comes in pieces and then ends.
func FuzzClient(f *testing.F) {
	good := "protocol-version 1\nid name Fake\nid author Nobody\naeiok\nreadyok\n"
	f.Add(good+"log Warning: slow\ninfo depth 4\nreadyok\nbestmove "+goldSetup+"\n", 7)
	f.Add(good+"bestmove early\nreadyok\nbestmove resign\n", 1)
	f.Add("protocol-version 2\naeiok\nreadyok\nreadyok\nbestmove", 3)
	f.Add("aeiok\nlog Error: \x1b[2J\xff\nid name\n", 100)
	f.Add(strings.Repeat("readyok\n", waiting+1), 64)
	f.Fuzz(func(t *testing.T, output string, piece int) {
		c := &Client{
			limits: Limits{Output: 1 << 16}.orDefault(), end: func() {},
			write: make(chan string, waiting), heard: make(chan heard, waiting),
		}
		c.budget = c.limits.Output
		for m := (&meter{c, &lineWriter{take: c.hear}}); output != ""; {
			n := len(output)
			if piece > 0 {
				n = min(n, piece)
			}
			if _, err := m.Write([]byte(output[:n])); err != nil {
				break
			}
			output = output[n:]
		}
		c.fail("the engine ended (exit status 0)")
		broken := c.broken
		c.broken = "" // as long as its answers are read
		close(c.heard)
		err := c.open(t.Context())
		var move string
		if err == nil {
			move, _, err = c.Go(t.Context(), time.Hour)
		}
		c.broken = broken
		if said := c.Logged(); len(said) > 220 || !utf8.ValidString(said) {
			t.Errorf("it logged %q", said)
		}
		if err != nil {
			if failure := (*Failure)(nil); !errors.As(err, &failure) || strings.ContainsFunc(failure.Cause, func(r rune) bool { return r < ' ' }) {
				t.Errorf("the session ends with %q", err)
			}
			return
		}
		g := game.New()
		if turn, err := ParseMove(g, move); err == nil {
			for _, a := range turn {
				if !slices.Contains(g.Legal(nil), a) {
					t.Fatalf("%q is read as %v", move, turn)
				}
				g.Play(a)
			}
		}
	})
}

// FuzzSetClock sets two options of the clock, and lets a turn pass.
func FuzzSetClock(f *testing.F) {
	now := clock.New(clock.Control{Move: time.Second, Reserve: time.Minute, Percent: 100, Turns: 3})
	options := append(ControlOptions(&now.Control), ClockOptions(&now)...)
	for i, o := range options {
		f.Add(o.Name, o.Value, options[(i+1)%len(options)].Name, "1e9")
		f.Add(o.Name, "-0", options[(i+2)%len(options)].Name, "0x1p-1074")
	}
	f.Fuzz(func(t *testing.T, name1, value1, name2, value2 string) {
		c := clock.New(clock.Unlimited())
		for _, o := range []Option{{name1, value1}, {name2, value2}} {
			before := c
			known, err := SetClock(&c, o.Name, o.Value)
			if (!known || err != nil) && c != before {
				t.Errorf("%v was refused and set: %+v", o, c)
			}
			if err != nil && !utf8.ValidString(err.Error()) {
				t.Errorf("%v is refused with %q", o, err)
			}
		}
		sound := func() {
			t.Helper()
			for _, d := range []time.Duration{c.Move, c.Reserve, c.Max, c.Total, c.TurnTime, c.Reserves[0], c.Reserves[1], c.Used[0], c.Used[1], c.LastMoveUsed, c.MoveUsed} {
				if d < 0 || d > maxSeconds*time.Second {
					t.Fatalf("%q=%q, %q=%q: the clock is %+v", name1, value1, name2, value2, c)
				}
			}
			if !(c.Percent >= 0 && c.Percent <= 1000) || math.Signbit(c.Percent) || c.Turns < 0 || c.Turns > 1e6 {
				t.Fatalf("%q=%q, %q=%q: the clock is %+v", name1, value1, name2, value2, c)
			}
			for _, setup := range []bool{false, true} {
				if limit, ok := c.Limit(game.Gold, setup); limit < 0 || !ok && limit != 0 {
					t.Fatalf("%+v: the limit is %v, %t", c, limit, ok)
				}
			}
		}
		sound()
		// What is sent is what is set, to the millisecond.
		again := clock.New(clock.Unlimited())
		for _, o := range append(ControlOptions(&c.Control), ClockOptions(&c)...) {
			if known, err := SetClock(&again, o.Name, o.Value); !known || err != nil {
				t.Fatalf("%v: %t, %v", o, known, err)
			}
		}
		if d := again.Move - c.Move; d > 0 || d < -time.Millisecond || again.Turns != c.Turns || again.Percent != c.Percent {
			t.Errorf("%+v is read back as %+v", c, again)
		}
		for _, used := range []time.Duration{0, c.MoveUsed, time.Hour} {
			c.Spend(game.Gold, false, used)
			sound()
			c.Spend(game.Gold, true, used)
			sound()
		}
	})
}
