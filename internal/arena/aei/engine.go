package aei

import (
	"context"
	"errors"
	"time"

	"warren/game"
	"warren/game/clock"
)

// Engine is what plays behind [Serve]. Its methods are called one at a time,
// except that SetOption may be called while Think runs; it then takes effect
// with the next search.
type Engine interface {
	// SetOption sets an option other than those of the clock, such as hash (MB) or
	// depth (steps). If there is no such option, the error wraps
	// ErrUnknownOption; otherwise it says what is wrong with the value.
	SetOption(name, value string) error
	// Think finds the turn to play, or the whole setup, with a final game.Pass
	// where one is needed. It returns soon after the context ends. If the cause
	// of the end is ErrStop, it returns the best turn found so far; otherwise
	// its answer is ignored. Think may call report until it returns.
	Think(ctx context.Context, t Task, report func(Info)) ([]game.Action, error)
}

// Task is the request that the message go makes to an engine.
type Task struct {
	Game  *game.Game  // not over; the engine may keep and change it
	Clock clock.Clock // at the beginning of the search
	Begun time.Time   // when the controller began the game; other positions of it have the same
	// Ponder asks the engine to think on the opponent's time: until the context
	// ends, whatever the clock says.
	Ponder bool
}

// Info is what an engine has found so far.
type Info struct {
	Score int           // "info score": hundredths of a rabbit, seen by the side to move
	Nodes int64         // positions searched
	Time  time.Duration // since the search began
	PV    []game.Action // the principal variation, from the task's game on
}

// ID is how an engine introduces itself. Empty fields are not sent.
type ID struct{ Name, Author, Version string }

// ErrUnknownOption is the error of an engine for an option that it does not have.
var ErrUnknownOption = errors.New("unknown option")

// ErrStop is the cause of the context's end if the engine must answer at once.
var ErrStop = errors.New("told to stop")
