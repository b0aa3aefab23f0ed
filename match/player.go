package match

import (
	"context"
	"math/rand/v2"

	"warren/game"
)

// Player is someone who can play any number of games, also several at once.
type Player interface {
	// Name says who it is in reports.
	Name() string
	// Sit takes a seat at a new game. All that the player does by chance there
	// is to come from seed.
	Sit(seed uint64) (Seat, error)
}

// Seat is a player in one game. One that is also a [Watcher] is told of every
// action, and one that is also an io.Closer is closed when the game is over.
type Seat interface {
	// Act chooses an action for the side to move. It is asked step by step and
	// sees the whole game, which it must not change. A player that cannot or
	// will not go on returns a [Forfeit]; any other error ends the match. The
	// context ends with the match.
	Act(ctx context.Context, g *game.Game) (game.Action, error)
}

// Watcher is a seat that wants to see every action of both sides, in the game
// before it is played.
type Watcher interface {
	Watch(before *game.Game, a game.Action) error
}

// Stopper is a seat whose time control may stop the game, which the official
// score then decides. It is asked before every turn.
type Stopper interface {
	Stops(g *game.Game) bool
}

// Forfeit is the error of a player that loses the game by its own fault: an
// outside engine that crashed, or answered late or with an illegal move.
type Forfeit struct {
	Cause string // as it is to be reported, without the player's name
}

func (f *Forfeit) Error() string { return "forfeits: " + f.Cause }

// Random is the player that chooses every action uniformly from the legal ones.
type Random struct{}

// Name returns "random".
func (Random) Name() string { return "random" }

// Sit takes a seat.
func (Random) Sit(seed uint64) (Seat, error) {
	return &randomSeat{rng: rand.New(rand.NewPCG(seed, 0))}, nil
}

type randomSeat struct {
	rng   *rand.Rand
	legal []game.Action
}

func (s *randomSeat) Act(_ context.Context, g *game.Game) (game.Action, error) {
	s.legal = g.Legal(s.legal[:0])
	return s.legal[s.rng.IntN(len(s.legal))], nil
}
