package aei

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"testing"
	"time"

	"warren/game"
	"warren/game/clock"
	"warren/internal/fakeengine"
)

func TestMain(m *testing.M) {
	fakeengine.Main()
	os.Exit(m.Run())
}

func launch(t *testing.T, mode string, l Limits) (*Client, error) {
	t.Helper()
	l.Quit = max(l.Quit, 10*time.Millisecond)
	c, err := Start(t.Context(), fakeengine.Command(mode), l)
	if err == nil {
		t.Cleanup(func() {
			c.Close()
			if c.process.ProcessState == nil {
				t.Error("the process was not waited for")
			}
		})
	}
	return c, err
}

func TestClient(t *testing.T) {
	for _, mode := range []string{"good", "loud"} {
		c, err := launch(t, mode, Limits{Quit: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		control := clock.Control{Move: 1500 * time.Millisecond, Percent: 100}
		now := clock.New(control)
		for _, o := range append(ControlOptions(&control), append(ClockOptions(&now), Option{"hash", "10"})...) {
			if err := c.SetOption(o); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.NewGame(); err != nil {
			t.Fatal(err)
		}
		g := game.New()
		for range 3 {
			want := game.FormatTurn(g, fakeengine.Turn(g))
			move, used, err := c.Go(t.Context(), time.Minute)
			if err != nil || move != want || used < 0 || used > time.Minute {
				t.Fatalf("%s: it answered %q after %v, %v; want %q", mode, move, used, err, want)
			}
			if err := c.MakeMove(move); err != nil {
				t.Fatal(err)
			}
			for _, a := range fakeengine.Turn(g) {
				g.Play(a)
			}
			if err := c.say("go ponder"); err != nil {
				t.Fatal(err)
			}
		}
		if last := c.Logged(); last != "" {
			t.Errorf("%s: it logged %q", mode, last)
		}
		if err := c.SetPosition(game.New().Board(), game.Silver); err != nil {
			t.Fatal(err)
		}
		c.MakeMove("Ee2n")
		if err := c.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		if last := c.Logged(); !strings.HasPrefix(last, "Error: makemove") {
			t.Errorf("%s: it logged %q", mode, last)
		}
		c.Close()
		if err := c.NewGame(); err == nil {
			t.Errorf("%s: a closed client can be spoken to", mode)
		}
		if s := c.process.ProcessState; s == nil || !s.Success() {
			t.Errorf("%s: the process ended as %v", mode, s)
		}
	}
}

func TestClientOfABadEngine(t *testing.T) {
	// Nothing is too short for an engine that never answers.
	short := Limits{Start: time.Minute, Ready: time.Nanosecond}
	for mode, want := range map[string]string{
		"gone":    `the engine ended (exit status 3); its last words: "no such network"`,
		"mute":    "no aeiok within 1ns",
		"old":     "no protocol-version before aeiok",
		"new":     `version "2" of the protocol`,
		"unready": `no readyok within 1ns; it logged "Error: the hash is too large"`,
	} {
		l := short
		switch mode {
		case "mute":
			l.Start = time.Nanosecond
		case "gone":
			l.Quit = time.Minute // also how long its last words may take to arrive
		}
		_, err := launch(t, mode, l)
		if !errors.As(err, new(*Failure)) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %q", mode, err, want)
		}
	}
	if _, err := Start(t.Context(), nil, short); err == nil {
		t.Error("an empty command was started")
	}
}

// TestAnswersAreForTheirQuestions: what an engine says unasked after its answer is not the next answer.
func TestAnswersAreForTheirQuestions(t *testing.T) {
	c, err := launch(t, "twice", Limits{Quit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	g := game.New()
	for range 4 {
		want := fakeengine.Turn(g)
		move, _, err := c.Go(t.Context(), time.Minute)
		if err != nil || move != game.FormatTurn(g, want) {
			t.Fatalf("at %s it answered %q, %v", g.TurnLabel(), move, err)
		}
		if err := c.MakeMove(move); err != nil {
			t.Fatal(err)
		}
		for _, a := range want {
			g.Play(a)
		}
	}
}

// TestOutputIsCountedFromEachQuestion: an engine may write as much again when it is spoken to.
func TestOutputIsCountedFromEachQuestion(t *testing.T) {
	c, err := launch(t, "wordy", Limits{Quit: time.Minute, Output: fakeengine.Wordy + 1000})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, _, err := c.Go(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLateAnswer: an answer is late if it came late, whenever it is read.
func TestLateAnswer(t *testing.T) {
	for arrival, late := range map[time.Duration]bool{-time.Second: false, 2 * time.Hour: true} {
		c := &Client{heard: make(chan heard, 1)}
		c.heard <- heard{"bestmove", "Ee2n", time.Now().Add(arrival)}
		h, err := c.wait(t.Context(), "bestmove", time.Hour)
		if errors.As(err, new(*Failure)) != late || !late && h.text != "Ee2n" {
			t.Errorf("an answer %v after the question: %+v, %v", arrival, h, err)
		}
	}
}

// An answer that came in time counts, although the time is up before it is read and others are read first.
func TestAnswerThatWaitsIsNotLate(t *testing.T) {
	c := &Client{heard: make(chan heard, 100)}
	for range cap(c.heard) - 1 {
		c.heard <- heard{kind: "readyok"}
	}
	c.heard <- heard{"bestmove", "Ee2n", time.Now().Add(-time.Second)}
	if h, err := c.wait(t.Context(), "bestmove", 0); err != nil || h.text != "Ee2n" {
		t.Errorf("%+v, %v", h, err)
	}
}

// TestEngineThatDoesNotRead fills the input of an engine.
func TestEngineThatDoesNotRead(t *testing.T) {
	c, err := launch(t, "deaf", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 * waiting {
		if err = c.SetOption(Option{"event", strings.Repeat("x", 4096)}); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "does not read its input") {
		t.Errorf("got %v", err)
	}
}

// TestEngineThatFloodsAtOnce kills an engine that may have written too much before
// Start knows its process.
func TestEngineThatFloodsAtOnce(t *testing.T) {
	flood, err := exec.LookPath("yes")
	if err != nil {
		t.Skip(err)
	}
	for range 300 {
		_, err := Start(t.Context(), []string{flood}, Limits{Output: 1})
		if err == nil || !strings.Contains(err.Error(), "without being asked") {
			t.Fatalf("got %v", err)
		}
	}
}

// TestProcessTreeEnds: what an engine has started ends with it, whether it quits
// or is killed.
func TestProcessTreeEnds(t *testing.T) {
	for _, quit := range []time.Duration{time.Minute, time.Millisecond} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c, err := launch(t, "parent="+listener.Addr().String(), Limits{Quit: quit})
		if err != nil {
			t.Fatal(err)
		}
		child, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		// The end of the child closes its side.
		child.SetReadDeadline(time.Now().Add(time.Minute))
		if n, err := child.Read(make([]byte, 1)); n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("quitting within %v: the engine's child is still there: %v", quit, err)
		}
		child.Close()
		listener.Close()
	}
}

// TestSignalEndsAHangingEngine: a signal while an engine does not quit, such as a second Ctrl-C, kills it.
func TestSignalEndsAHangingEngine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process sends itself no interrupt there")
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range ending() {
		t.Run(s.String(), func(t *testing.T) { endsAHangingEngine(t, self, s) })
	}
}

func endsAHangingEngine(t *testing.T, self *os.Process, s os.Signal) {
	heard := make(chan os.Signal, 1) // else the first would end this process
	signal.Notify(heard, s)
	defer signal.Stop(heard)
	c, err := launch(t, "deaf", Limits{Quit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	begin, closed := time.Now(), make(chan struct{})
	go func() {
		c.Close()
		close(closed)
	}()
	for open := true; open; {
		if err := self.Signal(s); err != nil {
			t.Fatal(err)
		}
		<-heard // one that is still on its way after signal.Stop would end this process
		select {
		case <-closed:
			open = false
		default:
		}
	}
	if time.Since(begin) >= time.Minute {
		t.Error("a signal does not shorten the wait for an engine to quit")
	}
}

func TestCancelledClient(t *testing.T) {
	c, err := launch(t, "good", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.Go(ctx, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
