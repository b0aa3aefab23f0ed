package arena

import (
	"context"
	"math/rand/v2"

	"warren/game"
	"warren/internal/arena/alphabeta"
)

// Greedy is [alphabeta.Greedy]: it plays the turn that leaves it the most
// material, wins if it can and avoids an immediate loss.
type Greedy struct{}

// Name returns "greedy".
func (Greedy) Name() string { return "greedy" }

// Sit takes a seat.
func (Greedy) Sit(_ context.Context, seed uint64) (Seat, error) {
	rng := rand.New(rand.NewPCG(seed, 2))
	return &turnSeat{choose: func(_ context.Context, g *game.Game) ([]game.Action, error) {
		return alphabeta.Greedy(g, rng), nil
	}}, nil
}

var greedyKind = kind{
	name: "greedy", usage: "greedy", help: "the best turn by material, searching one turn deep",
	options: func(*Names) options { return &plain{player: Greedy{}} },
}

// turnSeat is a seat whose player chooses whole turns.
type turnSeat struct {
	choose func(context.Context, *game.Game) ([]game.Action, error)
	rest   []game.Action // steps of the chosen turn not yet played
	next   uint64        // hash of the position in which rest continues
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
