package hub

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"warren/game"
	"warren/internal/arena"
)

// matchGame is the message that gives a worker a game of a match.
type matchGame struct {
	ID        uint64            `json:"id"`
	Players   [2]arena.Portable `json:"players"`
	Networks  [2]current        `json:"networks"` // of the players that have one
	Number    int               `json:"number"`
	Seed      uint64            `json:"seed"`
	Opening   []game.Action     `json:"opening,omitempty"`
	TurnLimit int               `json:"turn_limit"`
}

// matchResult is a worker's answer. The actions alone give the result.
type matchResult struct {
	ID      uint64        `json:"id"`
	Actions []game.Action `json:"actions"`
	Paths   [2]string     `json:"paths"` // of evaluation, by player; empty without a network
	Failed  string        `json:"failed,omitempty"`
}

// matches holds the games of matches that are to be played. This process plays them, and workers
// with a free seat take some. If both play a game, the first result counts. The hub therefore never
// waits for a worker.
type matches struct {
	hub   *Hub
	seats chan struct{} // an element for every game that this process plays

	mu   sync.Mutex
	open []*openGame // not finished, oldest first
}

// openGame is a game that is not finished.
type openGame struct {
	fixture *arena.Fixture
	message *matchGame // nil if only this process can play it
	here    bool       // whether this process plays it
	account string     // the worker that plays it, unless empty
	since   time.Time  // when that worker took it
	done    chan struct{}
	played  *arena.Played
	err     error
}

// mostSeats limits the games of matches that a worker is given at once.
const mostSeats = 64

func newMatches(h *Hub) *matches {
	return &matches{hub: h, seats: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// MatchSeats returns the number of games of a match that can be played at once, here and by the
// workers that were heard lately. A worker counts with the seats of its largest process, at least one.
func (h *Hub) MatchSeats() int {
	n := cap(h.matches.seats)
	for _, a := range h.workers.activities() {
		if a.Heard(time.Now()) {
			n += max(1, a.seats)
		}
	}
	return n
}

// PlayMatch plays a game of a match, here or on a worker's machine. It can be called while Play runs.
func (h *Hub) PlayMatch(ctx context.Context, f *arena.Fixture) (*arena.Played, error) {
	m := h.matches
	g := &openGame{fixture: f, message: m.describe(ctx, f), done: make(chan struct{})}
	m.mu.Lock()
	m.open = append(m.open, g)
	m.mu.Unlock()
	defer m.remove(g)
	for {
		seats := m.seats
		if g.isHere(m) {
			seats = nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-g.done:
			return g.played, g.err
		case seats <- struct{}{}:
			if x := m.next(); x != nil {
				m.play(ctx, x)
			}
			<-m.seats
		}
	}
}

func (g *openGame) isHere(m *matches) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return g.here
}

// next returns the game that this process plays next: one that nobody plays, or else the one that a
// worker has played for longest. It returns nil if there is none.
func (m *matches) next() *openGame {
	m.mu.Lock()
	defer m.mu.Unlock()
	var best *openGame
	for _, g := range m.open {
		if !g.here && (best == nil || best.account != "" && (g.account == "" || g.since.Before(best.since))) {
			best = g
		}
	}
	if best != nil {
		best.here = true
	}
	return best
}

// play plays a game in this process, unless a worker is faster.
func (m *matches) play(ctx context.Context, g *openGame) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-g.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	played, err := g.fixture.Play(ctx)
	if ctx.Err() != nil && err != nil {
		m.mu.Lock()
		g.here = false
		m.mu.Unlock()
		return
	}
	m.finish(g, played, err)
}

// finish sets the result of a game unless it has one.
func (m *matches) finish(g *openGame, played *arena.Played, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-g.done:
	default:
		g.played, g.err = played, err
		close(g.done)
	}
}

func (m *matches) remove(g *openGame) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.open, g); i >= 0 {
		m.open = slices.Delete(m.open, i, i+1)
	}
}

