package match

import (
	"context"
	"fmt"
	"math/rand/v2"

	"warren/game"
	"warren/mcts"
)

// Evaluator judges positions: priors[i], of the length of legal[i], are
// probabilities that sum to 1, and values[i] is the chance to win of the side
// to move.
type Evaluator interface {
	Evaluate(positions []*game.Game, legal [][]game.Action, priors [][]float32, values []float32) error
}

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
	// NewEvaluator returns an evaluator for batches of up to batch positions.
	NewEvaluator func(batch int) (Evaluator, error)
}

// Name returns the label.
func (p *Searcher) Name() string { return p.Label }

// Sit takes a seat, with a search and an evaluator of its own.
func (p *Searcher) Sit(seed uint64) (Seat, error) {
	evaluator, err := p.NewEvaluator(1)
	if err != nil {
		return nil, fmt.Errorf("seating %s: %w", p.Label, err)
	}
	config := p.Search
	config.NoiseFraction = 0
	return &searcherSeat{
		player: p, evaluator: evaluator,
		search: mcts.New(config, p.Visits),
		rng:    rand.New(rand.NewPCG(seed, 1)),
		priors: make([]float32, game.NumActions),
	}, nil
}

type searcherSeat struct {
	player    *Searcher
	evaluator Evaluator
	search    *mcts.Search
	rng       *rand.Rand
	priors    []float32
	ready     bool // whether the search stands at some game
}

func (s *searcherSeat) Act(ctx context.Context, g *game.Game) (game.Action, error) {
	// Within a turn the tree stands where the seat's last step led.
	if !s.ready || s.search.Game().Hash() != g.Hash() {
		s.search.Reset(g)
		s.ready = true
	}
	s.search.Begin(s.player.Visits, nil)
	for s.search.Simulations() < s.player.Visits {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		leaf, status := s.search.Select()
		if status != mcts.Evaluate {
			continue
		}
		priors, value := s.priors[:len(leaf.Legal)], []float32{0}
		err := s.evaluator.Evaluate([]*game.Game{leaf.Game}, [][]game.Action{leaf.Legal}, [][]float32{priors}, value)
		if err != nil {
			return 0, fmt.Errorf("%s evaluating: %w", s.player.Label, err)
		}
		s.search.Expand(leaf, mcts.Evaluation{Priors: priors, Value: value[0]})
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
