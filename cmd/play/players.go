package main

import (
	"fmt"

	"warren/eval"
	"warren/eval/device"
	"warren/match"
	"warren/mcts"
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
func openNetwork(path string) (*eval.Network, error) { return device.Load(path, device.Auto) }

// adviser returns the network to ask for hints and evaluations: that of
// --adviser, else the opponent's. It is nil if there is neither.
func (f *flags) adviser(opponent *match.Entrant) (*session.Adviser, error) {
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
	return &session.Adviser{Stream: stream, Search: mcts.DefaultConfig(), Visits: f.Visits}, nil
}
