package arena

import (
	"context"
	"fmt"
	"math/rand/v2"

	"warren/game"
	"warren/internal/eval"
	"warren/mcts"
)

// defaultRollouts is the number of visits of a [Rollouts] player whose name does
// not give one.
const defaultRollouts = 100

// rolloutTurns is the length of a random game, in turns, at which the official
// score decides it.
const rolloutTurns = 100

// Rollouts plays by tree search without any knowledge. It judges a position by
// one random game from there to the end, and prefers no action before it has
// tried it (UCT, Kocsis and Szepesvári 2006, with PUCT's formula and even
// priors). It sets up its pieces at random.
type Rollouts struct {
	Visits int `yaml:"visits" min:"1" max:"1000000" doc:"root visits for every step, each of them one random game"`
}

var rolloutsKind = kind{
	name: "rollouts", usage: "rollouts:visits=100", help: "tree search that judges a position by one random game",
	options: func(*Names) options { return &rolloutsOptions{Rollouts: Rollouts{Visits: defaultRollouts}} },
}

type rolloutsOptions struct {
	Rollouts
	named
}

func (o *rolloutsOptions) entrant(*Names, string, []string) (*Entrant, error) {
	return &Entrant{Player: &o.Rollouts}, nil
}

// Name returns "rollouts:visits=N".
func (p *Rollouts) Name() string { return fmt.Sprintf("rollouts:visits=%d", p.Visits) }

// Sit takes a seat.
func (p *Rollouts) Sit(_ context.Context, seed uint64) (Seat, error) {
	config := mcts.AlphaZeroConfig()
	// A second random game from the same position gives new information.
	config.SeparateEvaluations = true
	rng := rand.New(rand.NewPCG(seed, 2))
	random := &playout{rng: rng, game: game.New()}
	searcher := &Searcher{
		Label: p.Name(), SearchSettings: SearchSettings{Visits: p.Visits, Search: config},
		Backend: eval.Func(func(int) (func(*eval.Batch) error, error) { return random.evaluate, nil }),
	}
	seat, err := searcher.sitByVisits(rng)
	if err != nil {
		return nil, err
	}
	seat.setup = &randomSeat{rng: rng}
	return seat, nil
}

// playout is an evaluator that plays one random game from each position.
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

// winner plays a random game from a position and returns who wins it.
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
