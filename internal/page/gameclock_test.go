package page

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/session"
)

// The tests of the clock run in bubbles, whose time passes only while they sleep.

const setUp = "1g " + goldSetup + "\n1s " + silverSetup

// slow is an opponent that takes a time for each of its turns.
type slow struct {
	turn time.Duration
	deaf bool // whether it does not look at the context
}

func (p *slow) Name() string                                    { return "slow" }
func (p *slow) Sit(context.Context, uint64) (arena.Seat, error) { return p, nil }

func (p *slow) Act(ctx context.Context, g *game.Game) (game.Action, error) {
	if n := g.ActionsLeft(); n == 4 || n == 16 {
		if p.deaf {
			time.Sleep(p.turn)
			return g.Legal(nil)[0], nil
		}
		select {
		case <-time.After(p.turn):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return g.Legal(nil)[0], nil
}

// against begins a game of Gold against an opponent, from the moves on.
func (s *Server) against(t *testing.T, p arena.Player, control, moves string) *state {
	t.Helper()
	clock, err := newGameClock(control, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := &openGame{id: "game", place: make(chan struct{}, 1), clock: clock, session: session.New(session.Config{Opponent: p, Seed: 1})}
	if moves != "" {
		if err := g.session.Resume(moves); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.open.add(g); err != nil {
		t.Fatal(err)
	}
	return g.state()
}

// turn plays a turn of one legal step.
func (s *Server) turn(t *testing.T, st *state) *state {
	t.Helper()
	return s.move(t, s.move(t, st, "play", map[string]any{"actions": st.Legal[:1]}), "play", map[string]any{"actions": []int{int(game.Pass)}})
}

// seconds returns the clock as text: the reserves, the limits and the time used.
func (c *clockState) seconds() []int64 {
	list := []int64{c.Reserves[0], c.Reserves[1], c.Limits[0], c.Limits[1], c.Used}
	for i := range list {
		list[i] /= 1000
	}
	return list
}

func TestClockOverTwoTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serverOf(t, Config{})
		st := s.against(t, &slow{turn: 10 * time.Second}, "1/2/100/0/0:03", setUp)
		mustBe(t, "the clock at first", st.Clock.seconds(), "[120 120 180 180 0]")
		time.Sleep(20 * time.Second)
		st = s.turn(t, st)
		mustBe(t, "the clock after a turn of 20 s", st.Clock.seconds(), "[160 120 220 180 0]")
		time.Sleep(time.Hour) // nobody asks the opponent
		st = s.move(t, st, "reply", nil)
		mustBe(t, "the clock after one of 10 s", st.Clock.seconds(), "[160 170 220 230 0]")
		time.Sleep(30 * time.Second)
		mustBe(t, "the clock within a turn", s.move(t, st, "time", nil).Clock.seconds(), "[160 170 220 230 30]")
		st = s.turn(t, st)
		mustBe(t, "the clock after one of 30 s", st.Clock.seconds(), "[190 170 250 230 0]")
		st = s.move(t, st, "reply", nil)
		time.Sleep(109 * time.Second) // 179 s are played
		if st = s.turn(t, st); st.Winner != "" {
			t.Errorf("after 179 s %s has won by %s", st.Winner, st.Reason)
		}
		if st = s.move(t, st, "reply", nil); st.Reason != "turn limit" {
			t.Errorf("after 189 s %q has won by %s", st.Winner, st.Reason)
		}
		if code, text := s.problemOf(t, "POST", "/api/play/game/undo", nil); code != http.StatusConflict || !strings.Contains(text, "time control") {
			t.Errorf("taking back the end: %d %s", code, text)
		}
	})
}

func TestClockOfSetups(t *testing.T) {
	for _, c := range []struct {
		control   string
		took      time.Duration
		at, after string // the clock
	}{
		{"2/2/100/10", 3 * time.Second, "[120 120 240 240 0]", "[120 120 240 240 0]"},
		{"2/2/100/10", 150 * time.Second, "[120 120 240 240 0]", "[90 120 210 240 0]"},
		{"0:04/0:02", 7 * time.Second, "[2 2 62 62 0]", "[2 2 6 62 0]"},
		{"0:04/0:02", 61 * time.Second, "[2 2 62 62 0]", "[1 2 5 62 0]"},
		{"0:04/0:02", 62 * time.Second, "[2 2 62 62 0]", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := serverOf(t, Config{})
			st := s.against(t, &slow{turn: 5 * time.Second}, c.control, "")
			mustBe(t, "the clock at first", st.Clock.seconds(), c.at)
			time.Sleep(c.took)
			var refused refusal
			if code := s.ask(t, "POST", "/api/play/game/setup", map[string]string{"pieces": goldSetup}, &refused); c.after == "" {
				if code != http.StatusConflict || refused.State.Winner != "silver" || refused.State.Reason != "time" {
					t.Errorf("%s: after %v %d, %+v", c.control, c.took, code, refused)
				}
				return
			}
			st = s.move(t, st, "time", nil)
			mustBe(t, "the clock of "+c.control, st.Clock.seconds(), c.after)
			reserves := st.Clock.Reserves
			mustBe(t, "the reserves after both setups", s.move(t, st, "reply", nil).Clock.Reserves, reserves)
		})
	}
}

