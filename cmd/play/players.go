package main

import (
	"fmt"

	"warren/eval/device"
	"warren/match"
	"warren/session"
)

// names reads the names of players. A network chooses only its setup at random.
func (f *flags) names() (*match.Names, error) {
	n := &match.Names{Network: device.Load, Device: f.Device, Search: match.DefaultSearch()}
	n.Search.Visits, n.Search.Temperature = f.Visits, 1
	if err := match.ReadSearch(f.Set, &n.Search); err != nil {
		return nil, fmt.Errorf("--set: %w", err)
	}
	return n, nil
}

// adviser returns who gives hints and evaluations: the network that the flag
// names, or else the opponent's; nil if there is none. It searches with the
// settings that the flags give networks.
func (f *flags) adviser(opponent *match.Entrant) (*session.Adviser, error) {
	names, err := f.names()
	if err != nil {
		return nil, err
	}
	network := opponent.Network
	if f.Adviser != "" {
		if network, err = device.Load(f.Adviser, f.Device); err != nil {
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
	return &session.Adviser{Stream: stream, Search: names.Search.Search, Visits: f.Visits}, nil
}
