package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"warren/configs"
	"warren/game"
	"warren/mcts"
)

// Evaluator judges positions: priors[i], of the length of legal[i], are
// probabilities that sum to 1, and values[i] is the chance to win of the side
// to move.
type Evaluator interface {
	Evaluate(positions []*game.Game, legal [][]game.Action, priors [][]float32, values []float32) error
}

// Checkpoint is a network to search with, and its provenance. What is unknown of
// the provenance is zero or empty.
type Checkpoint struct {
	Label      string // run and file name
	Hash       string // identifies the network by its content
	Run        string // the run that trained it
	Generation int    // in that run
	// What the run had done by then.
	Steps   int64 // minibatches trained
	Samples int64 // in them
	Games   int   // trained on
	Seconds float64
	// NewEvaluator returns an evaluator for batches of up to batch positions.
	NewEvaluator func(batch int) (Evaluator, error)
}

// SearchSettings says how a network plays.
type SearchSettings struct {
	Visits           int         `yaml:"visits" min:"1" max:"1000000" doc:"root visits for every step and every placement"`
	Temperature      float64     `yaml:"temperature" min:"0" max:"10" doc:"temperature in the setup and the first turns, so that games differ"`
	TemperatureTurns int         `yaml:"temperature_turns" min:"0" max:"10000" doc:"turns of both players together that the temperature lasts; the most visited action is played afterwards"`
	Search           mcts.Config `yaml:"search"`
}

// Searcher plays by tree search over a network.
type Searcher struct {
	Label string
	SearchSettings
	// NewEvaluator returns an evaluator for batches of up to batch positions.
	NewEvaluator func(batch int) (Evaluator, error)
}

// Name returns the label.
func (p *Searcher) Name() string { return p.Label }

// Sit takes a seat with a search and an evaluator of its own.
func (p *Searcher) Sit(seed uint64) (Seat, error) {
	evaluator, err := p.NewEvaluator(1)
	if err != nil {
		return nil, fmt.Errorf("seating %s: %w", p.Label, err)
	}
	return &searcherSeat{
		player: p, evaluator: evaluator,
		search: mcts.New(p.Search, p.Visits),
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
	ready     bool // whether the search has a position
}

func (s *searcherSeat) Act(ctx context.Context, g *game.Game) (game.Action, error) {
	// Within a turn the tree is already at the position after the seat's last step.
	if !s.ready || s.search.Game().Hash() != g.Hash() {
		s.search.Reset(g, s.rng)
		s.ready = true
	}
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
		s.search.Expand(leaf, priors, value[0])
	}
	temperature := 0.0
	if g.InSetup() || g.Turns() < s.player.TemperatureTurns {
		temperature = s.player.Temperature
	}
	a, ok := s.search.Choose(temperature, s.rng)
	if !ok {
		return 0, fmt.Errorf("%s has no action in a game that is over", s.player.Label)
	}
	s.search.Advance(a)
	return a, nil
}

// Entrant returns a player that searches with the network. The label is its name,
// and not part of its identity.
func (c *Checkpoint) Entrant(label string, s SearchSettings) *Entrant {
	return &Entrant{
		Player:     &Searcher{Label: label, SearchSettings: s, NewEvaluator: c.NewEvaluator},
		Checkpoint: c,
		Identity: fmt.Sprintf("net:%s,visits=%d,temperature=%g,temperature-turns=%d,search=%+v",
			c.Hash, s.Visits, s.Temperature, s.TemperatureTurns, s.Search),
	}
}

var networkKind = kind{
	name: "net", argument: "PATH", usage: "net:PATH,visits=48",
	help: "a network behind a tree search; net: may be left out if PATH ends in " + netSuffix,
	options: func(n *Names) options {
		return &networkOptions{SearchSettings: n.Search}
	},
}

type networkOptions struct {
	SearchSettings
	named
}

// netSuffix ends the path of a network that may be named without its kind.
const netSuffix = ".safetensors"

// entrant returns the player. Its label ends with the options that were given, in
// the order of the settings.
func (o *networkOptions) entrant(n *Names, path string, given []string) (*Entrant, error) {
	if n.Network == nil {
		return nil, fmt.Errorf("networks cannot play here: %s", path)
	}
	c, err := n.Network(path)
	if err != nil {
		return nil, err
	}
	settings, err := configs.List(o.SearchSettings)
	if err != nil {
		return nil, err
	}
	label := c.Label
	for _, s := range settings {
		i := slices.IndexFunc(given, func(word string) bool { return strings.HasPrefix(canonical(word), s.Key+"=") })
		if i >= 0 {
			label += "," + given[i]
		}
	}
	return c.Entrant(label, o.SearchSettings), nil
}

// ReadSearch lays settings, each of the form search.cpuct_init=0.5, over those
// that into holds. If one of them is wrong, the error is one line and into is
// unchanged.
func ReadSearch(settings []string, into *mcts.Config) error {
	section := struct {
		Search mcts.Config `yaml:"search"`
	}{*into}
	if err := set(settings, &section); err != nil {
		return err
	}
	*into = section.Search
	return nil
}
