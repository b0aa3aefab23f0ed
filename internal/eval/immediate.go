package eval

// Immediate is a stream that computes in the caller's goroutine, for example on the
// processor. Submit only queues the batch; Collect computes it.
type Immediate struct {
	// Evaluate fills in the priors and values of a batch.
	Evaluate func(*Batch) error

	waiting []*Batch
}

var _ Stream = (*Immediate)(nil)

// Submit queues the batch.
func (s *Immediate) Submit(b *Batch) error {
	s.waiting = append(s.waiting, b)
	return nil
}

// Collect evaluates the oldest batch in the queue.
func (s *Immediate) Collect() (*Batch, error) {
	if len(s.waiting) == 0 {
		return nil, ErrNothingSubmitted
	}
	b := s.waiting[0]
	s.waiting = s.waiting[:copy(s.waiting, s.waiting[1:])]
	if err := b.Check(); err != nil {
		return b, err
	}
	return b, s.Evaluate(b)
}

// Close drops the queue.
func (s *Immediate) Close() error {
	s.waiting = nil
	return nil
}

// Evaluate submits a batch to an idle stream and collects it.
func Evaluate(s Stream, b *Batch) error {
	if err := s.Submit(b); err != nil {
		return err
	}
	_, err := s.Collect()
	return err
}
