package page

import (
	"context"
	crand "crypto/rand"
	"errors"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"warren/alphabeta"
	"warren/eval"
	"warren/game"
	"warren/mcts"
	"warren/session"
)

// openGame is a game that a visitor plays. Only one goroutine may use a session
// at a time, so a request takes the game while it is served.
type openGame struct {
	id      string
	place   chan struct{}
	session *session.Session
	clock   *gameClock  // nil: the sides have all the time they like
	stream  eval.Stream // stream of the adviser's network; nil if there is none
	used    time.Time
}

// openGames holds the games in progress.
type openGames struct {
	mu  sync.Mutex
	all map[string]*openGame
}

// maxOpenGames limits the games in progress. Beyond it, the least recently used
// game is removed.
const maxOpenGames = 24

func (t *openGame) close() {
	t.session.Close()
	if t.stream != nil {
		t.stream.Close()
	}
}

// take waits until the game is free.
func (t *openGame) take(ctx context.Context) error {
	select {
	case t.place <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *openGame) leave() { <-t.place }

// add adds a game. If there are too many, it removes the least recently used
// game that no request has taken.
func (ts *openGames) add(t *openGame) error {
	removed, err := ts.admit(t)
	if removed != nil {
		removed.close()
	}
	return err
}

func (ts *openGames) admit(t *openGame) (removed *openGame, err error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.all == nil {
		ts.all = map[string]*openGame{}
	}
	if len(ts.all) >= maxOpenGames {
		if removed = ts.oldest(); removed == nil {
			return nil, &problem{http.StatusServiceUnavailable, "all boards are in use; try again later"}
		}
		delete(ts.all, removed.id)
	}
	t.used = time.Now()
	ts.all[t.id] = t
	return removed, nil
}

// oldest takes the least recently used game that is free. It does not wait: a
// request that has just got hold of a game keeps it.
func (ts *openGames) oldest() *openGame {
	for _, t := range slices.SortedFunc(maps.Values(ts.all), func(a, b *openGame) int { return a.used.Compare(b.used) }) {
		select {
		case t.place <- struct{}{}:
			return t
		default:
		}
	}
	return nil
}

// get takes a game and returns it. The caller must leave it.
func (ts *openGames) get(ctx context.Context, id string) (*openGame, error) {
	for {
		ts.mu.Lock()
		t := ts.all[id]
		if t == nil {
			ts.mu.Unlock()
			return nil, missing("this game is no longer on the board")
		}
		select {
		case t.place <- struct{}{}:
			t.used = time.Now()
			ts.mu.Unlock()
			return t, nil
		default:
		}
		ts.mu.Unlock()
		// Another request has taken the game. Wait for it, then look it up again.
		if err := t.take(ctx); err != nil {
			return nil, err
		}
		t.leave()
	}
}

func (ts *openGames) close() error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for id, t := range ts.all {
		select {
		case t.place <- struct{}{}:
			t.close()
		default: // its request ends on its own
		}
		delete(ts.all, id)
	}
	return nil
}

// newOpenGame begins a game or continues one.
func (s *Server) newOpenGame(r *http.Request) (any, error) {
	var ask struct {
		Player  string `json:"player"`
		Level   string `json:"level"`
		Side    string `json:"side"`
		Moves   string `json:"moves"`   // moves of the game to continue
		Adviser string `json:"adviser"` // network for hints, if the player has none

		Handicap handicap    `json:"handicap"`
		Control  string      `json:"control"` // time control; empty: none
		Clock    *clockState `json:"clock"`   // of the game to continue
	}
	if err := read(r, &ask); err != nil {
		return nil, err
	}
	side := game.Gold
	switch ask.Side {
	case game.Gold.String():
	case game.Silver.String():
		side = game.Silver
	default:
		return nil, wrong("the side is %.20q, must be gold or silver", ask.Side)
	}
	without, err := ask.Handicap.kinds()
	if err != nil {
		return nil, err
	}
	player, network, err := s.player(ask.Player, ask.Level)
	if err != nil {
		return nil, err
	}
	if network == nil && ask.Adviser != "" {
		if network, err = s.network(ask.Adviser); err != nil {
			return nil, err
		}
	}
	t := &openGame{id: crand.Text(), place: make(chan struct{}, 1)}
	if ask.Control != "" {
		if t.clock, err = newGameClock(ask.Control, ask.Clock, time.Now); err != nil {
			return nil, err
		}
	}
	config := session.Config{Opponent: player, Side: side, Seed: rand.Uint64(), Handicap: without}
	if network != nil {
		if t.stream, err = network.Open(1); err != nil {
			return nil, err
		}
		config.Adviser = &session.Adviser{Stream: t.stream, Search: mcts.DefaultConfig(), Visits: hintVisits}
	}
	t.session = session.New(config)
	if ask.Moves != "" {
		if err := t.session.Resume(ask.Moves); err != nil {
			t.close()
			return nil, wrong("this is not a game in Arimaa's notation: %v", err)
		}
	}
	state := t.state()
	if err := s.open.add(t); err != nil {
		t.close()
		return nil, err
	}
	return state, nil
}

