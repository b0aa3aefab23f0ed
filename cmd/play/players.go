package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"warren/match"
	"warren/mcts"
	"warren/net"
)

// names reads the names of players. A network chooses only its setup at random.
func (f *flags) names() (*match.Names, error) {
	n := &match.Names{
		Network: openNetwork,
		Search:  match.SearchSettings{Search: mcts.DefaultConfig(), Visits: f.Visits, Temperature: 1},
	}
	if err := match.ReadSearch(f.Set, &n.Search.Search); err != nil {
		return nil, fmt.Errorf("--set: %w", err)
	}
	return n, nil
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

// adviser returns who gives hints and evaluations: the network that the flag
// names, or else the opponent's; nil if there is none. It searches with the
// settings that the flags give networks.
func (f *flags) adviser(opponent *match.Entrant) (*adviser, error) {
	names, err := f.names()
	if err != nil {
		return nil, err
	}
	network := opponent.Checkpoint
	if f.Adviser != "" {
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
	return &adviser{evaluator: evaluator, config: names.Search.Search, visits: f.Visits}, nil
}
