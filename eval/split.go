package eval

// Split returns a back end that accepts batches of any size. It divides them into
// batches that b accepts (Attributes.Most). If b has no limit, Split returns b.
func Split(b Backend) Backend {
	if b.Attributes().Most == 0 {
		return b
	}
	return split{b}
}

type split struct{ Backend }

// Attributes returns the attributes of the back end, without its limit.
func (s split) Attributes() Attributes {
	a := s.Backend.Attributes()
	a.Most = 0
	return a
}

// Open returns a stream that uses a stream of the back end.
func (s split) Open(batch int) (Stream, error) {
	most := s.Backend.Attributes().Most
	inner, err := s.Backend.Open(min(batch, most))
	if err != nil {
		return nil, err
	}
	return &splitStream{inner: inner, most: most}, nil
}

// splitStream evaluates batches part by part when they are collected.
type splitStream struct {
	inner   Stream
	most    int
	waiting []*Batch
	part    Batch
}

func (s *splitStream) Submit(b *Batch) error {
	s.waiting = append(s.waiting, b)
	return nil
}

func (s *splitStream) Collect() (*Batch, error) {
	if len(s.waiting) == 0 {
		return nil, ErrNothingSubmitted
	}
	b := s.waiting[0]
	s.waiting = s.waiting[:copy(s.waiting, s.waiting[1:])]
	for first := 0; first < b.Len(); first += s.most {
		last := min(first+s.most, b.Len())
		s.part.Reset()
		for i := first; i < last; i++ {
			s.part.Add(b.Position(i), b.Legal(i))
		}
		if err := Evaluate(s.inner, &s.part); err != nil {
			return b, err
		}
		for i := first; i < last; i++ {
			b.copyFrom(i, &s.part, i-first)
		}
	}
	return b, nil
}

func (s *splitStream) Close() error { return s.inner.Close() }
