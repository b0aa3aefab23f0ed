package match

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"warren/aei"
	"warren/game"
)

// TestMain lets the test binary act as an outside engine. As "fake-engine MODE" it
// speaks AEI, well or badly, instead of running tests.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "fake-engine" {
		fakeEngine(os.Args[2])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fakeEngine is an engine that plays the first legal actions. It follows the
// protocol until it is asked for its first turn after the setup, and then does what
// mode says.
func fakeEngine(mode string) {
	if mode == "mute" {
		for {
			time.Sleep(time.Hour)
		}
	}
	if mode == "broken" {
		fmt.Fprintln(os.Stderr, "no such network")
		os.Exit(3)
	}
	aei.Serve(context.Background(), os.Stdin, os.Stdout, aei.ID{Name: "Fake"}, firstLegal(mode))
}

type firstLegal string

func (firstLegal) SetOption(name, _ string) error {
	if name != "hash" {
		return aei.ErrUnknownOption
	}
	return nil
}

func (firstLegal) Follow(*game.Game, []game.Action) {}

func (mode firstLegal) Think(ctx context.Context, t aei.Task, _ func(aei.Info)) (turn []game.Action, err error) {
	g := t.Game
	if !g.InSetup() {
		switch mode {
		case "crash":
			fmt.Fprintln(os.Stderr, "segmentation fault, I fear")
			os.Exit(2)
		case "hang":
			select {}
		case "illegal":
			fmt.Println("bestmove Ea1n Ea2n")
			select {}
		case "empty":
			fmt.Println("bestmove")
			select {}
		case "resign":
			fmt.Println("bestmove resign")
			select {}
		case "flood":
			for {
				fmt.Println("info depth 4")
			}
		case "endless":
			for {
				fmt.Print("info pv Ee2n ")
			}
		case "chatter":
			for {
				fmt.Println("readyok")
			}
		case "steps":
			// Some engines leave out the captures.
			turn = firstTurn(g)
			words := strings.Fields(game.FormatTurn(g, turn))
			words = slices.DeleteFunc(words, func(w string) bool { return strings.HasSuffix(w, "x") })
			fmt.Println("bestmove " + strings.Join(words, " "))
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}
	return firstTurn(g), nil
}

// firstTurn returns a legal turn or setup: the first legal action, repeatedly.
func firstTurn(g *game.Game) (turn []game.Action) {
	play := g.Clone()
	for play.Side() == g.Side() && !play.Result().Over() {
		legal := play.Legal(nil)
		a := legal[len(turn)%len(legal)]
		turn = append(turn, a)
		play.Play(a)
	}
	return turn
}

func outside(mode string) *Outside {
	return &Outside{
		Label: mode, Command: []string{os.Args[0], "fake-engine", mode},
		Options: []aei.Option{{Name: "hash", Value: "10"}}, Clock: aei.Unlimited(),
		Limits: aei.Limits{Output: 1 << 16},
	}
}

func TestOutsideEngine(t *testing.T) {
	for _, mode := range []string{"good", "steps"} {
		score, games := play(t, Config{Games: 4, Seed: 1, TurnLimit: 60}, outside(mode), Random{})
		if score.Games() != 4 || score.Forfeits != 0 {
			t.Errorf("%s: %+v: %q", mode, score, games[0].Forfeit)
		}
		captures := false
		for _, g := range games {
			captures = captures || strings.Contains(game.FormatMoveList(g.Actions), "x")
			if g.Turns < 10 {
				t.Errorf("%s: game %d lasted %d turns", mode, g.Number, g.Turns)
			}
		}
		if !captures {
			t.Errorf("%s: no game had a capture", mode)
		}
	}
}

// TestOutsideEngineAtFault checks that every failure of an engine is one forfeit and
// that the match goes on to its end.
func TestOutsideEngineAtFault(t *testing.T) {
	for mode, want := range map[string]string{
		"crash":   "segmentation fault, I fear",
		"hang":    "no bestmove within",
		"illegal": `illegal move "Ea1n Ea2n"`,
		"empty":   "the turn is empty",
		"resign":  "the engine resigned",
		"flood":   "the engine wrote more than 65536 bytes without being asked",
		"endless": "the engine wrote",
		"chatter": "the engine wrote",
		"mute":    "no aeiok within",
		"broken":  "no such network",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := outside(mode)
			if mode == "hang" {
				p.Clock.TurnTime = 300 * time.Millisecond
			}
			if mode == "mute" {
				p.Limits.Start = 100 * time.Millisecond
			}
			p.Limits.Quit = 10 * time.Millisecond
			score, games := play(t, Config{Games: 2, Seed: 1, TurnLimit: 40, Workers: 1}, p, Random{})
			if score.Forfeits != 2 || score.Losses != 2 {
				t.Errorf("%+v", score)
			}
			for _, g := range games {
				if !strings.HasPrefix(g.Forfeit, mode+" forfeits: ") || !strings.Contains(g.Forfeit, want) || strings.Contains(g.Forfeit, "\n") {
					t.Errorf("game %d: %q, want %q", g.Number, g.Forfeit, want)
				}
			}
		})
	}
}

