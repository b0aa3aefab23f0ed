// Package device makes the trainer that the settings of a run name.
package device

import (
	"errors"
	"fmt"
	"log/slog"

	"warren/internal/compute"
	"warren/internal/eval/device"
	"warren/internal/learn"
	"warren/internal/learn/gpu"
	"warren/internal/learn/graph"
	"warren/net"
)

// New returns a trainer of a network on the first device of the list c.Device that can be used. A
// device whose gradients or steps differ from the processor's is refused. If no device can be used,
// the error says why.
func New(n *net.Network, c learn.Config) (learn.Trainer, error) {
	return Choose(c.Device, slog.New(slog.DiscardHandler)).New(n, c)
}

// Choice makes trainers on the first device of a list. When that device is lost, it continues with
// the next one.
type Choice struct {
	log   *slog.Logger
	names []string // those that are not lost
}

// Choose returns a choice from a list of devices, in order of preference. When the choice leaves a
// device, it logs a line that says why.
func Choose(names string, log *slog.Logger) *Choice {
	return &Choice{log, device.List(names)}
}

// New returns a trainer of a network on the device that is in use.
func (c *Choice) New(n *net.Network, config learn.Config) (learn.Trainer, error) {
	for {
		t, err := c.on(c.names[0], n, config)
		if err == nil || len(c.names) == 1 {
			return t, err
		}
		c.leave(err)
	}
}

// Lost leaves a device whose trainer returned learn.ErrLost. It returns an error if there is
// no other.
func (c *Choice) Lost(err error) error {
	if len(c.names) == 1 {
		return fmt.Errorf("%w; with learner.device=%s,%s the processor replaces a lost device", err, c.names[0], learn.Processor)
	}
	c.leave(err)
	return nil
}

// leave goes over to the next device.
func (c *Choice) leave(err error) {
	c.log.Warn(fmt.Sprintf("%s cannot be used for learning: it continues on %s", c.names[0], c.names[1]), "error", err)
	c.names = c.names[1:]
}

// on returns a trainer on a device.
func (c *Choice) on(name string, n *net.Network, config learn.Config) (learn.Trainer, error) {
	if name == learn.Processor {
		return graph.New(n, config)
	}
	d, precision, err := device.Processor(name)
	if err != nil {
		return nil, fmt.Errorf("learner.device must be cpu or a graphics processor: %w", err)
	}
	t, err := c.open(d, n, config, gpu.Precision(precision))
	if err != nil {
		return nil, err
	}
	c.log.Info("learning on a graphics processor", "device", name, "path", t.Path())
	return t, nil
}

// open returns a trainer on a graphics processor. If the kernels for its compute capability alone fail where those
// for all do not, it uses these.
func (c *Choice) open(d compute.Device, n *net.Network, config learn.Config, p gpu.Precision) (*gpu.Trainer, error) {
	t, err := checked(d, n, config, p)
	if err == nil || d.Info().Compute != 90 || p != gpu.BF16 {
		return t, err
	}
	t, other := checked(older{d}, n, config, p)
	if other != nil {
		return nil, err // the device has a fault, not the kernels
	}
	c.log.Warn("learning does not use the kernels for this device, which is slower", "device", d.Info().Name, "error", err)
	return t, nil
}

// older is a device that has only what compute capability 8.0 has.
type older struct{ compute.Device }

func (o older) Info() compute.Info {
	i := o.Device.Info()
	i.Compute = 80
	return i
}

// checked returns a trainer on a device that computes like the processor.
func checked(d compute.Device, n *net.Network, c learn.Config, p gpu.Precision) (*gpu.Trainer, error) {
	t, err := gpu.New(d, n, c, p)
	if err != nil {
		return nil, err
	}
	if err := check(d, n, c, p); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}