// refusal is the answer to a command that is refused.
type refusal struct {
	Error string
	State *state
}

// A person's time is over at the limit, whatever it is for, and so is an opponent's.
func TestTimeRunsOut(t *testing.T) {
	step := map[string]any{"actions": []int{int(square(t, "e2"))}}
	for what, lost := range map[string]func(s *Server, st *state) *state{
		"a person's step":     func(s *Server, st *state) *state { return s.refused(t, "play", step, http.StatusConflict) },
		"a person's question": func(s *Server, st *state) *state { return s.move(t, st, "time", nil) },
	} {
		synctest.Test(t, func(t *testing.T) {
			s := serverOf(t, Config{})
			st := s.against(t, &slow{}, "0:30/1", setUp)
			time.Sleep(90*time.Second - time.Millisecond)
			mustBe(t, "the winner before the time is over", s.move(t, st, "time", nil).Winner, "")
			time.Sleep(time.Millisecond)
			if st = lost(s, st); st.Winner != "silver" || st.Reason != "time" || len(st.Open) > 0 {
				t.Errorf("%s: %q has won by %s", what, st.Winner, st.Reason)
			}
			if now := s.refused(t, "undo", nil, http.StatusConflict); now.Winner != "silver" {
				t.Errorf("a loss on time is taken back: %q has won", now.Winner)
			}
		})
	}
	for _, p := range []*slow{{turn: 91 * time.Second}, {turn: 91 * time.Second, deaf: true}, {turn: 89 * time.Second, deaf: true}} {
		synctest.Test(t, func(t *testing.T) {
			s := serverOf(t, Config{})
			st := s.turn(t, s.against(t, p, "0:30/1", setUp))
			board := st.Board
			st = s.move(t, st, "reply", nil)
			if p.turn < 90*time.Second {
				mustBe(t, "the reserve of an opponent that is in time", st.Clock.Reserves[game.Silver], 1000)
				return
			}
			if st.Winner != "gold" || st.Reason != "time" || st.Board != board || len(st.Played) > 0 {
				t.Errorf("%+v: %q has won by %s", p, st.Winner, st.Reason)
			}
		})
	}
}

// An opponent does not lose on time when the visitor's request ends: it plays when it is asked again.
func TestRequestThatEndsIsNoLossOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serverOf(t, Config{})
		st := s.turn(t, s.against(t, &slow{turn: 30 * time.Second}, "0:30/1", setUp))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/api/play/game/reply", nil)
		r.Header.Set("Content-Type", "application/json")
		s.ServeHTTP(httptest.NewRecorder(), r)
		if st = s.move(t, st, "reply", nil); st.Winner != "" || len(st.Played) == 0 {
			t.Errorf("%q has won by %s, and the opponent has played %d steps", st.Winner, st.Reason, len(st.Played))
		}
	})
}

// refused has a command refused with the given status, and returns the state that comes with it.
func (s *Server) refused(t *testing.T, command string, body any, status int) *state {
	t.Helper()
	var answer refusal
	if code := s.ask(t, "POST", "/api/play/game/"+command, body, &answer); code != status || answer.Error == "" || answer.State == nil {
		t.Fatalf("%s: %d, %+v", command, code, answer)
	}
	return answer.State
}

