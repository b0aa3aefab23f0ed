package eval

import (
	"errors"
	"sync"
)

// Merge returns a back end whose streams share those of b, as many as b has batches in
// flight (Attributes.Depth). It is for devices that are fast only with large batches, such
// as a graphics processor that serves all workers of self-play. It merges the batches of
// all streams into batches of b's best size, and divides batches that are larger.
//
// A full batch is sent as soon as a stream of b is free, so that it is ready when the
// device has finished the one before. A batch that is not full is sent only when the device
// has nothing to do, so no stream waits for a batch to fill.
//
// The streams of b are open only while a stream is. After an error that wraps ErrLost,
// every stream fails with it.
func Merge(b Backend) Backend {
	a := b.Attributes()
	m := &merged{Backend: b, depth: max(a.Depth, 1), size: a.Best}
	if m.size <= 0 || a.Most > 0 && m.size > a.Most {
		m.size = a.Most
	}
	if m.size <= 0 {
		m.size = mostMerged
	}
	m.work, m.back = sync.NewCond(&m.mu), sync.NewCond(&m.mu)
	return m
}

// mostMerged is the size of merged batches if the back end names none.
const mostMerged = 1 << 14

type merged struct {
	Backend
	depth int // number of streams of the back end
	size  int // of a full batch

	mu         sync.Mutex
	work, back *sync.Cond // signal changes to senders, and to those who wait for results
	open       int        // number of open streams
	inner      *senders   // nil while no stream is open
	pending    []*request // not yet sent, or only in part
	waiting    int        // positions in pending that have not been sent
	lost       error
}

// senders are the goroutines that use the streams of the back end, one each.
type senders struct {
	streams []Stream
	busy    int  // number of batches in flight; guarded by merged.mu
	closing bool // guarded by merged.mu
	ended   sync.WaitGroup
}

// request is a batch that a stream has submitted.
type request struct {
	batch *Batch
	sent  int // positions that are no longer pending
	left  int // positions without a result
	err   error
}

// part is some positions of a request.
type part struct {
	*request
	from, to int
}

// Attributes returns the attributes of the back end, without its limit.
func (m *merged) Attributes() Attributes {
	a := m.Backend.Attributes()
	a.Most = 0
	return a
}

// Open returns a new stream. The first one opens the streams of the back end.
func (m *merged) Open(int) (Stream, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lost != nil {
		return nil, m.lost
	}
	if m.inner == nil {
		if err := m.begin(); err != nil {
			return nil, err
		}
	}
	m.open++
	return &mergedStream{hub: m}, nil
}

// begin opens the streams of the back end. The caller holds the lock.
func (m *merged) begin() error {
	in := new(senders)
	for range m.depth {
		s, err := m.Backend.Open(m.size)
		if err != nil {
			return errors.Join(err, in.close())
		}
		in.streams = append(in.streams, s)
	}
	for _, s := range in.streams {
		in.ended.Go(func() { m.send(in, s) })
	}
	m.inner = in
	return nil
}

// close closes the streams, after the senders have ended.
func (in *senders) close() error {
	in.ended.Wait()
	var errs []error
	for _, s := range in.streams {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// send passes positions to a stream of the back end and returns their results, until the
// senders are closed.
func (m *merged) send(in *senders, s Stream) {
	var b Batch
	var parts []part
	for {
		m.mu.Lock()
		for !in.closing && m.waiting < m.size && (m.waiting == 0 || in.busy > 0) {
			m.work.Wait()
		}
		if in.closing {
			m.mu.Unlock()
			return
		}
		parts = m.take(parts[:0])
		in.busy++
		m.mu.Unlock()

		b.Reset()
		for _, p := range parts {
			for i := p.from; i < p.to; i++ {
				b.Add(p.batch.Position(i), p.batch.Legal(i))
			}
		}
		err := Evaluate(s, &b)
		if err == nil {
			at := 0
			for _, p := range parts {
				for i := p.from; i < p.to; i++ {
					p.batch.copyFrom(i, &b, at)
					at++
				}
			}
		}
		m.finish(in, parts, err)
	}
}

// take appends pending positions to parts, at most a full batch. The caller holds the lock.
func (m *merged) take(parts []part) []part {
	for room := m.size; room > 0 && len(m.pending) > 0; {
		r := m.pending[0]
		n := min(room, r.batch.Len()-r.sent)
		parts = append(parts, part{r, r.sent, r.sent + n})
		r.sent += n
		m.waiting -= n
		if room -= n; r.sent == r.batch.Len() {
			m.pending = m.pending[1:]
		}
	}
	if m.waiting >= m.size {
		m.work.Signal() // another stream may be free
	}
	return parts
}

// finish records that the parts have their results, or the error.
func (m *merged) finish(in *senders, parts []part, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	in.busy--
	for _, p := range parts {
		p.left -= p.to - p.from
		if err != nil {
			p.err = err
		}
	}
	if errors.Is(err, ErrLost) {
		m.lost = err
		for _, r := range m.pending {
			r.left -= r.batch.Len() - r.sent
			r.err = err
		}
		m.pending, m.waiting = nil, 0
	}
	m.back.Broadcast()
	m.work.Broadcast()
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
	r := &request{batch: b, left: b.Len()}
	s.mine = append(s.mine, r)
	if r.left > 0 {
		m.pending = append(m.pending, r)
		m.waiting += r.left
		m.work.Signal()
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
	for r.left > 0 {
		m.back.Wait()
	}
	return r.batch, r.err
}

// Close waits for the stream's requests. The last stream to be closed closes the
// streams of the back end.
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
	if m.open > 0 {
		m.mu.Unlock()
		return nil
	}
	in := m.inner
	m.inner, in.closing = nil, true
	m.work.Broadcast()
	m.mu.Unlock()
	return in.close()
}
