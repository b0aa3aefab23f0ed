//go:build !js

package page

import (
	"sync/atomic"
	"time"

	"warren/game"
	"warren/internal/metrics"
	"warren/internal/observe"
)

// boards is the number of running games shown.
const boards = 8

// Live observes the training in this process for a page. It keeps only the
// latest state of a few games. While no page is open, it handles only the
// beginnings and ends of games.
type Live struct {
	// Status returns the current status of the run; see [observe.Status.Now].
	Status func() metrics.Status

	began    atomic.Pointer[time.Time] // when the first event came
	watchers atomic.Int32
	places   [boards]place
	ended    atomic.Bool
}

var _ observe.Observer = (*Live)(nil)

// place shows one game at a time.
type place struct {
	game atomic.Uint64 // number of the game plus one; 0: the place is free
	now  atomic.Pointer[liveBoard]
}

// liveBoard is a position of a running game and the action played in it.
type liveBoard struct {
	game   uint64
	board  game.Board
	label  string
	side   game.Color
	action game.Action
	value  float32 // the mover's chance to win; 0 if there was no search
}

// End says that the training is over. The page shows this instead of the progress.
func (l *Live) End() { l.ended.Store(true) }

// Observe records an event. It never blocks.
func (l *Live) Observe(e observe.Event) {
	if l.began.Load() == nil {
		now := time.Now()
		l.began.CompareAndSwap(nil, &now)
	}
	switch e := e.(type) {
	case *observe.GameBegan:
		for i := range l.places {
			if p := &l.places[i]; p.game.Load() == 0 && p.game.CompareAndSwap(0, e.Game+1) {
				p.now.Store(&liveBoard{game: e.Game, label: "1g"})
				return
			}
		}
	case *observe.Acted:
		if l.watchers.Load() == 0 {
			return
		}
		if p := l.place(e.Game); p != nil {
			p.now.Store(&liveBoard{game: e.Game, board: *e.Before.Board(), label: e.Before.TurnLabel(), side: e.Before.Side(),
				action: e.Decision.Action, value: e.Decision.Value})
		}
	case *observe.GameEnded:
		if p := l.place(e.Record.Game); p != nil {
			p.game.Store(0)
		}
	case *observe.PlayingEnded:
		for i := range l.places {
			l.places[i].now.Store(nil)
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

// boardInfo is a liveBoard, as sent to the page.
type boardInfo struct {
	Game   uint64      `json:"game"`
	Board  string      `json:"board"`
	Label  string      `json:"label"`
	Action game.Action `json:"action"`
	Value  *float32    `json:"value,omitempty"` // Gold's chance to win
}

// boards returns the boards that the places show.
func (l *Live) boards() []boardInfo {
	list := []boardInfo{}
	for i := range l.places {
		b := l.places[i].now.Load()
		if b == nil {
			continue
		}
		info := boardInfo{Game: b.game, Board: b.board.String(), Label: b.label, Action: b.action}
		if b.value > 0 {
			info.Value = goldChance(b.side == game.Gold, b.value)
		}
		list = append(list, info)
	}
	return list
}
