package observe

import (
	"warren/data"
	"warren/game"
	"warren/internal/learn"
	"warren/internal/metrics"
	"warren/mcts"
)

// Observer receives events. Observe is called concurrently from many goroutines,
// often while others wait, so it must return quickly. It must not keep a reference
// to anything that an event points to, unless the event's documentation allows it.
type Observer interface {
	Observe(Event)
}

// Event is one of the event types in this file. An observer ignores the types that
// it does not know.
type Event interface{ event() }

// GameBegan reports that self-play has begun a game.
type GameBegan struct {
	Game uint64 // its number in the run
}

// Acted reports that self-play has chosen an action and is about to play it.
type Acted struct {
	Game     uint64
	Before   *game.Game         // the position
	Decision *data.Decision     // the action and its search
	Root     []mcts.ActionStats // the search's statistics of every action; nil without a search
}

// Evaluated reports that self-play has evaluated a batch of positions. A cache may
// have known some of them.
type Evaluated struct{ Positions int }

// GameEnded reports that self-play has finished a game and handed over its record.
// The record no longer changes and may be kept.
type GameEnded struct{ Record *data.Record }

// PlayingEnded reports that the self-play of a run is over. Games that have not ended are lost.
type PlayingEnded struct{}

// Learned reports a training step.
type Learned struct {
	Step   int64        // minibatches trained, including this one
	Losses learn.Losses // means since the generation's training began or resumed; may be kept
	Window float64      // share of the replay window that a network that has grown is trained on; 0 unless it waits for that
	Waits  float64      // share of the generation's samples that is learned; 0 unless games wait for it
}

// Published reports the newest network. It is sent when a network is saved and when
// a run is opened.
type Published struct {
	Generation int
	Stage      int // of the run whose settings its games have, from 1
	Stages     int // of the run
}

// MatchBegan reports that a match of the run begins or continues.
type MatchBegan struct {
	Against string // the opponent, or the number of opponents
}

// MatchPlayed reports the number of games played in the match that began last.
type MatchPlayed struct{ Games, Total int }

// MatchEnded reports that the match that began last is over or interrupted.
type MatchEnded struct{}

// Measured reports a point of the run's series, which may be kept.
type Measured struct{ metrics.Point }

func (*GameBegan) event()    {}
func (*Acted) event()        {}
func (*Evaluated) event()    {}
func (*GameEnded) event()    {}
func (*PlayingEnded) event() {}
func (*Learned) event()      {}
func (*Published) event()    {}
func (*MatchBegan) event()   {}
func (*MatchPlayed) event()  {}
func (*MatchEnded) event()   {}
func (*Measured) event()     {}

// Nobody is an observer that ignores all events.
var Nobody Observer = nobody{}

type nobody struct{}

func (nobody) Observe(Event) {}

// Tee returns an observer that passes each event to all observers, in order.
func Tee(observers ...Observer) Observer { return tee(observers) }

type tee []Observer

func (t tee) Observe(e Event) {
	for _, o := range t {
		o.Observe(e)
	}
}
