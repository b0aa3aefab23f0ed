package watch

import (
	"warren/data"
	"warren/game"
	"warren/learn"
	"warren/mcts"
	"warren/metrics"
)

// Observer is told what happens. Observe is called from many goroutines, often
// while others wait, so it returns quickly. It keeps no reference to anything
// that an event points to, unless the event says that it may.
type Observer interface {
	Observe(Event)
}

// Event is something that happened: one of the types of this file. An observer
// ignores the types that it does not know.
type Event interface{ event() }

// GameBegan says that self-play has begun a game.
type GameBegan struct {
	Game       uint64 // its number in the run
	Generation int    // of the network that plays it
}

// Acted says that self-play has chosen an action, which is about to be played.
type Acted struct {
	Game     uint64
	Before   *game.Game       // the position
	Decision *data.Decision   // the action and its search
	Root     []mcts.MoveStats // what the search found of every action; nil if nothing was searched
}

// Evaluated says that self-play has had positions evaluated.
type Evaluated struct{ Positions int }

// GameEnded says that self-play has finished a game and handed it on. The record
// does not change any more and may be kept.
type GameEnded struct{ Record *data.Record }

// Learnt says that a training step was made.
type Learnt struct {
	Step   int64        // minibatches trained, this one included
	Losses learn.Losses // means of the present generation; the receiver may keep them
}

// Published says that a network was saved.
type Published struct {
	Generation int
	Path       string
	Plays      bool // whether self-play uses it; false while a gatekeeper tests it
}

// MatchBegan says that the newest network begins to play.
type MatchBegan struct {
	Generation int
	Against    string // one opponent, or how many
}

// MatchPlayed says how far the match that began last has come.
type MatchPlayed struct{ Games, Total int }

// MatchEnded says that the match that began last is over, or has been interrupted.
type MatchEnded struct {
	Generation int
	Against    string
}

// Measured is a point of the run's series, which the receiver may keep.
type Measured struct{ metrics.Point }

func (*GameBegan) event()   {}
func (*Acted) event()       {}
func (*Evaluated) event()   {}
func (*GameEnded) event()   {}
func (*Learnt) event()      {}
func (*Published) event()   {}
func (*MatchBegan) event()  {}
func (*MatchPlayed) event() {}
func (*MatchEnded) event()  {}
func (*Measured) event()    {}

// Nobody is the observer that ignores everything.
var Nobody Observer = nobody{}

type nobody struct{}

func (nobody) Observe(Event) {}

// Tee returns an observer that tells all of the observers, in their order.
func Tee(observers ...Observer) Observer { return tee(observers) }

type tee []Observer

func (t tee) Observe(e Event) {
	for _, o := range t {
		o.Observe(e)
	}
}
