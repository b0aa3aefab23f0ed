package page

import (
	"context"
	"errors"
	"net/http"
	"time"

	"warren/game"
	"warren/internal/session"
)

// command performs a visitor's command in a game. It returns the answer to send. To a
// [replied], or nil, the state of the game is added.
type command func(t *openGame, r *http.Request) (any, error)

var commands = map[string]command{
	"play": play,
	"setup": func(t *openGame, r *http.Request) (any, error) {
		var ask struct {
			Pieces string `json:"pieces"` // Ra1 Rb1 ...
		}
		if err := read(r, &ask); err != nil {
			return nil, err
		}
		if !t.session.Game().InSetup() {
			return nil, session.ErrSetupOver
		}
		return nil, t.session.PlayTurn(ask.Pieces)
	},
	"why": func(t *openGame, r *http.Request) (any, error) {
		var ask squares
		if err := read(r, &ask); err != nil {
			return nil, err
		}
		return ask.why(t.session.Game())
	},
	"reply": reply,
	"level": level,
	"undo": func(t *openGame, _ *http.Request) (any, error) {
		if r := t.session.Result().Reason; t.clock != nil && (r == game.Time || r == game.TurnLimit) {
			return nil, errors.New("the time control has ended the game")
		}
		return nil, t.session.Undo()
	},
	"time":   func(t *openGame, _ *http.Request) (any, error) { return nil, nil }, // the clock is looked at before every command
	"resign": func(t *openGame, _ *http.Request) (any, error) { return nil, t.session.Resign() },
	"hint":   func(t *openGame, r *http.Request) (any, error) { return t.hint(r.Context()) },
	"evaluate": func(t *openGame, _ *http.Request) (any, error) {
		chance, err := t.session.Evaluate()
		return map[string]any{"value": goldChance(t.session.Game().Side() == game.Gold, chance), "mixed": t.mixed}, err
	},
}

// commandInGame executes the command that a request names.
func (s *Server) commandInGame(r *http.Request) (any, error) {
	move := commands[r.PathValue("command")]
	if move == nil {
		return nil, missing("one cannot %.20q here", r.PathValue("command"))
	}
	t, err := s.open.get(r.Context(), r.PathValue("game"))
	if err != nil {
		return nil, err
	}
	defer t.leave()
	defer func() {
		if t.session.Result().Over() {
			t.dismiss()
		}
	}()
	if what := r.PathValue("command"); what == "reply" || what == "hint" {
		release, err := s.takeHeavy(r.Context())
		if err != nil {
			return nil, err
		}
		defer release()
	}
	answer, err := t.timed(move, r)
	if err != nil && r.Context().Err() == nil {
		// The visitor may have acted on an old state.
		p := &problem{status: http.StatusConflict, text: err.Error()}
		errors.As(err, &p)
		return nil, &problem{p.status, p.text, t.state()}
	}
	if err != nil {
		return nil, err
	}
	switch answer := answer.(type) {
	case nil:
		return t.state(), nil
	case replied:
		st := t.state()
		st.replied = answer
		return st, nil
	}
	return answer, nil
}

// timed executes a command and keeps the time of it.
func (t *openGame) timed(move command, r *http.Request) (any, error) {
	if t.clock == nil {
		return move(t, r)
	}
	if r.PathValue("command") == "reply" && t.session.Game().Side() != t.session.Side() {
		t.clock.since = time.Now() // the opponent's time is that in which it is asked
	}
	t.clock.check(t.session)
	side, turn, setup := t.session.Game().Side(), t.session.Game().TurnLabel(), t.session.Game().InSetup()
	over := t.session.Result().Over()
	answer, err := move(t, r)
	now := t.session.Game()
	switch {
	case over && !t.session.Result().Over(): // the end was taken back, and the time since then is nobody's
		t.clock.since = time.Now().Add(-t.clock.spent)
	case now.TurnLabel() == turn:
	case now.Side() != side && r.PathValue("command") != "undo":
		t.clock.ended(side, setup)
	default: // taken back
		t.clock.since = time.Now()
	}
	t.clock.check(t.session) // that turn may have been the last
	if !over && t.session.Result().Over() {
		t.clock.spent = t.clock.used()
	}
	return answer, err
}

// play makes the visitor's steps. If the request says which position they are meant
// for, they are refused in any other, where they may be legal and not what is meant.
func play(t *openGame, r *http.Request) (any, error) {
	var ask struct {
		Actions []game.Action `json:"actions"`
		Board   string        `json:"board"` // that the visitor sees; empty: any
		Left    int           `json:"left"`  // steps that are left there
	}
	if err := read(r, &ask); err != nil {
		return nil, err
	}
	s, g := t.session, t.session.Game()
	playable := !s.Result().Over() && g.Side() == s.Side() // if not, Play says why
	if playable && ask.Board != "" && (ask.Board != g.Board().String() || ask.Left != g.StepsLeft()) {
		return nil, errors.New("the board has changed since then, perhaps in another tab")
	}
	return nil, s.Play(ask.Actions...)
}

// level lets the opponent continue at another level.
func level(t *openGame, r *http.Request) (any, error) {
	var ask struct {
		Level string `json:"level"`
	}
	if err := read(r, &ask); err != nil {
		return nil, err
	}
	if t.level == "" {
		return nil, errors.New("this opponent has no levels")
	}
	player, _, err := t.at(ask.Level)
	if err != nil {
		return nil, err
	}
	t.session.Replace(player)
	t.level = ask.Level
	return nil, nil
}

// replied is what the opponent has done.
type replied struct {
	Played  []frame `json:"played,omitempty"` // its steps
	Forfeit string  `json:"forfeit,omitempty"`
}

// reply lets the opponent play.
func reply(t *openGame, r *http.Request) (any, error) {
	g := t.session.Game().Clone()
	ctx := r.Context()
	if t.clock != nil {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, t.clock.left(g))
		defer stop()
	}
	answer, err := t.session.Reply(ctx, nil)
	if err != nil && ctx.Err() != nil && r.Context().Err() == nil {
		return nil, t.session.LoseOnTime()
	}
	if err != nil {
		return nil, err
	}
	var out replied
	for _, a := range answer.Turn {
		out.Played = append(out.Played, frameOf(g, a))
		g.Play(a)
	}
	if answer.Forfeit != nil {
		out.Forfeit = answer.Forfeit.Cause
	}
	return out, nil
}
