package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"warren/match"
	"warren/mcts"
	"warren/net"
)

// names reads the names of players. Only a network's setup is varied by chance.
func (f *flags) names() *match.Names {
	return &match.Names{
		Network:  openNetwork,
		Searcher: match.Searcher{Search: mcts.DefaultConfig(), Visits: f.Visits, Temperature: 1},
	}
}

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

// adviser is whom hints and evaluations are asked of: the network of that path,
// or else the opponent's; nil if there is none.
func (f *flags) adviser(opponent *match.Entrant) (*adviser, error) {
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
	return &adviser{evaluator: evaluator, visits: f.Visits}, nil
}