// A command that is refused changes nothing, and its answer has the state of the game.
func TestRefusedCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serverOf(t, Config{})
		st := s.against(t, &slow{turn: time.Second}, "1/1", setUp)
		st = s.move(t, st, "play", map[string]any{"actions": st.Legal[:1]})
		time.Sleep(5 * time.Second)
		same := func(command string, body any, status int) {
			t.Helper()
			now := s.refused(t, command, body, status)
			if now.Board != st.Board || now.Moves != st.Moves || now.Label != st.Label || !slices.Equal(now.Open, st.Open) || now.Winner != "" || now.Clock.Used != 5000 {
				t.Errorf("%s: the game stands at %+v", command, now)
			}
		}
		same("play", map[string]any{"actions": []game.Action{st.Legal[0], st.Legal[0], st.Legal[0], st.Legal[0]}}, http.StatusConflict)
		same("play", map[string]any{"actions": []int{999}}, http.StatusConflict)
		same("play", map[string]any{"actions": []int{int(game.Pass)}, "board": "another"}, http.StatusConflict)
		same("play", "nonsense", http.StatusBadRequest)
		same("setup", map[string]string{"pieces": goldSetup}, http.StatusConflict)
		same("reply", nil, http.StatusConflict)
		same("hint", nil, http.StatusConflict)
		st = s.move(t, st, "play", map[string]any{"actions": []int{int(game.Pass)}})
		time.Sleep(5 * time.Second)
		for _, command := range []string{"resign", "play", "setup"} {
			same(command, map[string]any{}, http.StatusConflict)
		}
	})
}

// What is taken back was not free, and costs nobody else anything.
func TestClockAfterTakingBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serverOf(t, Config{})
		st := s.against(t, &slow{turn: 10 * time.Second}, "1/2", setUp)
		time.Sleep(20 * time.Second)
		st = s.move(t, st, "play", map[string]any{"actions": st.Legal[:1]})
		st = s.move(t, st, "undo", nil)
		mustBe(t, "the clock after a step", st.Clock.seconds(), "[120 120 180 180 20]")
		st = s.turn(t, st)
		time.Sleep(5 * time.Second)
		st = s.move(t, st, "undo", nil) // on the opponent's turn
		mustBe(t, "the clock after a turn", st.Clock.seconds(), "[160 120 220 180 0]")
		st = s.move(t, s.turn(t, st), "reply", nil)
		time.Sleep(5 * time.Second)
		st = s.move(t, st, "undo", nil)
		mustBe(t, "the clock after two turns", st.Clock.seconds(), "[220 170 280 230 0]")
		time.Sleep(20 * time.Second)
		st = s.move(t, st, "resign", nil)
		time.Sleep(time.Hour) // when the game is over, nobody's time passes
		if code := s.ask(t, "GET", "/api/play/game", nil, st); code != http.StatusOK {
			t.Fatal(code)
		}
		mustBe(t, "the clock of the end", st.Clock.seconds(), "[220 170 280 230 20]")
		st = s.move(t, st, "undo", nil)
		mustBe(t, "the winner after a resignation", st.Winner, "")
		mustBe(t, "the clock after a resignation", st.Clock.seconds(), "[220 170 280 230 20]")
	})
}

// The turn that is the last by the time control ends the game at once, for good.
func TestTimeControlEndsTheGame(t *testing.T) {
	for _, side := range []string{"gold", "silver"} {
		s := serverOf(t, Config{})
		st := s.begin(t, map[string]string{"player": "random", "side": side, "control": "9/0/100/0/2t", "moves": setUp})
		for st.Winner == "" && st.Label != "3g" {
			if st.ToMove != side {
				st = s.move(t, st, "reply", nil)
			} else {
				st = s.move(t, st, "play", map[string]any{"actions": st.Legal[:1]})
			}
		}
		mustBe(t, "how the game with "+side+" ended", st.Reason, "turn limit")
		if code, text := s.problemOf(t, "POST", "/api/play/"+st.ID+"/undo", nil); code != http.StatusConflict || !strings.Contains(text, "time control") {
			t.Errorf("taking back the end by the time control: %d %s", code, text)
		}
	}
	// The setups are turns that can be played.
	s := serverOf(t, Config{})
	st := s.begin(t, map[string]string{"player": "random", "side": "gold", "control": "9/0/100/0/1t"})
	st = s.move(t, st, "setup", map[string]string{"pieces": goldSetup})
	mustBe(t, "the winner after one setup", st.Winner, "")
	mustBe(t, "how the game ends after both", s.move(t, st, "reply", nil).Reason, "turn limit")
}

// A game that is set up again keeps the reserves that it had under the same control.
func TestKeptReserves(t *testing.T) {
	for _, c := range []struct {
		control  string
		reserves [2]int64
		want     string
	}{
		{"2/2/100", [2]int64{1000, 7000}, "[1000 7000]"},
		{"2/2/100/10", [2]int64{1000, 7000}, "[120000 120000]"},
		{"2/2/100", [2]int64{-1, 1 << 60}, "[120000 120000]"},
	} {
		clock, err := newGameClock("2/2", &clockState{Control: c.control, Reserves: c.reserves})
		if err != nil {
			t.Fatal(err)
		}
		mustBe(t, "the kept reserves", clock.state(game.New(), false).Reserves, c.want)
	}
}