// TestOutsideTimeControlStops checks that the match keeps the limits that a time
// control sets for the whole game.
func TestOutsideTimeControlStops(t *testing.T) {
	for _, c := range []struct {
		turns int
		total time.Duration
		want  int
	}{{turns: 3, want: 6}, {total: time.Nanosecond, want: 0}} {
		p := outside("good")
		p.Clock.Turns, p.Clock.Total = c.turns, c.total
		_, games := play(t, Config{Games: 2, Seed: 1, TurnLimit: 60}, p, Random{})
		for _, g := range games {
			if g.Turns != c.want || g.Result.Reason != game.TurnLimit {
				t.Errorf("%d turns, total %v: game %d ended after %d turns: %v", c.turns, c.total, g.Number, g.Turns, g.Result)
			}
		}
	}
}

func TestMissingEngineEndsTheMatch(t *testing.T) {
	p := outside("")
	p.Command = []string{"there-is-no-such-engine"}
	if _, err := Play(t.Context(), Config{Games: 2, TurnLimit: 10}, p, Random{}, nil); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestParseOutside(t *testing.T) {
	p, err := ParseOutside(`"my engine" --net 'a;b.safetensors' -v;tcmove=5s;tcreserve=1m30s;tcmax=200ms;tcpercent=50;hash=200;label=Bot 1`)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"my engine", "--net", "a;b.safetensors", "-v"}; !slices.Equal(p.Command, want) {
		t.Errorf("command %q", p.Command)
	}
	c := p.Clock
	if c.Move != 5*time.Second || c.Reserve != 90*time.Second || c.Max != 200*time.Millisecond || c.Percent != 50 {
		t.Errorf("clock %+v", c)
	}
	if p.Label != "Bot 1" || !slices.Equal(p.Options, []aei.Option{{Name: "hash", Value: "200"}}) {
		t.Errorf("label %q, options %v", p.Label, p.Options)
	}
	if p, err := ParseOutside("/opt/bots/sharp --x"); err != nil || p.Name() != "sharp" {
		t.Errorf("%v, %v", p, err)
	}
	for text, want := range map[string]string{
		"":                 "the command is missing",
		" ;tcmove=5s":      "the command is missing",
		"bot;tcmov=5s":     "no time control option tcmov",
		"bot;tcmove=fast":  "option tcmove",
		"bot;tcmove":       "not of the form",
		"bot;=5":           "not of the form",
		"bot 'x":           "not closed",
		"bot;greserve=3":   "the match sends the option",
		"bot;tcmove=-5s":   "option tcmove",
		"bot;a b=c":        "not of the form",
		"bot;hash=1\nquit": "not of the form",
	} {
		if _, err := ParseOutside(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gave %v, want %q", text, err, want)
		}
	}
}
