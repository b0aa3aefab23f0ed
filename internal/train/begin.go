package train

import (
	"fmt"
	"log/slog"

	"warren/data"
	"warren/internal/durable"
	"warren/internal/learn/device"
	"warren/internal/recipe"
	"warren/net"
	"warren/net/bundled"
)

// LoadFirst loads the network that a training run begins with, from a file or the bundled one. A network
// that is smaller than the settings ask for, or has fewer heads, grows: it plays as before, and has room
// to learn more. LoadFirst also returns the hash of the network as it was before.
func LoadFirst(path string, c recipe.Config) (n *net.Network, from string, err error) {
	if n, _, err = bundled.Checkpoint(path); err != nil {
		return nil, "", fmt.Errorf("--from: %w", err)
	}
	from = n.Hash()
	if n.Config == c.Network {
		return n, from, nil
	}
	grown, err := n.Grow(c.Network, c.Seed)
	if err != nil {
		what := "change the settings"
		if c.Loop.Stages != "" {
			what = "choose settings without loop.stages, whose first network is small, such as --config default with --set selfplay.visits.games=0 --set learner.rate.initial=0.0005"
		}
		return nil, "", fmt.Errorf("--from %s is a network %v, and the settings ask for %v: %w; %s, or leave out --from", path, n.Config, c.Network, err, what)
	}
	return grown, from, nil
}

// Begin makes a network the first of a new run: self-play begins with it as generation 1, and the
// learner with its weights and a fresh optimiser. If the run has begun already, Begin only logs whether that was with
// another network.
func (d *Dir) Begin(c recipe.Config, path string, log *slog.Logger) error {
	begun := d.hasBegun()
	if !begun {
		saved, err := d.checkpoints()
		if err != nil {
			return err
		}
		begun = len(saved) > 0 // it was stopped before it saved its settings
	}
	if begun {
		n, _, err := LoadFirst(path, c)
		first, _, lost := net.Load(d.Network(0))
		if err != nil || lost == nil && n.Hash() != first.Hash() {
			log.Warn("the run has begun already, so --from has no effect; to begin with that network, choose another --run", "from", path, "run", d.path)
		}
		return nil
	}
	if err := d.unused(); err != nil {
		return err
	}
	if err := c.Validate(); err != nil {
		return err
	}
	n, from, err := LoadFirst(path, c)
	if err != nil {
		return err
	}
	learner, err := newLearner(&c, n, device.Choose(c.Learner.Device, log))
	if err != nil {
		return err
	}
	defer learner.Close()
	tensors, err := learner.State()
	if err != nil {
		return err
	}
	// Games that are there already, such as those of a run that has lost its checkpoints, fill the window, and count
	// as collected.
	games, err := data.Scan(d.games(), log)
	if err != nil {
		return fmt.Errorf("beginning the run: %w", err)
	}
	// These games bear the name of their run, which is not this one's.
	if name, err := d.readName(); err != nil {
		return err
	} else if name == "" {
		if err := d.writeName(); err != nil {
			return fmt.Errorf("beginning the run: %w", err)
		}
	}
	// Matches against the run's first network look for generation 0.
	if err := net.Save(d.Network(0), n, map[string]string{"run": d.name, "generation": "0", "from": from}); err != nil {
		return fmt.Errorf("beginning the run: %w", err)
	}
	return d.saveCheckpoint(state{
		Generation: 1, Start: 1, Games: games.Games, Positions: games.Positions, Saved: games.Totals(),
	}, tensors)
}

// unused returns an error if there are matches in the directory, such as copies of another run's: the new run would take
// them for its own. [OpenDir] looks for networks.
func (d *Dir) unused() error {
	matches, err := durable.List(d.matches(), "gen-*.json")
	if err != nil {
		return fmt.Errorf("looking for matches: %w", err)
	}
	if len(matches) > 0 {
		return fmt.Errorf("--from begins a new run, and there are matches in %s already: leave out its matches/, or choose another --run", d.path)
	}
	return nil
}