// describe returns the message for a game, or nil if workers cannot play it.
func (m *matches) describe(ctx context.Context, f *arena.Fixture) *matchGame {
	g := &matchGame{ID: rand.Uint64(), Number: f.Number, Seed: f.Seed, Opening: f.Opening, TurnLimit: f.TurnLimit}
	for i, e := range []*arena.Entrant{f.A, f.B} {
		var ok bool
		if g.Players[i], ok = e.Portable(); !ok {
			return nil
		}
		if n := e.Network; n != nil {
			g.Networks[i] = current{Hash: n.Hash, Generation: n.Origin.Generation}
			if err := m.hub.networks.put(ctx, &m.hub.networks.match, n); err != nil {
				m.hub.o.Log.Debug("hub: workers cannot play a match", "error", err)
				return nil
			}
		}
	}
	return g
}

// give returns up to seats games for a worker: those that nobody plays, and those of workers that have
// been silent.
func (m *matches) give(account string, seats int, silent func(account string) bool) (list []*matchGame) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range m.open {
		if len(list) >= min(seats, mostSeats) {
			break
		}
		if g.message == nil || g.here || g.account != "" && !silent(g.account) {
			continue
		}
		g.account, g.since = account, time.Now()
		list = append(list, g.message)
	}
	return list
}

// result takes a worker's result. A share of the games is replayed before it counts.
func (m *matches) result(ctx context.Context, w *worker, r *matchResult) {
	m.mu.Lock()
	i := slices.IndexFunc(m.open, func(g *openGame) bool { return g.message != nil && g.message.ID == r.ID && g.account == w.Account })
	if i < 0 {
		m.mu.Unlock()
		return // the game was played elsewhere in the meantime
	}
	g := m.open[i]
	m.mu.Unlock()
	played, err := g.fixture.Replay(r.Actions)
	if r.Failed != "" {
		m.hub.o.Log.Debug("hub: a worker cannot play a match", "worker", w.Name, "reason", r.Failed)
	} else if err != nil {
		m.hub.o.Log.Debug("hub: a game of a match is refused", "worker", w.Name, "error", err)
		if w.refuse("match against the rules") {
			m.hub.quarantine(w, "too many of its games were refused, the last of a match: "+err.Error())
		}
	}
	switch {
	case r.Failed != "" || err != nil:
		m.mu.Lock()
		g.account, g.message = "", nil // this process plays it
		m.mu.Unlock()
	case rand.Float64() < m.hub.o.Sample:
		m.mu.Lock()
		g.message = nil // no other result of a worker is taken, for that might not be drawn
		m.mu.Unlock()
		go m.check(ctx, w, g, r, played)
	default:
		m.finish(g, played, nil)
	}
}

// check replays a worker's game before it counts. If the games differ, the worker is removed.
func (m *matches) check(ctx context.Context, w *worker, g *openGame, r *matchResult, played *arena.Played) {
	fixture := *g.fixture
	for i, e := range []**arena.Entrant{&fixture.A, &fixture.B} {
		if (*e).Network == nil {
			continue
		}
		n, ok := onPath((*e).Network, r.Paths[i])
		if ok {
			*e, ok = (*e).On(n)
		}
		if !ok {
			w.replayed(false)
			m.finish(g, played, nil)
			return
		}
	}
	select {
	case <-ctx.Done():
		return
	case m.seats <- struct{}{}:
	}
	again, err := fixture.Play(ctx)
	<-m.seats
	if err != nil {
		if ctx.Err() == nil {
			m.finish(g, nil, err)
		}
		return
	}
	w.replayed(true)
	if !slices.Equal(again.Actions, played.Actions) {
		m.hub.quarantine(w, fmt.Sprintf("game %d of a match between %s and %s is not what its players and seed give",
			played.Number+1, g.fixture.A.Name(), g.fixture.B.Name()))
	}
	m.finish(g, again, nil)
}