// hintVisits is the number of visits for each step of a hint.
const hintVisits = 200

// showOpenGame returns the state of a game.
func (s *Server) showOpenGame(r *http.Request) (any, error) {
	t, err := s.open.get(r.Context(), r.PathValue("game"))
	if err != nil {
		return nil, err
	}
	defer t.leave()
	return t.state(), nil
}

// command performs a visitor's command in a game. It returns the answer to
// send, or nil to send the state of the game.
type command func(t *openGame, r *http.Request) (any, error)

var commands = map[string]command{
	"play": func(t *openGame, r *http.Request) (any, error) {
		var ask struct {
			Actions []int `json:"actions"`
		}
		if err := read(r, &ask); err != nil {
			return nil, err
		}
		var actions []game.Action
		for _, n := range ask.Actions {
			if n < 0 || n >= game.NumActions {
				return nil, wrong("there is no step %d", n)
			}
			actions = append(actions, game.Action(n))
		}
		return nil, t.session.Play(actions...)
	},
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
	"reply": reply,
	"undo": func(t *openGame, _ *http.Request) (any, error) {
		if t.clock != nil && t.session.Result().Reason == game.Time {
			return nil, errors.New("the game was lost on time")
		}
		return nil, t.session.Undo()
	},
	"time":   func(t *openGame, _ *http.Request) (any, error) { return nil, nil }, // the clock is looked at before every command
	"resign": func(t *openGame, _ *http.Request) (any, error) { return nil, t.session.Resign() },
	"hint":   func(t *openGame, r *http.Request) (any, error) { return ask(r.Context(), t.session, 0) },
	"evaluate": func(t *openGame, _ *http.Request) (any, error) {
		chance, err := t.session.Evaluate()
		return map[string]any{"value": goldChance(t.session.Game().Side() == game.Gold, chance)}, err
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
	if what := r.PathValue("command"); what == "reply" || what == "hint" {
		release, err := s.takeHeavy(r.Context())
		if err != nil {
			return nil, err
		}
		defer release()
	}
	answer, err := t.timed(move, r)
	if p := (*problem)(nil); err != nil && !errors.As(err, &p) && r.Context().Err() == nil {
		return nil, &problem{http.StatusConflict, err.Error()}
	}
	if answer == nil && err == nil {
		return t.state(), nil
	}
	return answer, err
}

// timed executes a command and keeps the time of it.
func (t *openGame) timed(move command, r *http.Request) (any, error) {
	if t.clock == nil {
		return move(t, r)
	}
	t.clock.check(t.session)
	side, turn := t.session.Game().Side(), t.session.Game().TurnLabel()
	answer, err := move(t, r)
	now := t.session.Game()
	switch {
	case now.TurnLabel() == turn:
	case now.Side() != side && r.PathValue("command") != "undo":
		t.clock.ended(side)
	default: // taken back
		t.clock.since = t.clock.now()
	}
	if st, ok := answer.(*state); ok {
		st.Clock = t.clock.state(t.session)
	}
	return answer, err
}

// reply lets the opponent play. The answer lists the opponent's steps.
func reply(t *openGame, r *http.Request) (any, error) {
	g := t.session.Game().Clone()
	ctx := r.Context()
	if t.clock != nil {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, max(0, t.clock.left(g.Side())))
		defer stop()
	}
	answer, err := t.session.Reply(ctx, nil)
	if err != nil && ctx.Err() != nil && r.Context().Err() == nil {
		if err := t.session.LoseOnTime(); err != nil {
			return nil, err
		}
		return t.state(), nil
	}
	if err != nil {
		return nil, err
	}
	state := t.state()
	for _, a := range answer.Turn {
		state.Played = append(state.Played, frameOf(g, a))
		g.Play(a)
	}
	if answer.Forfeit != nil {
		state.Forfeit = answer.Forfeit.Cause
	}
	return state, nil
}

