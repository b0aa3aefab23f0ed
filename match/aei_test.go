package match

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"warren/aei"
	"warren/clock"
	"warren/game"
	"warren/internal/fakeengine"
)

func TestMain(m *testing.M) {
	fakeengine.Main()
	os.Exit(m.Run())
}

func outside(mode string) *Outside {
	return &Outside{
		Label: mode, Command: fakeengine.Command(mode),
		Options: []aei.Option{{Name: "hash", Value: "10"}}, Control: clock.Unlimited(),
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
		"gone":    "no such network",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := outside(mode)
			p.Limits.Quit = 10 * time.Millisecond
			switch mode {
			case "hang":
				p.Control.TurnTime = 300 * time.Millisecond
			case "mute":
				p.Limits.Start = 100 * time.Millisecond
			case "crash", "gone":
				p.Limits.Quit = time.Minute // also how long its last words may take to arrive
			}
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
		p.Control.Turns, p.Control.Total = c.turns, c.total
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
	c := p.Control
	if c.Move != 5*time.Second || c.Reserve != 90*time.Second || c.Max != 200*time.Millisecond || c.Percent != 50 {
		t.Errorf("control %+v", c)
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
		"bot;label=":       "label has no value",
		"bot;hash=1\nquit": "not of the form",
	} {
		if _, err := ParseOutside(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gave %v, want %q", text, err, want)
		}
	}
}
