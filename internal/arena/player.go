package arena

import (
	"context"

	"warren/game"
)

// Player can play any number of games, several of them at the same time.
type Player interface {
	// Name identifies the player in reports.
	Name() string
	// Sit takes a seat at a new game. All randomness of the player in that game
	// comes from seed. If the context ends while the player gets ready, Sit fails.
	Sit(ctx context.Context, seed uint64) (Seat, error)
}

// Seat is a player in one game. A seat that is also a [Watcher] is shown every
// action. A seat that is also an io.Closer is closed after the game.
type Seat interface {
	// Act chooses an action for the side to move. It is called for every step and
	// sees the whole game, which it must not change. A player that cannot or will
	// not continue returns a [Forfeit]; any other error ends the match. The context
	// ends with the match. If it has a deadline, the player loses on time then.
	Act(ctx context.Context, g *game.Game) (game.Action, error)
}

// Beginner is a seat that is told when both players have sat down, the opening is played and the game begins.
type Beginner interface {
	Begin()
}

// Watcher is a seat that is shown every action of both sides, in the game as it
// was before the action.
type Watcher interface {
	Watch(before *game.Game, a game.Action) error
}

// Stopper is a seat whose time control may stop the game; the official score then
// decides it. It is asked before every turn.
type Stopper interface {
	Stops(g *game.Game) bool
}

// Forfeit is the error of a player that loses the game by its own fault: an
// external engine that crashed, or that answered late or with an illegal move.
type Forfeit struct {
	Cause string // for reports, without the player's name
}

func (f *Forfeit) Error() string { return "forfeits: " + f.Cause }
