package aei

import (
	"context"
	"errors"
	"time"

	"warren/clock"
	"warren/game"
)

// Engine is what plays behind [Serve]. One method is called at a time, except
// that SetOption may be called while Think runs and then has its effect later.
type Engine interface {
	// SetOption sets an option that is not of the clock, such as hash (MB) or
	// depth (steps). The error wraps ErrUnknownOption if there is no such option,
	// and else says what is wrong with the value.
	SetOption(name, value string) error
	// Follow tells the engine that turn was played in the game before, which is
	// the whole of a side's turn or setup. It is for what the engine may want to
	// keep; the position to think about comes with every Task.
	Follow(before *game.Game, turn []game.Action)
	// Think finds the turn to play, or the whole setup, with a final game.Pass
	// where one is needed. It returns soon after the context has ended, by then
	// with the best that it has found if the cause is ErrStop; else nobody
	// wants to know. Report may be called at any time until Think returns.
	Think(ctx context.Context, t Task, report func(Info)) ([]game.Action, error)
}

// Task is what an engine is asked by go. The game is not over, and it is the
// engine's to keep and change.
type Task struct {
	Game  *game.Game
	Clock clock.Clock // as at the beginning of the search
	// Ponder asks to think about the position on the opponent's time: until the
	// context ends, whatever the clock says.
	Ponder bool
}

// Info is what an engine has found so far.
type Info struct {
	Score int           // "info score": hundredths of a rabbit, seen by the side to move
	Depth int           // in steps
	Nodes int64         // positions searched
	Time  time.Duration // since the search began
	PV    []game.Action // the principal variation, from the task's game on
}

// ID is how an engine introduces itself. An empty field is not sent.
type ID struct{ Name, Author, Version string }

// ErrUnknownOption is the error of an engine for an option that it has not.
var ErrUnknownOption = errors.New("unknown option")

// ErrStop is the cause of a context by which an engine is told to answer now.
var ErrStop = errors.New("told to stop")
