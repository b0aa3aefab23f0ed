package arena

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"warren/game"
	"warren/game/clock"
	"warren/internal/arena/aei"
	"warren/internal/fakeengine"
)

func TestMain(m *testing.M) {
	fakeengine.Main()
	os.Exit(m.Run())
}

func external(mode string) *External {
	return &External{
		Label: mode, Command: fakeengine.Command(mode),
		Options: []aei.Option{{Name: "hash", Value: "10"}}, Control: clock.Unlimited(),
		Limits: aei.Limits{Output: 1 << 16},
	}
}

func TestExternalEngine(t *testing.T) {
	for _, mode := range []string{"good", "steps"} {
		score, games := play(t, Rules{Seed: 1, TurnLimit: 60}, 4, external(mode), Random{})
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

// TestExternalEngineAtFault checks that every failure of an engine is one forfeit and
// that the match continues to its end.
func TestExternalEngineAtFault(t *testing.T) {
	for mode, want := range map[string]string{
		"crash":   "segmentation fault, I fear",
		"hang":    "no bestmove within 50.000001ms", // its nanosecond and the time to read an answer
		"upper":   "no bestmove within",
		"unended": "no bestmove within",
		"illegal": `illegal move "Ea1n Ea2n"`,
		"empty":   "the turn is empty",
		"pass":    `"pass"`,
		"label":   `"2`,
		"comma":   `illegal move "`,
		"resign":  "the engine resigned",
		"resigns": "the engine resigned",
		"flood":   "the engine wrote more than 65536 bytes without being asked",
		"endless": "the engine wrote",
		"chatter": "the engine wrote",
		"orphan":  "the engine ended (exit status 1)",
		"mute":    "no aeiok within",
		"gone":    "no such network",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := external(mode)
			p.Limits.Quit = time.Minute // also how long an engine's last words may take to arrive
			switch mode {
			case "hang", "unended", "orphan", "mute": // do not end when they are told to
				p.Limits.Quit = 10 * time.Millisecond
			}
			// Nothing is too short for an engine that never answers.
			switch mode {
			case "hang", "upper", "unended":
				p.Control.TurnTime = time.Nanosecond // a setup has a minute
			case "mute":
				p.Limits.Start = time.Nanosecond
			}
			score, games := play(t, Rules{Seed: 1, TurnLimit: 40}, 2, p, Random{})
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

// clocked returns an external player with a clock of an hour a move and an hour in reserve.
func clocked(t *testing.T) *externalSeat {
	t.Helper()
	p := external("good")
	p.Control.Move, p.Control.Reserve = time.Hour, time.Hour
	seat, err := p.Sit(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	s := seat.(*externalSeat)
	t.Cleanup(func() { s.Close() })
	return s
}

// TestExternalClock plays the turns of one side, and looks at the clock after each.
func TestExternalClock(t *testing.T) {
	s, g := clocked(t), game.New()
	turn := func() error {
		for side, turns := g.Side(), g.Turns(); g.Side() == side && g.Turns() == turns; {
			a, err := s.Act(t.Context(), g)
			if err != nil {
				return err
			}
			if err := s.Watch(g, a); err != nil {
				return err
			}
			g.Play(a)
		}
		return nil
	}
	for i, want := range [][2]time.Duration{{time.Hour, time.Hour}, {time.Hour, time.Hour}, {2 * time.Hour, time.Hour}, {2 * time.Hour, 2 * time.Hour}} {
		if err := turn(); err != nil {
			t.Fatal(err)
		}
		// The engine takes less than ten minutes.
		for side, reserve := range s.clock.Reserves {
			if reserve > want[side] || reserve < want[side]-10*time.Minute || i < 2 && reserve != want[side] {
				t.Errorf("after turn %d the reserves are %v, want %v", i+1, s.clock.Reserves, want)
			}
		}
		if used := s.clock.Used[i%2]; used <= 0 || used != s.clock.LastMoveUsed {
			t.Errorf("after turn %d %v is used", i+1, used)
		}
	}
	s.clock.Move, s.clock.Reserves[game.Gold] = 0, 0
	if forfeit := (*Forfeit)(nil); !errors.As(turn(), &forfeit) || !strings.Contains(forfeit.Cause, "no time is left") {
		t.Errorf("without time it forfeits as %v", forfeit)
	}
}

// TestExternalClockOfTheOther plays the turns of the other side, which are booked by the time since the engine's own.
func TestExternalClockOfTheOther(t *testing.T) {
	s, g := clocked(t), game.New()
	other := func() {
		for side := g.Side(); g.Side() == side; {
			a := g.Legal(nil)[0]
			if err := s.Watch(g, a); err != nil {
				t.Fatal(err)
			}
			g.Play(a)
		}
	}
	for range 4 { // the opening
		other()
	}
	if s.clock.Reserves != [2]time.Duration{time.Hour, time.Hour} || s.clock.LastMoveUsed != 0 {
		t.Errorf("after the opening: %+v", s.clock)
	}
	s.Begin()
	s.handed = s.handed.Add(-90 * time.Minute)
	other()
	if used := s.clock.Used[game.Gold]; used < 90*time.Minute || used > 100*time.Minute || s.clock.LastMoveUsed != used ||
		s.clock.Reserves[game.Gold] != 2*time.Hour-used || s.clock.Reserves[game.Silver] != time.Hour {
		t.Errorf("after the other's turn: %+v", s.clock)
	}
	for side := g.Side(); g.Side() == side; {
		a, err := s.Act(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Watch(g, a); err != nil {
			t.Fatal(err)
		}
		g.Play(a)
	}
	own, reserves := s.clock.Used[game.Silver], s.clock.Reserves
	s.handed = s.handed.Add(-70 * time.Minute)
	other()
	if used := s.clock.Used[game.Gold]; used < 70*time.Minute || used > 80*time.Minute || s.clock.LastMoveUsed != used ||
		s.clock.Reserves[game.Gold] >= reserves[game.Gold] || s.clock.Reserves[game.Silver] != reserves[game.Silver] || s.clock.Used[game.Silver] != own {
		t.Errorf("after the engine's turn and another of the other's: %+v", s.clock)
	}
}

// TestExternalHandicap: an engine that has watched both setups plays the game without some of the pieces.
func TestExternalHandicap(t *testing.T) {
	seat, err := external("good").Sit(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	s, g := seat.(*externalSeat), game.New()
	defer s.Close()
	for range game.Placements {
		a := g.Legal(nil)[0]
		if err := s.Watch(g, a); err != nil {
			t.Fatal(err)
		}
		g.Play(a)
	}
	g = game.Handicapped(g, 1<<3|1<<52)
	for range 3 {
		for turns := g.Turns(); g.Turns() == turns; {
			a, err := s.Act(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(g.Legal(nil), a) {
				t.Fatalf("at %s it plays %d in\n%v", g.TurnLabel(), a, g.Board())
			}
			if err := s.Watch(g, a); err != nil {
				t.Fatal(err)
			}
			g.Play(a)
		}
	}
	if logged := s.client.Logged(); logged != "" {
		t.Errorf("it logged %q", logged)
	}
}

// TestExternalEndsWithTheGame: a game won on the board is won, even if the engine has ended before it is told.
func TestExternalEndsWithTheGame(t *testing.T) {
	board, side, err := game.ParsePosition("g [r........R.....................................................E]")
	if err != nil {
		t.Fatal(err)
	}
	for step, won := range map[string]bool{"Rb7n": true, "Eh1n": false} {
		s, g := clocked(t), game.FromBoard(board, side)
		if err := s.place(g); err != nil {
			t.Fatal(err)
		}
		s.Close()
		turn, err := aei.ParseMove(g, step)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range turn {
			err = s.Watch(g, a)
			g.Play(a)
		}
		if won != g.Result().Over() || errors.As(err, new(*Forfeit)) == won {
			t.Errorf("%s: %v, and an engine that has ended: %v", step, g.Result(), err)
		}
	}
}

// TestExternalTimeControlStops checks that the match keeps the limits that a time
// control sets for the whole game.
func TestExternalTimeControlStops(t *testing.T) {
	for _, c := range []struct {
		turns int
		total time.Duration
		want  int
	}{{turns: 3, want: 4}, {turns: 1, want: 0}, {total: time.Nanosecond, want: 0}} {
		p := external("good")
		p.Control.Turns, p.Control.Total = c.turns, c.total
		_, games := play(t, Rules{Seed: 1, TurnLimit: 60}, 2, p, Random{})
		for _, g := range games {
			if g.Turns != c.want || g.Result.Reason != game.TurnLimit {
				t.Errorf("%d turns, total %v: game %d ended after %d turns: %v", c.turns, c.total, g.Number, g.Turns, g.Result)
			}
		}
	}
}

// kept keeps the last seat of an external engine.
type kept struct {
	*External
	seat *externalSeat
}

func (p *kept) Sit(ctx context.Context, seed uint64) (Seat, error) {
	seat, err := p.External.Sit(ctx, seed)
	p.seat, _ = seat.(*externalSeat)
	return seat, err
}

// dated keeps when it sat down.
type dated struct {
	Random
	at time.Time
}

func (p *dated) Sit(ctx context.Context, seed uint64) (Seat, error) {
	p.at = time.Now()
	return p.Random.Sit(ctx, seed)
}

// The length of a game does not count how long the player that sits down second takes to be ready.
func TestGameBeginsWhenBothAreReady(t *testing.T) {
	a, b := &kept{External: external("good")}, &dated{}
	f := Fixture{A: &Entrant{Player: a}, B: &Entrant{Player: b}, TurnLimit: 1}
	if _, err := f.Play(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a.seat.begun.Before(b.at) {
		t.Errorf("the clock began %v before the other player was there", b.at.Sub(a.seat.begun))
	}
}

func TestMissingEngine(t *testing.T) {
	p := external("")
	p.Command = []string{"there-is-no-such-engine"}
	if _, err := p.Sit(t.Context(), 1); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestParseExternal(t *testing.T) {
	p, err := parseExternal(`"my engine" --net 'a;b.safetensors' -v;tcmove=5s;tcreserve=1m30s;tcmax=200ms;tcpercent=50;hash=200;label=Bot 1`)
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
	if p, err := parseExternal("/opt/bots/sharp --x"); err != nil || p.Name() != "sharp" {
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
		if _, err := parseExternal(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gave %v, want %q", text, err, want)
		}
	}
}

// TestExternalStartIsCancelled: whoever stops waiting for an engine gets no forfeit, and nothing is left of the engine.
func TestExternalStartIsCancelled(t *testing.T) {
	for _, mode := range []string{"mute", "unready"} {
		p := external(mode)
		p.Limits.Quit = time.Nanosecond // they do not end when they are told to
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Sit(ctx, 1); !errors.Is(err, context.Canceled) || errors.As(err, new(*Forfeit)) {
			t.Errorf("%s: %v", mode, err)
		}
	}
}