// state is the state of a game, as sent to the page. The page does not know the
// rules: Legal lists every legal action, and Slides the paths of a piece over
// several steps.
type state struct {
	ID       string             `json:"id"`
	Side     string             `json:"side"` // the visitor's side
	Opponent string             `json:"opponent"`
	Advice   bool               `json:"advice"` // whether hints are available
	Board    string             `json:"board"`
	Start    string             `json:"start"` // the board at the start of the turn
	Label    string             `json:"label"`
	ToMove   string             `json:"toMove"`
	Left     int                `json:"left"`
	Setup    bool               `json:"setup"`
	Setups   []string           `json:"setups,omitempty"` // boards with good setups
	Legal    []int              `json:"legal"`
	Slides   map[string][]int   `json:"slides"` // by "from-to", squares as numbers
	Pushes   map[string][][]int `json:"pushes"` // by "from-to": the ways to push the piece on "to"
	Pushed   int                `json:"pushed"` // the square that an unfinished push must fill; -1: none
	Open     []string           `json:"open"`   // the steps of the current turn
	Moves    string             `json:"moves"`  // the game so far
	Winner   string             `json:"winner"`
	Reason   string             `json:"reason"`
	Played   []frame            `json:"played,omitempty"` // the opponent's steps
	Forfeit  string             `json:"forfeit,omitempty"`
	Clock    *clockState        `json:"clock,omitempty"`
}

func (t *openGame) state() *state {
	s := t.session
	g := s.Game()
	st := &state{
		ID: t.id, Side: s.Side().String(), Opponent: s.Opponent(), Advice: s.HasAdviser(),
		Board: g.Board().String(), Start: g.Start().String(), Label: g.TurnLabel(), ToMove: g.Side().String(), Left: g.StepsLeft(),
		Setup: g.InSetup(), Legal: []int{}, Slides: map[string][]int{}, Pushes: map[string][][]int{}, Pushed: -1, Open: []string{}, Moves: s.MoveList(),
		Reason: s.Result().Reason.String(),
	}
	if t.clock != nil {
		st.Clock = t.clock.state(s)
	}
	if r := s.Result(); r.Over() {
		st.Winner = r.Winner.String()
		return st
	}
	if hole, _, ok := g.Push(); ok {
		st.Pushed = int(hole)
	}
	if open := s.OpenTurn(); len(open) > 0 && !g.InSetup() {
		at := game.FromBoard(*g.Start(), g.Side())
		for _, a := range open {
			st.Open = append(st.Open, game.FormatTurn(at, []game.Action{a}))
			at.Play(a)
		}
	}
	if g.Side() != s.Side() {
		return st
	}
	if g.InSetup() {
		st.Setups = setups(g)
		return st
	}
	for _, a := range g.Legal(nil) {
		st.Legal = append(st.Legal, int(a))
	}
	st.Slides, st.Pushes = slides(g), pushes(g)
	return st
}

// setups returns the boards after each of several good setups.
func setups(g *game.Game) []string {
	var boards []string
	for seed := range uint64(24) {
		at := g.Clone()
		for _, a := range alphabeta.Setup(g, rand.New(rand.NewPCG(seed, 0))) {
			at.Play(a)
		}
		if b := at.Board().String(); !slices.Contains(boards, b) {
			boards = append(boards, b)
		}
	}
	return boards
}
