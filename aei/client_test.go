package aei

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"warren/clock"
	"warren/game"
)

// TestMain lets the test binary be an engine: as "fake-engine MODE" it speaks
// AEI, well or badly, in place of running tests.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "fake-engine" {
		fakeEngine(os.Args[2])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func fakeEngine(mode string) {
	switch mode {
	case "gone":
		fmt.Fprintln(os.Stderr, "loading\nno such network")
		os.Exit(3)
	case "mute":
		for {
			time.Sleep(time.Hour)
		}
	case "old":
		fmt.Println("aeiok")
	case "new":
		fmt.Println("protocol-version 2\naeiok")
	case "deaf":
		fmt.Println("protocol-version 1\naeiok\nreadyok")
		for {
			time.Sleep(time.Hour)
		}
	case "unready":
		fmt.Println("protocol-version 1\naeiok\nlog Error: the hash is too large")
	case "loud":
		// More than any pipe holds.
		fmt.Fprint(os.Stderr, strings.Repeat("warming up\n", 1<<17))
		fallthrough
	default:
		Serve(context.Background(), os.Stdin, os.Stdout, ID{"Fake", "Nobody", "7"}, quick{})
		return
	}
	io.Copy(io.Discard, os.Stdin)
}

// quick plays the first legal actions.
type quick struct{}

func (quick) SetOption(string, string) error   { return nil }
func (quick) Follow(*game.Game, []game.Action) {}
func (quick) Think(ctx context.Context, t Task, report func(Info)) (turn []game.Action, err error) {
	if t.Ponder {
		<-ctx.Done()
	}
	for play := t.Game.Clone(); play.Side() == t.Game.Side() && !play.Result().Over(); {
		a := play.Legal(nil)[0]
		turn = append(turn, a)
		play.Play(a)
	}
	return turn, nil
}

func start(t *testing.T, mode string, l Limits) (*Client, error) {
	t.Helper()
	l.Quit = max(l.Quit, 10*time.Millisecond)
	c, err := Start(t.Context(), []string{os.Args[0], "fake-engine", mode}, l)
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
		c, err := start(t, mode, Limits{Quit: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if c.ID() != (ID{"Fake", "Nobody", "7"}) {
			t.Errorf("%s: it is %+v", mode, c.ID())
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
		for _, want := range []string{goldSetup, silverSetup, "Ca2n Ra1n Cb2n Rb1n"} {
			move, used, err := c.Go(t.Context(), time.Minute)
			if err != nil || move != want || used <= 0 || used > time.Minute {
				t.Fatalf("%s: it answered %q after %v, %v; want %q", mode, move, used, err, want)
			}
			if err := c.MakeMove(move); err != nil {
				t.Fatal(err)
			}
			if err := c.Ponder(); err != nil {
				t.Fatal(err)
			}
		}
		if last := c.LastError(); last != "" {
			t.Errorf("%s: it logged %q", mode, last)
		}
		if err := c.SetPosition(game.New().Board(), game.Silver); err != nil {
			t.Fatal(err)
		}
		c.MakeMove("Ee2n")
		if err := c.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		if last := c.LastError(); !strings.HasPrefix(last, "Error: makemove") {
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
	short := Limits{Start: time.Minute, Ready: 50 * time.Millisecond}
	for mode, want := range map[string]string{
		"gone":    `the engine ended (exit status 3); its last words: "no such network"`,
		"mute":    "no aeiok within 50ms",
		"old":     "no protocol-version before aeiok",
		"new":     `version "2" of the protocol`,
		"unready": `no readyok within 50ms; it logged "Error: the hash is too large"`,
	} {
		l := short
		if mode == "mute" {
			l.Start = l.Ready
		}
		_, err := start(t, mode, l)
		if failure := (*Failure)(nil); !errors.As(err, &failure) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %q", mode, err, want)
		}
	}
	if _, err := Start(t.Context(), nil, short); err == nil {
		t.Error("an empty command was started")
	}
}

// TestEngineThatDoesNotRead fills its input.
func TestEngineThatDoesNotRead(t *testing.T) {
	c, err := start(t, "deaf", Limits{})
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

func TestCancelledClient(t *testing.T) {
	c, err := start(t, "good", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.Go(ctx, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
