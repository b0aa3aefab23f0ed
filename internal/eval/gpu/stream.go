package gpu

import (
	"fmt"

	"warren/internal/eval"
)

// stream is a stream of a back end. Its device works on one batch at a time.
type stream struct {
	backend *Backend
	batch   int // positions that the slot holds
	slot    *slot
	flying  *pending // whose batch is in the slot, or nil
	pending []*pending
	closed  bool
}

// pending is a batch that has been submitted and not collected.
type pending struct {
	batch *eval.Batch
	err   error
}

func (s *stream) Submit(b *eval.Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	if b.Len() > s.batch {
		return fmt.Errorf("a batch of %d positions for a stream of at most %d", b.Len(), s.batch)
	}
	if err := s.backend.failure(); err != nil {
		return err
	}
	p := &pending{batch: b}
	if b.Len() > 0 {
		s.finish()
		if err := s.slot.submit(b); err != nil {
			return s.backend.lose(err)
		}
		s.backend.device.usage.Begin()
		s.flying = p
	}
	s.pending = append(s.pending, p)
	return nil
}

// finish waits for the batch in flight, if there is one, and takes its results.
func (s *stream) finish() {
	p := s.flying
	if p == nil {
		return
	}
	s.flying = nil
	if err := s.wait(); err != nil {
		p.err = s.backend.lose(err)
	} else if p.err = s.slot.results(p.batch); p.err == nil {
		s.backend.plan.limits.look(p.batch)
	}
}

// wait waits until the device has done the batch in flight.
func (s *stream) wait() error {
	defer s.backend.device.usage.End()
	return s.slot.mark.Wait()
}

func (s *stream) Collect() (*eval.Batch, error) {
	if len(s.pending) == 0 {
		return nil, eval.ErrNothingSubmitted
	}
	p := s.pending[0]
	s.pending = s.pending[:copy(s.pending, s.pending[1:])]
	if p == s.flying {
		s.finish()
	}
	return p.batch, p.err
}

// Close waits for the batch in flight, because the device writes to its memory.
func (s *stream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.flying != nil {
		s.wait()
	}
	s.pending = nil
	s.slot.release()
	s.backend.release()
	return nil
}
