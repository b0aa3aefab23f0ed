package arena

import (
	"context"
	"math/rand/v2"

	"warren/game"
)

// Random is the player that chooses uniformly among the legal actions.
type Random struct{}

// Name returns "random".
func (Random) Name() string { return "random" }

// Sit takes a seat.
func (Random) Sit(_ context.Context, seed uint64) (Seat, error) {
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

var randomKind = kind{
	name: "random", usage: "random", help: "a random legal action every time",
	options: func(*Names) options { return &plain{player: Random{}} },
}
