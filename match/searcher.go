package match

import (
	"context"
	"fmt"
	"math/rand/v2"

	"warren/eval"
	"warren/game"
	"warren/gather"
	"warren/mcts"
)

// Searcher plays by tree search over a network.
type Searcher struct {
	Label  string
	Search mcts.Config
	Visits int // root visits for every step and every placement
	// Temperature applies during the setup and the first TemperatureTurns turns
	// of both players together, so that games differ; later the most visited
	// action is played.
	Temperature      float64
	TemperatureTurns int
	Backend          eval.Backend // evaluates positions; each seat opens a stream of its own
}

// Name returns the label.
func (p *Searcher) Name() string { return p.Label }

// Sit takes a seat, with a search and an evaluator of its own.
func (p *Searcher) Sit(seed uint64) (Seat, error) {
	stream, err := p.Backend.Open(1)
	if err != nil {
		return nil, fmt.Errorf("seating %s: %w", p.Label, err)
	}
	config := p.Search
	config.NoiseFraction = 0
	return &searcherSeat{
		player: p, stream: stream,
		search: mcts.New(config, p.Visits),
		rng:    rand.New(rand.NewPCG(seed, 1)),
	}, nil
}

type searcherSeat struct {
	player *Searcher
	stream eval.Stream
	leaves gather.Leaves
	search *mcts.Search
	rng    *rand.Rand
	ready  bool // whether the search stands at some game
}

func (s *searcherSeat) Act(ctx context.Context, g *game.Game) (game.Action, error) {
	// Within a turn the tree stands where the seat's last step led.
	if !s.ready || s.search.Game().Hash() != g.Hash() {
		s.search.Reset(g)
		s.ready = true
	}
	if err := s.leaves.Search(ctx, s.search, s.stream, s.player.Visits, nil); err != nil {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return 0, fmt.Errorf("%s evaluating: %w", s.player.Label, err)
	}
	temperature := 0.0
	if g.InSetup() || g.Turns() < s.player.TemperatureTurns {
		temperature = s.player.Temperature
	}
	out, ok := s.search.Outcome(temperature, s.rng)
	if !ok {
		return 0, fmt.Errorf("%s has no action in a game that is over", s.player.Label)
	}
	s.search.Advance(out.Action)
	return out.Action, nil
}

// Close releases the seat's stream.
func (s *searcherSeat) Close() error { return s.stream.Close() }
