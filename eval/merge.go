package eval

import (
	"errors"
	"sync"
)

// Merge returns a back end whose streams share one stream of b. Batches that are
// submitted while the device is busy are merged into one. It is for devices that
// are fast only with large batches, such as a graphics processor that serves all
// workers of self-play. A batch is sent as soon as the device can take one, so no
// stream waits for a batch to fill.
//
// The stream of b is open only while a stream is. After an error that wraps
// ErrLost, every stream fails with it.
func Merge(b Backend) Backend {
	m := &merged{Backend: b}
	m.changed = sync.NewCond(&m.mu)
	return m
}

type merged struct {
	Backend

	changed *sync.Cond // signals changes of the fields below
	mu      sync.Mutex
	open    int           // number of open streams
	inner   Stream        // nil while no stream is open
	done    chan struct{} // closed when the sender of inner has ended
	pending []*request    // submitted and not yet sent
	lost    error
}

// request is a batch that a stream has submitted.
type request struct {
	batch *Batch
	err   error
	ready bool // whether the results are in the batch, or err is set
}

// mostMerged limits a merged batch if the back end has no limit.
const mostMerged = 1 << 14

// Open returns a new stream. The first one opens the stream of the back end.
func (m *merged) Open(batch int) (Stream, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lost != nil {
		return nil, m.lost
	}
	if m.inner == nil {
		inner, err := m.Backend.Open(m.most())
		if err != nil {
			return nil, err
		}
		m.inner, m.done = inner, make(chan struct{})
		go m.send(inner, m.done)
	}
	m.open++
	return &mergedStream{hub: m}, nil
}

// most returns the size of the largest merged batch.
func (m *merged) most() int {
	if most := m.Backend.Attributes().Most; most > 0 {
		return most
	}
	return mostMerged
}

// send passes requests to inner and returns their results, until no stream is open.
// No other goroutine uses inner meanwhile.
func (m *merged) send(inner Stream, done chan struct{}) {
	defer close(done)
	depth := max(m.Backend.Attributes().Depth, 1)
	var under [][]*request // requests of the batches in flight, oldest first
	batches := make([]Batch, depth)
	next := 0
	for {
		m.mu.Lock()
		for len(m.pending) == 0 && len(under) == 0 && m.done == done {
			m.changed.Wait()
		}
		if m.done != done {
			m.mu.Unlock()
			return
		}
		var parts []*request
		if len(under) < depth {
			parts = m.take()
		}
		m.mu.Unlock()

		if len(parts) > 0 {
			b := &batches[next]
			next = (next + 1) % depth
			b.Reset()
			for _, r := range parts {
				for i := range r.batch.Len() {
					b.Add(r.batch.Position(i), r.batch.Legal(i))
				}
			}
			if err := inner.Submit(b); err != nil {
				m.finish(parts, nil, err)
				continue
			}
			under = append(under, parts)
			continue
		}
		b, err := inner.Collect()
		m.finish(under[0], b, err)
		under = under[1:]
	}
}

// take removes as many pending requests as fit into one batch, at least one if
// there are any. The caller holds the lock.
func (m *merged) take() []*request {
	n, size := 0, 0
	for n < len(m.pending) && (n == 0 || size+m.pending[n].batch.Len() <= m.most()) {
		size += m.pending[n].batch.Len()
		n++
	}
	parts := m.pending[:n:n]
	m.pending = m.pending[n:]
	return parts
}

// finish passes the results to the requests.
func (m *merged) finish(parts []*request, b *Batch, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := 0
	for _, r := range parts {
		r.ready, r.err = true, err
		if err != nil {
			continue
		}
		for i := range r.batch.Len() {
			r.batch.copyFrom(i, b, at)
			at++
		}
	}
	if errors.Is(err, ErrLost) {
		m.lost = err
		for _, r := range m.pending {
			r.ready, r.err = true, err
		}
		m.pending = nil
	}
	m.changed.Broadcast()
}

type mergedStream struct {
	hub    *merged
	mine   []*request
	closed bool
}

func (s *mergedStream) Submit(b *Batch) error {
	// An invalid batch must not fail the batches of other streams.
	if err := b.Check(); err != nil {
		return err
	}
	m := s.hub
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lost != nil {
		return m.lost
	}
	r := &request{batch: b, ready: b.Len() == 0}
	s.mine = append(s.mine, r)
	if !r.ready {
		m.pending = append(m.pending, r)
		m.changed.Broadcast()
	}
	return nil
}

func (s *mergedStream) Collect() (*Batch, error) {
	if len(s.mine) == 0 {
		return nil, ErrNothingSubmitted
	}
	r := s.mine[0]
	s.mine = s.mine[1:]
	m := s.hub
	m.mu.Lock()
	defer m.mu.Unlock()
	for !r.ready {
		m.changed.Wait()
	}
	return r.batch, r.err
}

// Close waits for the stream's requests. The last stream to be closed closes the
// stream of the back end.
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
	m.open--
	inner, done := m.inner, m.done
	if m.open > 0 {
		m.mu.Unlock()
		return nil
	}
	m.inner, m.done = nil, nil
	m.changed.Broadcast()
	m.mu.Unlock()
	<-done
	return inner.Close()
}
