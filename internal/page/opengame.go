package page

import (
	"context"
	crand "crypto/rand"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/eval"
	"warren/internal/session"
	"warren/mcts"
)

// openGame is a game that a visitor plays. Only one goroutine may use a session
// at a time, so a request takes the game while it is served.
type openGame struct {
	id      string
	place   chan struct{}
	session *session.Session
	clock   *gameClock                                              // nil: the sides have all the time they like
	adviser *session.Adviser                                        // nil if there is none
	level   string                                                  // of the opponent; "" if it has none
	at      func(level string) (arena.Player, *eval.Network, error) // the opponent at another level, see player
	mixed   bool                                                    // whether the values of its network are not chances to win
	used    time.Time
	idle    *time.Timer // dismisses the opponent of a game that is left
}

// openGames holds the games in progress.
type openGames struct {
	mu  sync.Mutex
	all map[string]*openGame
}

// maxOpenGames limits the games in progress. Beyond it, the least recently used
// game is removed.
const maxOpenGames = 24

// unattended is how long a game may be left before its opponent leaves the board. It sits down again when it is asked.
const unattended = 10 * time.Minute

func (t *openGame) close() {
	t.session.Close()
	if t.adviser != nil {
		t.adviser.Close()
	}
}

func (t *openGame) leave() { <-t.place }

// dismiss closes the opponent's seat, since a search tree can have gigabytes. An opponent that adapts stays, because
// its seat knows the level; its trees are small.
func (t *openGame) dismiss() {
	if _, adapts := t.session.OpponentLevel(); !adapts {
		t.session.Close()
	}
}

// add adds a game. If there are too many, it removes the least recently used
// game that no request has taken.
func (ts *openGames) add(t *openGame) error {
	removed, err := ts.admit(t)
	if removed != nil {
		removed.close()
		removed.leave() // a request may wait for it, and must find it gone
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
			return nil, &problem{status: http.StatusServiceUnavailable, text: "all boards are in use; try again later"}
		}
		delete(ts.all, removed.id)
	}
	t.used = time.Now()
	t.idle = time.AfterFunc(unattended, func() {
		t.place <- struct{}{}
		t.dismiss()
		t.leave()
	})
	ts.all[t.id] = t
	return removed, nil
}

// oldest takes the least recently used game that is free. It does not wait.
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

// get waits until a game is free, takes it and returns it. The caller must leave it.
func (ts *openGames) get(ctx context.Context, id string) (*openGame, error) {
	t := ts.find(id)
	if t != nil {
		select {
		case t.place <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if ts.find(id) == t {
			return t, nil
		}
		t.leave() // it was removed in the meantime
	}
	return nil, missing("this game is no longer on the board")
}

// find returns the game with this ID, which is then the most recently used, or nil.
func (ts *openGames) find(id string) *openGame {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.all[id]
	if t != nil {
		t.used = time.Now()
		t.idle.Reset(unattended)
	}
	return t
}

func (ts *openGames) close() error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for id, t := range ts.all {
		select {
		case t.place <- struct{}{}:
			t.close()
			t.leave()
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
	side, err := parseSide(ask.Side)
	if err != nil {
		return nil, err
	}
	without, err := ask.Handicap.kinds()
	if err != nil {
		return nil, err
	}
	player, network, err := s.player(ask.Player, ask.Level)
	if err != nil {
		return nil, err
	}
	t := &openGame{id: crand.Text(), place: make(chan struct{}, 1)}
	if network != nil {
		t.level, t.at = ask.Level, func(level string) (arena.Player, *eval.Network, error) { return s.player(ask.Player, level) }
	} else if ask.Adviser != "" {
		if network, err = s.network(ask.Adviser); err != nil {
			return nil, err
		}
	}
	if ask.Control != "" {
		if t.clock, err = newGameClock(ask.Control, ask.Clock); err != nil {
			return nil, err
		}
	}
	if network != nil {
		t.mixed = s.mixedBy(network)
		if t.adviser, err = session.NewAdviser(network, mcts.MatchConfig(), hintVisits); err != nil {
			return nil, err
		}
	}
	t.session = session.New(session.Config{Opponent: player, Side: side, Seed: rand.Uint64(), Handicap: without, Adviser: t.adviser})
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

func parseSide(name string) (game.Color, error) {
	for _, side := range []game.Color{game.Gold, game.Silver} {
		if name == side.String() {
			return side, nil
		}
	}
	return 0, wrong("the side is %.20q, must be gold or silver", name)
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
