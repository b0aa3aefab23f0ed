package match

import (
	"context"
	"fmt"
	"math/rand/v2"

	"warren/game"
	"warren/mcts"
)

// DefaultRollouts is how many visits [Rollouts] has where nobody says.
const DefaultRollouts = 100

// rolloutTurns bounds a random game, in turns; then the official score decides.
const rolloutTurns = 100

// Rollouts plays by tree search without any knowledge: a position is judged by
// one random game from there to the end, and no action is preferred before it
// has been tried (UCT, Kocsis and Szepesvári 2006, with PUCT's formula and even
// priors). It sets up its pieces at random.
type Rollouts struct {
	Visits int // root visits for every step, each of them a random game
}

// Name returns "rollouts:visits=N".
func (p *Rollouts) Name() string { return fmt.Sprintf("rollouts:visits=%d", p.Visits) }

// Sit takes a seat.
func (p *Rollouts) Sit(seed uint64) (Seat, error) {
	config := mcts.DefaultConfig()
	// A second random game from the same position is news.
	config.ShareEvaluations = false
	rng := rand.New(rand.NewPCG(seed, 2))
	return &rolloutsSeat{
		searcherSeat: searcherSeat{
			player: &Searcher{Label: p.Name(), Search: config, Visits: p.Visits}, evaluator: &playout{rng: rng, game: game.New()},
			search: mcts.New(config, p.Visits),
			rng:    rng,
			priors: make([]float32, game.NumActions),
		},
		setup: randomSeat{rng: rng},
	}, nil
}

type rolloutsSeat struct {
	searcherSeat
	setup randomSeat
}

func (s *rolloutsSeat) Act(ctx context.Context, g *game.Game) (game.Action, error) {
	if g.InSetup() {
		return s.setup.Act(ctx, g)
	}
	return s.searcherSeat.Act(ctx, g)
}

// playout is an evaluator that plays a random game.
type playout struct {
	rng   *rand.Rand
	game  *game.Game
	legal []game.Action
}

func (p *playout) Evaluate(positions []*game.Game, legal [][]game.Action, priors [][]float32, values []float32) error {
	for i, from := range positions {
		for j := range priors[i] {
			priors[i][j] = 1 / float32(len(priors[i]))
		}
		values[i] = 0
		if p.winner(from) == from.Side() {
			values[i] = 1
		}
	}
	return nil
}

// winner plays a random game from there.
func (p *playout) winner(from *game.Game) game.Color {
	g := p.game
	g.CopyFrom(from)
	for last := g.Turns() + rolloutTurns; !g.Result().Over(); {
		if g.Turns() >= last {
			return g.ScoreWinner()
		}
		p.legal = g.Legal(p.legal[:0])
		g.Play(p.legal[p.rng.IntN(len(p.legal))])
	}
	return g.Result().Winner
}
