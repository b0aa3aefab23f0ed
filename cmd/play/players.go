package main

import (
	"fmt"

	"warren/eval"
	"warren/eval/device"
	"warren/match"
	"warren/mcts"
)

// names reads the names of players. Only a network's setup is varied by chance.
func (f *flags) names() *match.Names {
	return &match.Names{
		Network:  openNetwork,
		Searcher: match.Searcher{Search: mcts.DefaultConfig(), Visits: f.Visits, Temperature: 1},
	}
}

func openNetwork(path string) (*eval.Network, error) { return device.Load(path, device.Auto) }

// adviser is whom hints and evaluations are asked of: the network of that path,
// or else the opponent's; nil if there is none.
func (f *flags) adviser(opponent *match.Entrant) (*adviser, error) {
	network := opponent.Network
	if f.Adviser != "" {
		var err error
		if network, err = openNetwork(f.Adviser); err != nil {
			return nil, err
		}
	}
	if network == nil {
		return nil, nil
	}
	stream, err := network.Open(1)
	if err != nil {
		return nil, fmt.Errorf("asking %s for advice: %w", network.Origin.Path, err)
	}
	return &adviser{stream: stream, visits: f.Visits}, nil
}
