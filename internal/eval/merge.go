package eval

import (
	"cmp"
	"errors"
	"slices"
	"sync"
)

// Merge returns a back end whose streams share those of devices: of each device as many as
// it has batches in flight (Attributes.Depth). It is for devices that are fast only with
// large batches, such as graphics processors that serve all workers of self-play. It merges
// the batches of all streams into batches of a device's best size, and divides batches that
// are larger.
//
// A full batch is sent as soon as a stream of a device is free, so that it is ready when the
// device has finished the one before. A batch that is not full is sent only to a device that
// has nothing to do, so no stream waits for a batch to fill.
//
// All devices evaluate with the same network on the same path, so the results do not depend on
// which of them evaluates a position. Their streams are open only while a stream is. After an
// error that wraps ErrLost, the other devices evaluate what was sent to the lost one. Once all are
// lost, every stream fails with the last error.
func Merge(devices ...Backend) Backend {
	m := &merged{}
	for _, b := range devices {
		a := b.Attributes()
		d := &server{Backend: b, depth: max(a.Depth, 1), size: a.Best}
		if d.size <= 0 || a.Most > 0 && d.size > a.Most {
			d.size = a.Most
		}
		if d.size <= 0 {
			d.size = mostMerged
		}
		m.devices = append(m.devices, d)
	}
	return m
}

// mostMerged is the size of merged batches if the back end names none.
const mostMerged = 1 << 14

type merged struct {
	devices []*server

	mu      sync.Mutex
	open    int            // number of open streams; those of the devices are open if it is not 0
	pending []part         // positions that no device has
	waiting int            // number of these positions
	ended   sync.WaitGroup // the senders
	lost    error          // why no device is left, nil if there is one
}

// server is a device with its streams.
type server struct {
	Backend
	depth int // number of streams
	size  int // of a full batch

	// Guarded by merged.mu.
	senders []*sender
	free    []*sender // those without a batch
	busy    int       // number of batches in flight
	lost    bool
}

// sender is a goroutine that uses a stream of a device.
type sender struct {
	stream Stream
	work   chan []part // holds the next batch; closed with the stream
	parts  []part      // memory of a batch's parts
}

// request is a batch that a stream has submitted.
type request struct {
	batch *Batch
	left  int // positions without a result; guarded by merged.mu
	err   error
	done  chan struct{} // receives once left is 0
}

// part is some positions of a request.
type part struct {
	*request
	from, to int
}

// Attributes returns the attributes of the devices together, without their limit.
func (m *merged) Attributes() Attributes {
	all := m.devices[0].Attributes()
	for i, d := range m.devices[1:] {
		a := d.Attributes()
		if i == 0 {
			all.Usage = &Usage{devices: []*Usage{all.Usage}}
			if s := all.Saturation; s != nil {
				all.Saturation = &Saturation{Format: s.Format, Remedy: s.Remedy, devices: []*Saturation{s}}
			}
		}
		all.Usage.devices = append(all.Usage.devices, a.Usage)
		if all.Saturation != nil {
			all.Saturation.devices = append(all.Saturation.devices, a.Saturation)
		}
		all.Device += "+" + a.Device
		all.Best = max(all.Best, a.Best)
		all.Depth += a.Depth
	}
	all.Most = 0
	return all
}

// Open returns a new stream. The first one opens the streams of the devices.
func (m *merged) Open(int) (Stream, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open == 0 {
		if err := m.begin(); err != nil {
			return nil, errors.Join(err, m.end())
		}
	}
	if m.lost != nil {
		return nil, m.lost
	}
	m.open++
	return &mergedStream{hub: m}, nil
}

// begin opens the streams of the devices. It fails if no device is left. The caller holds the lock.
func (m *merged) begin() error {
	for _, d := range m.devices {
		for !d.lost && len(d.senders) < d.depth {
			stream, err := d.Open(d.size)
			if errors.Is(err, ErrLost) {
				m.lose(d, err)
				break
			}
			if err != nil {
				return err
			}
			s := &sender{stream: stream, work: make(chan []part, 1)}
			m.ended.Go(func() { m.send(d, s) })
			d.senders, d.free = append(d.senders, s), append(d.free, s)
		}
	}
	return m.lost
}

// end closes the streams of the devices, none of which has a batch. The caller holds the lock.
func (m *merged) end() error {
	for _, d := range m.devices {
		for _, s := range d.senders {
			close(s.work)
		}
	}
	m.ended.Wait()
	var errs []error
	for _, d := range m.devices {
		for _, s := range d.senders {
			errs = append(errs, s.stream.Close())
		}
		d.senders, d.free = nil, nil
	}
	return errors.Join(errs...)
}

