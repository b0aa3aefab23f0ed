package evaluate

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"warren/internal/arena"
	"warren/internal/eval/device"
	"warren/net"
)

// entrants returns the players named by the flags and the networks of the runs.
func (f *flags) entrants() ([]*arena.Entrant, error) {
	var all []*arena.Entrant
	names, err := f.names()
	if err != nil {
		return nil, err
	}
	for _, text := range f.Players {
		e, err := names.Parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	for _, run := range f.Run {
		paths, err := checkpoints(run, f.Checkpoints)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			e, err := names.Parse(arena.NetworkName(path))
			if err != nil {
				return nil, err
			}
			all = append(all, e)
		}
	}
	if len(all) < 2 && !(f.Puzzles && len(all) == 1) {
		return nil, errors.New("name two players or more, such as: evaluate runs/quick/networks/gen-00040.safetensors random (-h has examples)")
	}
	return all, f.forNetworks(all)
}

// forNetworks returns an error for flags that would have no effect on these players.
func (f *flags) forNetworks(all []*arena.Entrant) error {
	if slices.ContainsFunc(all, func(e *arena.Entrant) bool { return e.Network != nil }) {
		return nil
	}
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"set", len(f.Set) > 0}, {"visits", f.Visits != usualVisits}, {"temperature", f.Temperature != usualTemperature},
		{"temperature-turns", f.TemperatureTurns != usualTemperatureTurns}, {"device", cmp.Or(f.Device, device.Auto) != device.Auto},
	} {
		if flag.given {
			return fmt.Errorf("--%s is for networks: it goes with a player that has one", flag.name)
		}
	}
	return nil
}

// checkpoints returns the paths of count networks of a run, spread evenly from the
// first trained one to the latest.
func checkpoints(run string, count int) ([]string, error) {
	all, err := net.Generations(run)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 && all[0] == 0 {
		all = all[1:] // it is not trained
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("--run %s: there are no networks in %s: name the directory of a run", run, filepath.Join(run, "networks"))
	}
	if count == 1 {
		all = all[len(all)-1:]
	}
	chosen := make([]string, min(count, len(all)))
	for i := range chosen {
		chosen[i] = net.GenerationFile(run, all[i*(len(all)-1)/max(len(chosen)-1, 1)])
	}
	return chosen, nil
}
