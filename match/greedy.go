package match

import (
	"context"
	"math/rand/v2"

	"warren/alphabeta"
	"warren/game"
)

// Greedy is the player that takes the turn with the best material, wins where
// it can and avoids being beaten at once: [alphabeta.Greedy].
type Greedy struct{}

// Name returns "greedy".
func (Greedy) Name() string { return "greedy" }

// Sit takes a seat.
func (Greedy) Sit(seed uint64) (Seat, error) {
	rng := rand.New(rand.NewPCG(seed, 2))
	return &turnSeat{choose: func(_ context.Context, g *game.Game) ([]game.Action, error) {
		return alphabeta.Greedy(g, rng), nil
	}}, nil
}

// turnSeat is a seat whose player chooses whole turns.
type turnSeat struct {
	choose func(context.Context, *game.Game) ([]game.Action, error)
	rest   []game.Action // of the turn chosen
	next   uint64        // hash of the state in which rest is to be played
	play   *game.Game
}

func (s *turnSeat) Act(ctx context.Context, g *game.Game) (game.Action, error) {
	if len(s.rest) == 0 || g.Hash() != s.next {
		rest, err := s.choose(ctx, g)
		if err != nil {
			return 0, err
		}
		s.rest = rest
	}
	a := s.rest[0]
	s.rest = s.rest[1:]
	if s.play == nil {
		s.play = game.New()
	}
	s.play.CopyFrom(g)
	s.play.Play(a)
	s.next = s.play.Hash()
	return a, nil
}
