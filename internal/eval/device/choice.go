package device

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"warren/internal/eval"
	"warren/net"
)

// List returns the entries of a list such as "opencl:0, cpu".
func List(names string) []string {
	all := strings.Split(cmp.Or(names, Auto), ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// Open returns a back end for a network on the first entry of a list that can be used. The
// list has entries separated by commas: the name of a device, or of several that are used
// together, joined by "+". Later changes to n.Params have no effect. The error
// says why none can be used, or suggests the nearest name if there is no such device.
func Open(n *net.Network, names string) (eval.Backend, error) { return first(n, names, warn) }

// first is Open with a report for the devices of pools.
func first(n *net.Network, names string, lost report) (eval.Backend, error) {
	var errs []string
	all := List(names)
	for _, name := range all {
		b, err := pool(n, name, lost)
		if err == nil {
			return b, nil
		}
		if len(all) == 1 || errors.As(err, new(*unknownError)) {
			return nil, err
		}
		errs = append(errs, err.Error())
	}
	return nil, errors.New(strings.Join(errs, "; "))
}

// Check returns an error if a name in a list is not that of a device, or if none of the devices can
// be used. It needs no network. Its errors are those of Open.
func Check(names string) error {
	// 64 channels are the fewest for int8, and a device warns only once that a network cannot have it.
	small := net.Config{Blocks: 1, Channels: 64, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 1}
	n, err := net.New(small, 0)
	if err != nil {
		return err
	}
	return check(names, func(name string) error {
		_, err := pool(n, name, warn)
		return err
	})
}

// CheckLearner is like Check, but for devices that train networks: the processor, "cpu", and graphics
// processors.
func CheckLearner(names string) error {
	return check(names, func(name string) error {
		if name == "cpu" {
			return nil
		}
		_, _, err := Processor(name)
		return err
	})
}

// check tries every device of a list. It returns an error if there is no such device, or if
// none can be used.
func check(names string, try func(name string) error) error {
	var errs []string
	usable := false
	for _, name := range List(names) {
		err := try(name)
		if errors.As(err, new(*unknownError)) {
			return err
		}
		if err != nil {
			errs = append(errs, err.Error())
		}
		usable = usable || err == nil
	}
	if usable {
		return nil
	}
	return errors.New(strings.Join(errs, "; "))
}

// Choice opens networks on the first entry of a list of devices. When a device of several that are used
// together is lost, it continues with the others, and otherwise with the next entry. It is safe for
// concurrent use.
type Choice struct {
	log *slog.Logger

	mu    sync.Mutex
	names []string                        // those that are not lost
	on    eval.Attributes                 // of the newest network
	moved map[*eval.Network]*eval.Network // the networks of lost devices, on others
}

// Choose returns a choice from a list of devices, in order of preference. When the choice leaves a
// device, it logs a line that says why.
func Choose(names string, log *slog.Logger) *Choice {
	return &Choice{log: log, names: List(names), moved: map[*eval.Network]*eval.Network{}}
}

// Play opens a network that is already in memory.
func (c *Choice) Play(n *net.Network, origin eval.Origin) (*eval.Network, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open(func(name string) (*eval.Network, error) { return play(n, origin, name, c.miss) })
}

// Load opens the network in a file.
func (c *Choice) Load(path string) (*eval.Network, error) {
	n, origin, err := Read(path)
	if err != nil {
		return nil, err
	}
	return c.Play(n, origin)
}

// Lost returns the network n on another device, after its own device has been lost. If there is no
// other device, the error says what to do. Lost may be called several times for the same network.
// It can be used as selfplay.Job.Lost.
func (c *Choice) Lost(n *eval.Network, err error) (*eval.Network, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if instead := c.moved[n]; instead != nil {
		return instead, nil
	}
	// Other attributes, such as the best batch, depend on the network too.
	if a := n.Attributes(); a.Device == c.on.Device && a.Path == c.on.Path {
		if err := c.leave(err); err != nil {
			return nil, err
		}
	}
	if n.Reopen == nil {
		return nil, err
	}
	instead, err := c.open(n.Reopen)
	if err != nil {
		return nil, err
	}
	c.moved[n] = instead
	return instead, nil
}

// open opens a network on the first device on which that works. The caller holds the lock.
func (c *Choice) open(on func(name string) (*eval.Network, error)) (*eval.Network, error) {
	for {
		n, err := on(c.names[0])
		if err == nil {
			c.on = n.Attributes()
			return n, nil
		}
		if member, ok := errors.AsType[*memberError](err); ok && c.drop(member.name, err) {
			continue
		}
		if len(c.names) == 1 {
			return nil, err
		}
		if err := c.leave(err); err != nil {
			return nil, err
		}
	}
}

// leave goes over to the next device. The caller holds the lock.
func (c *Choice) leave(err error) error {
	name := c.names[0]
	if len(c.names) == 1 {
		return fmt.Errorf("%w; with the device %q the processor replaces a lost device", err, name+",cpu")
	}
	c.warn(name, c.names[1], err)
	c.names = c.names[1:]
	return nil
}

// drop leaves a device of several that are used together. It reports false if there are no others. The
// caller holds the lock.
func (c *Choice) drop(name string, err error) bool {
	rest := without(c.names[0], name)
	if rest == c.names[0] || rest == "" {
		return false
	}
	c.warn(name, rest, err)
	c.names[0] = rest
	return true
}

// miss is called when a device of several is lost while it evaluates. Those networks continue on the
// others, and the next are opened without it.
func (c *Choice) miss(name string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(name, err)
}

func (c *Choice) warn(name, rest string, err error) {
	c.log.Warn(fmt.Sprintf("%s cannot be used any more: networks are evaluated on %s from now on", name, rest), "error", err)
}
