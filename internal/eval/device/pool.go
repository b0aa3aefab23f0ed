package device

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/net"
)

// members returns the names that a name such as "cuda:0+cuda:1" joins: the devices of a pool, or
// one device.
func members(name string) []string {
	all := strings.Split(name, "+")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// without returns the name of a pool without one of its devices.
func without(pool, device string) string {
	return strings.Join(slices.DeleteFunc(members(pool), func(m string) bool { return m == device }), "+")
}

// memberError is the error of a device of a pool.
type memberError struct {
	name string
	error
}

func (e *memberError) Unwrap() error { return e.error }

// report is called when the device with a name is lost while it evaluates.
type report func(name string, err error)

// warn reports to the program's log, for a network whose devices nobody chooses.
func warn(name string, err error) {
	slog.Warn(fmt.Sprintf("%s is lost", name), "error", err)
}

// pool opens a network on the device with a name, or on all devices that the name joins, in a form that
// many streams can share. If a device computes by itself, the batches of the streams are merged, and its
// results are checked. All devices of a pool must compute by themselves, and on one path, so that it
// does not matter which of them evaluates a position.
func pool(n *net.Network, name string, lost report) (eval.Backend, error) {
	names := members(name)
	var all []eval.Backend
	var reference eval.Backend // which all are checked against
	for i, member := range names {
		b, err := open(n, member)
		if err != nil && len(names) > 1 {
			err = &memberError{member, err}
		}
		if err != nil {
			return nil, err
		}
		switch a := b.Attributes(); {
		case a.Depth <= 1 && len(names) == 1:
			return b, nil
		case a.Depth <= 1:
			return nil, fmt.Errorf("the devices %q: %s cannot be one of several, which graphics processors can", name, member)
		case slices.ContainsFunc(all, func(b eval.Backend) bool { return b.Attributes().Device == a.Device }):
			return nil, fmt.Errorf("the devices %q: %s is there twice", name, a.Device)
		case i > 0 && a.Path != all[0].Attributes().Path:
			return nil, &memberError{member, fmt.Errorf("the devices %q: %s computes on the path %s and %s on %s, which differ by rounding; only devices of one path can share games",
				name, names[0], all[0].Attributes().Path, member, a.Path)}
		}
		if reference == nil {
			if reference, err = cpu.New(n); err != nil {
				return nil, err
			}
		}
		b = eval.Checked(b, reference)
		if len(names) > 1 {
			b = &watched{Backend: b, lost: func(err error) { lost(member, err) }}
		}
		all = append(all, b)
	}
	return eval.Merge(all...), nil
}

// watched is a device of a pool, of which nobody else notices that it is lost.
type watched struct {
	eval.Backend
	once sync.Once
	lost func(error)
}

// look returns the error, and reports the first that says that the device is lost.
func (w *watched) look(err error) error {
	if errors.Is(err, eval.ErrLost) {
		w.once.Do(func() { w.lost(err) })
	}
	return err
}

func (w *watched) Open(batch int) (eval.Stream, error) {
	s, err := w.Backend.Open(batch)
	return watchedStream{s, w}, w.look(err)
}

type watchedStream struct {
	eval.Stream
	device *watched
}

func (s watchedStream) Submit(b *eval.Batch) error { return s.device.look(s.Stream.Submit(b)) }

func (s watchedStream) Collect() (*eval.Batch, error) {
	b, err := s.Stream.Collect()
	return b, s.device.look(err)
}
