package match

import (
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

// Seat is a player in one game.
type Seat interface {
	// Act chooses an action for the side to move. It is asked step by step and
	// sees the whole game, which it must not change.
	Act(g *game.Game) (game.Action, error)
}

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

func (s *randomSeat) Act(g *game.Game) (game.Action, error) {
	s.legal = g.Legal(s.legal[:0])
	return s.legal[s.rng.IntN(len(s.legal))], nil
}
