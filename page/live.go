package page

import (
	"sync/atomic"

	"warren/game"
	"warren/metrics"
	"warren/watch"
)

// boards is how many running games are shown.
const boards = 8

// Live observes the training of this process for a page. It keeps the latest
// state of a few games and nothing else. While no page is open it looks at the
// beginnings and ends of games only.
type Live struct {
	// Status returns what the run is doing now; see [watch.Status.Now].
	Status func() metrics.Status

	watchers atomic.Int32
	places   [boards]place
}

var _ watch.Observer = (*Live)(nil)

// place shows one game after the other.
type place struct {
	game atomic.Uint64 // the number of its game plus one; 0: the place is free
	now  atomic.Pointer[liveBoard]
}

// liveBoard is a position of a running game and the action that is played in it.
type liveBoard struct {
	game       uint64
	generation int
	board      game.Board
	label      string
	side       game.Color
	action     game.Action
	value      float32 // the mover's chance to win; 0 if nothing was searched
}

// Observe takes note of an event. It never waits.
func (l *Live) Observe(e watch.Event) {
	switch e := e.(type) {
	case *watch.GameBegan:
		for i := range l.places {
			if p := &l.places[i]; p.game.Load() == 0 && p.game.CompareAndSwap(0, e.Game+1) {
				p.now.Store(&liveBoard{game: e.Game, generation: e.Generation, label: "1g"})
				return
			}
		}
	case *watch.Acted:
		if l.watchers.Load() == 0 {
			return
		}
		if p := l.place(e.Game); p != nil {
			now := &liveBoard{game: e.Game, board: *e.Before.Board(), label: e.Before.TurnLabel(), side: e.Before.Side(),
				action: e.Decision.Action, value: e.Decision.Value}
			if before := p.now.Load(); before != nil {
				now.generation = before.generation
			}
			p.now.Store(now)
		}
	case *watch.GameEnded:
		if p := l.place(e.Record.Game); p != nil {
			p.game.Store(0)
		}
	}
}

// place returns the place that shows a game, or nil.
func (l *Live) place(number uint64) *place {
	for i := range l.places {
		if l.places[i].game.Load() == number+1 {
			return &l.places[i]
		}
	}
	return nil
}

// boardInfo is a liveBoard as the page takes it.
type boardInfo struct {
	Game       uint64   `json:"game"`
	Generation int      `json:"generation"`
	Board      string   `json:"board"`
	Label      string   `json:"label"`
	Action     int      `json:"action"`
	Value      *float32 `json:"value,omitempty"` // Gold's chance to win
}

// boards returns what the places show.
func (l *Live) boards() []boardInfo {
	list := []boardInfo{}
	for i := range l.places {
		b := l.places[i].now.Load()
		if b == nil {
			continue
		}
		info := boardInfo{Game: b.game, Generation: b.generation, Board: b.board.String(), Label: b.label, Action: int(b.action)}
		if b.value > 0 {
			info.Value = goldChance(b.side == game.Gold, b.value)
		}
		list = append(list, info)
	}
	return list
}
