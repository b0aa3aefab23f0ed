// Package evaltest provides a device for tests: a back end that computes by itself, like a graphics
// processor, and fails when a test tells it to. It also has batches of positions.
package evaltest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"

	"warren/internal/eval"
	"warren/internal/nettest"
)

// Device computes batches with another back end, each in a goroutine of its own, so they may finish
// in any order. Its streams return them in the order of submission.
type Device struct {
	eval.Backend // computes
	Name         string
	Path         string // of its attributes; empty means Name
	Best, Most   int    // of its attributes
	Depth        int
	// Fault, unless nil, is called with the number of each batch, from 1, before it is computed,
	// and may fail it. It may be called concurrently.
	Fault func(batch int) error
	// Wrong, unless nil, reports whether the results of the batch with that number should be wrong.
	Wrong func(batch int) bool
	// Usage, unless nil, is shared with other networks on the device.
	Usage *eval.Usage
	// Full, unless nil, is the error of Open.
	Full error

	own    eval.Usage
	mu     sync.Mutex
	sizes  []int
	flying int
	most   int
	open   int
}

// Attributes returns those of the back end that computes, with those of the device.
func (d *Device) Attributes() eval.Attributes {
	a := d.Backend.Attributes()
	a.Usage = d.usage()
	a.Device, a.Path, a.Best, a.Most, a.Depth = d.Name, cmp.Or(d.Path, d.Name), d.Best, d.Most, d.Depth
	return a
}

func (d *Device) usage() *eval.Usage {
	if d.Usage != nil {
		return d.Usage
	}
	return &d.own
}

// Sizes returns the sizes of the batches so far, in order of submission.
func (d *Device) Sizes() []int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sizes
}

// MostInFlight returns the highest number of batches that were in flight at once.
func (d *Device) MostInFlight() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.most
}

// Streams returns the number of open streams.
func (d *Device) Streams() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}

// Open returns a stream.
func (d *Device) Open(batch int) (eval.Stream, error) {
	if d.Full != nil {
		return nil, d.Full
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open++
	return &stream{device: d, size: batch}, nil
}

type stream struct {
	device *Device
	size   int
	flying []*flight
}

// flight is a batch that is computed.
type flight struct {
	batch *eval.Batch
	done  chan error
}

func (s *stream) Submit(b *eval.Batch) error {
	d := s.device
	if d.Most > 0 && b.Len() > d.Most || b.Len() > s.size {
		return fmt.Errorf("a batch of %d positions, for a device that takes %d and a stream opened for %d", b.Len(), d.Most, s.size)
	}
	d.mu.Lock()
	d.sizes = append(d.sizes, b.Len())
	number := len(d.sizes)
	d.flying++
	d.most = max(d.most, d.flying)
	d.mu.Unlock()
	d.usage().Begin()
	f := &flight{b, make(chan error, 1)}
	s.flying = append(s.flying, f)
	go func() {
		for range rand.IntN(20) {
			runtime.Gosched()
		}
		err := d.compute(b, number)
		d.usage().End()
		d.mu.Lock()
		d.flying--
		d.mu.Unlock()
		f.done <- err
	}()
	return nil
}

func (d *Device) compute(b *eval.Batch, number int) error {
	if d.Fault != nil {
		if err := d.Fault(number); err != nil {
			return err
		}
	}
	inner, err := d.Backend.Open(b.Len())
	if err != nil {
		return err
	}
	defer inner.Close()
	if err := eval.Evaluate(inner, b); err != nil {
		return err
	}
	if d.Wrong != nil && d.Wrong(number) {
		for i := range b.Len() {
			b.SetValue(i, b.Value(i)-0.4)
		}
	}
	return nil
}

func (s *stream) Collect() (*eval.Batch, error) {
	if len(s.flying) == 0 {
		return nil, eval.ErrNothingSubmitted
	}
	f := s.flying[0]
	s.flying = s.flying[1:]
	return f.batch, <-f.done
}

func (s *stream) Close() error {
	for len(s.flying) > 0 {
		s.Collect()
	}
	s.device.mu.Lock()
	defer s.device.mu.Unlock()
	s.device.open--
	return nil
}

// Random returns a batch of n unfinished random positions.
func Random(n int) *eval.Batch {
	b := new(eval.Batch)
	for seed := uint64(0); b.Len() < n; seed++ {
		g := nettest.Played(seed, int(seed*37%190))
		if legal := g.Legal(nil); len(legal) > 0 {
			b.Add(g, legal)
		}
	}
	return b
}
