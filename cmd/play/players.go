package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"warren/match"
	"warren/mcts"
	"warren/net"
	"warren/session"
)

// names reads the names of players. A network varies only its setup by chance.
func (f *flags) names() *match.Names {
	return &match.Names{
		Network:  openNetwork,
		Searcher: match.Searcher{Search: mcts.DefaultConfig(), Visits: f.Visits, Temperature: 1},
	}
}

// openNetwork opens a network's file for playing and for advice.
func openNetwork(path string) (*match.Checkpoint, error) {
	n, _, err := net.Load(path)
	if err != nil {
		return nil, err
	}
	return &match.Checkpoint{
		Label: strings.TrimSuffix(filepath.Base(path), ".safetensors"), Hash: n.Hash(),
		NewEvaluator: func(batch int) (match.Evaluator, error) { return net.NewEvaluator(n, batch), nil },
	}, nil
}

// adviser returns the network to ask for hints and evaluations: that of
// --adviser, else the opponent's. It is nil if there is neither.
func (f *flags) adviser(opponent *match.Entrant) (*session.Adviser, error) {
	network := opponent.Checkpoint
	if f.Adviser != "" {
		var err error
		if network, err = openNetwork(f.Adviser); err != nil {
			return nil, err
		}
	}
	if network == nil {
		return nil, nil
	}
	evaluator, err := network.NewEvaluator(1)
	if err != nil {
		return nil, fmt.Errorf("asking %s for advice: %w", network.Label, err)
	}
	return &session.Adviser{Evaluator: evaluator, Search: mcts.DefaultConfig(), Visits: f.Visits}, nil
}
