package match

import (
	"context"
	"fmt"
	"math/rand/v2"

	"warren/eval"
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
	random := &playout{rng: rng, game: game.New()}
	return &rolloutsSeat{
		searcherSeat: searcherSeat{
			player: &Searcher{Label: p.Name(), Search: config, Visits: p.Visits},
			stream: &eval.Immediate{Evaluate: random.evaluate},
			search: mcts.New(config, p.Visits),
			rng:    rng,
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

func (p *playout) evaluate(b *eval.Batch) error {
	for i := range b.Len() {
		priors := b.Priors(i)
		for j := range priors {
			priors[j] = 1 / float32(len(priors))
		}
		value := float32(0)
		if from := b.Position(i); p.winner(from) == from.Side() {
			value = 1
		}
		b.SetValue(i, value)
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
