// Package device makes the trainer that the settings of a run name.
package device

import (
	"errors"
	"fmt"

	"warren/eval/device"
	"warren/learn"
	"warren/learn/gpu"
	"warren/learn/graph"
	"warren/net"
)

// New returns a trainer of a network on the device that c.Device names. The error says why the
// device cannot be used; one that computes other gradients than the processor is refused.
func New(n *net.Network, c learn.Config) (learn.Trainer, error) {
	if c.Device == learn.Processor {
		return graph.New(n, c)
	}
	d, err := device.Processor(c.Device)
	if err != nil {
		return nil, fmt.Errorf("learner.device must be cpu or a graphics processor: %w", err)
	}
	t, err := gpu.New(d, n, c)
	if err != nil {
		return nil, err
	}
	if err := check(d, n); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}
