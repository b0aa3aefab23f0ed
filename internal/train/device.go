package train

import (
	"errors"
	"fmt"
	"log/slog"

	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/internal/learn"
	"warren/internal/recipe"
	"warren/net"
)

// devices opens the networks of a run, and opens them again on another device when theirs is lost.
// It is a [device.Choice].
type devices interface {
	Play(n *net.Network, origin eval.Origin) (*eval.Network, error)
	Lost(n *eval.Network, err error) (*eval.Network, error)
}

// settleDevice replaces "auto" in the settings by the name of a device. It is the one that the
// run used before, if this machine has it, so that a run does not change its path. A new
// run takes the fastest, and a synchronous one the processor, which every machine has.
func settleDevice(c, before *recipe.Config, log *slog.Logger) {
	choose := func() string {
		if c.Loop.Mode == recipe.Sync {
			return "cpu"
		}
		return device.Fastest(c.Network)
	}
	if c.Device != device.Auto {
		return
	}
	if before == nil {
		c.Device = choose()
		return
	}
	if c.Device = before.Device; c.Device == device.Auto {
		c.Device = "cpu" // what auto meant to earlier versions
	}
	if err := device.Check(c.Device); err != nil {
		c.Device = choose()
		log.Warn(fmt.Sprintf("the run was evaluated on %s, which cannot be used here: it continues on %s", before.Device, c.Device), "error", err)
	}
}

// lost returns a network on another device after its own has been lost. New games play
// there too.
func (r *Run) lost(n *eval.Network, err error) (*eval.Network, error) {
	instead, err := r.devices.Lost(n, err)
	if err != nil {
		return nil, fmt.Errorf("%w; finished games are saved, and the same command goes on", err)
	}
	r.current.CompareAndSwap(n, instead)
	return instead, nil
}

// withDevice calls f, and again after each loss of the device if there is another one.
func (r *Run) withDevice(f func() error) error {
	for {
		n := r.Latest()
		err := f()
		if !errors.Is(err, eval.ErrLost) {
			return err
		}
		if _, err := r.lost(n, err); err != nil {
			return err
		}
	}
}

// withLearner calls f, and again after each loss of the learner's device if there is another one.
func (r *Run) withLearner(f func() error) error {
	for {
		err := f()
		if !errors.Is(err, learn.ErrLost) {
			return err
		}
		if err := r.moveLearner(err); err != nil {
			return err
		}
	}
}
