package gpu

import (
	"fmt"

	"warren/internal/eval"
)

// stream is a stream of a back end.
type stream struct {
	backend *Backend
	batch   int // positions that a slot holds
	slots   int
	full    bool // the device has no memory for another slot
	free    []*slot
	pending []*pending
	closed  bool
}

// pending is a batch that has been submitted and not collected.
type pending struct {
	batch *eval.Batch
	slot  *slot // nil once its results are in the batch, or err is set
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
		if len(s.free) == 0 && !s.grow() {
			s.finishOldest()
		}
		slot := s.free[len(s.free)-1]
		if err := slot.submit(b); err != nil {
			return s.backend.lose(err)
		}
		s.backend.device.usage.Begin()
		p.slot, s.free = slot, s.free[:len(s.free)-1]
	}
	s.pending = append(s.pending, p)
	return nil
}

// grow adds a slot if the device can be busy with another batch, and has the memory.
func (s *stream) grow() bool {
	b := s.backend
	if s.full || s.slots == depth(b.device.Info()) {
		return false
	}
	slot, err := newSlot(b.context, b.plan, b.weights, s.batch)
	if err != nil {
		s.full = true
		return false
	}
	s.slots++
	s.free = append(s.free, slot)
	return true
}

// finishOldest finishes the oldest batch in flight.
func (s *stream) finishOldest() {
	for _, p := range s.pending {
		if p.slot != nil {
			s.finish(p)
			return
		}
	}
}

// finish waits for a batch, and frees its slot.
func (s *stream) finish(p *pending) {
	if p.slot == nil {
		return
	}
	if err := s.wait(p.slot); err != nil {
		p.err = s.backend.lose(err)
	} else if p.err = p.slot.results(p.batch); p.err == nil {
		s.backend.plan.limits.look(p.batch)
	}
	s.free = append(s.free, p.slot)
	p.slot = nil
}

// wait waits until the device has done the batch of a slot.
func (s *stream) wait(slot *slot) error {
	defer s.backend.device.usage.End()
	return slot.mark.Wait()
}

func (s *stream) Collect() (*eval.Batch, error) {
	if len(s.pending) == 0 {
		return nil, eval.ErrNothingSubmitted
	}
	p := s.pending[0]
	s.pending = s.pending[:copy(s.pending, s.pending[1:])]
	s.finish(p)
	return p.batch, p.err
}

// Close waits for the batches in flight, because the device writes to their memory.
func (s *stream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	for _, p := range s.pending {
		if p.slot != nil {
			s.wait(p.slot)
			s.free = append(s.free, p.slot)
		}
	}
	s.pending = nil
	for _, slot := range s.free {
		slot.release()
	}
	s.backend.release()
	return nil
}