// lose notes that a device is lost. The caller holds the lock.
func (m *merged) lose(d *server, err error) {
	d.lost, m.lost = true, err
	for _, d := range m.devices {
		if !d.lost {
			m.lost = nil
		}
	}
}

// dispatch gives pending positions to senders: a full batch, or all that there are if the device has
// nothing to do. The caller holds the lock.
func (m *merged) dispatch() {
	for m.waiting > 0 {
		d := m.next()
		if d == nil || m.waiting < d.size && d.busy > 0 {
			return
		}
		s := d.free[len(d.free)-1]
		d.free = d.free[:len(d.free)-1]
		d.busy++
		s.parts = m.take(s.parts[:0], d.size)
		s.work <- s.parts
	}
}

// next returns the device that has the least to do, nil if no stream is free. The caller holds the lock.
func (m *merged) next() (next *server) {
	for _, d := range m.devices {
		if !d.lost && len(d.free) > 0 && (next == nil || d.busy < next.busy) {
			next = d
		}
	}
	return next
}

// take moves pending positions to parts, at most room. The caller holds the lock.
func (m *merged) take(parts []part, room int) []part {
	for room > 0 && len(m.pending) > 0 {
		p := m.pending[0]
		if n := p.to - p.from; n > room {
			p.to = p.from + room
			m.pending[0].from = p.to
		} else {
			m.pending = m.pending[1:]
		}
		parts = append(parts, p)
		room -= p.to - p.from
		m.waiting -= p.to - p.from
	}
	return parts
}

// send passes positions to a stream of a device and returns their results, until the sender's channel
// is closed.
func (m *merged) send(d *server, s *sender) {
	var b Batch
	for parts := range s.work {
		b.Reset()
		for _, p := range parts {
			for i := p.from; i < p.to; i++ {
				b.Add(p.batch.Position(i), p.batch.Legal(i))
			}
		}
		err := Evaluate(s.stream, &b)
		if err == nil {
			at := 0
			for _, p := range parts {
				for i := p.from; i < p.to; i++ {
					p.batch.copyFrom(i, &b, at)
					at++
				}
			}
		}
		m.finish(d, s, parts, err)
	}
}

// finish records that the parts have their results, or the error. If the device is lost, another one
// evaluates the parts.
func (m *merged) finish(d *server, s *sender, parts []part, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d.busy--
	d.free = append(d.free, s)
	if errors.Is(err, ErrLost) {
		m.lose(d, err)
		m.pending = slices.Concat(parts, m.pending)
		for _, p := range parts {
			m.waiting += p.to - p.from
		}
		if parts = nil; m.lost != nil {
			parts, m.pending, m.waiting = m.pending, nil, 0
		}
	}
	for _, p := range parts {
		p.request.err = cmp.Or(err, p.request.err)
		if p.left -= p.to - p.from; p.left == 0 {
			p.done <- struct{}{}
		}
	}
	m.dispatch()
}

type mergedStream struct {
	hub    *merged
	mine   []*request // submitted
	spare  []*request // collected
	closed bool
}

func (s *mergedStream) Submit(b *Batch) error {
	// An invalid batch must not fail the batches of other streams.
	if err := b.Check(); err != nil {
		return err
	}
	r := &request{done: make(chan struct{}, 1)}
	if n := len(s.spare); n > 0 {
		r, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	r.batch, r.left, r.err = b, b.Len(), nil
	m := s.hub
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lost != nil {
		return m.lost
	}
	s.mine = append(s.mine, r)
	if r.left == 0 {
		r.done <- struct{}{}
		return nil
	}
	m.pending = append(m.pending, part{r, 0, r.left})
	m.waiting += r.left
	m.dispatch()
	return nil
}

func (s *mergedStream) Collect() (*Batch, error) {
	if len(s.mine) == 0 {
		return nil, ErrNothingSubmitted
	}
	r := s.mine[0]
	s.mine = s.mine[:copy(s.mine, s.mine[1:])]
	<-r.done
	s.spare = append(s.spare, r)
	b := r.batch
	r.batch = nil // so that it is not kept alive
	return b, r.err
}

// Close waits for the stream's requests. The last stream to be closed closes those of the devices.
func (s *mergedStream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	for len(s.mine) > 0 {
		s.Collect()
	}
	m := s.hub
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open--; m.open > 0 {
		return nil
	}
	return m.end()
}
