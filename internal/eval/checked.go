package eval

import "fmt"

// Checked returns b with a check that its device computes correct results. In the first batch of a
// stream, and then in one of every checkEvery batches, the reference also evaluates one position.
// If the two evaluations differ by more than rounding can explain, the batch fails with an error
// that wraps ErrLost.
func Checked(b, reference Backend) Backend { return &checked{b, reference} }

const (
	checkEvery = 16
	// tolerance is ten times the difference that 16-bit numbers were seen to make.
	tolerance = 0.05
)

type checked struct {
	Backend
	reference Backend
}

func (c *checked) Open(batch int) (Stream, error) {
	inner, err := c.Backend.Open(batch)
	if err != nil {
		return nil, err
	}
	reference, err := c.reference.Open(1)
	if err != nil {
		inner.Close()
		return nil, fmt.Errorf("preparing to check a device: %w", err)
	}
	return &checkedStream{Stream: inner, device: c.Attributes().Device, reference: reference}, nil
}

type checkedStream struct {
	Stream
	device    string
	reference Stream
	collected int
	one       Batch
}

func (s *checkedStream) Collect() (*Batch, error) {
	b, err := s.Stream.Collect()
	if err != nil || b.Len() == 0 {
		return b, err
	}
	if s.collected++; s.collected%checkEvery != 1 {
		return b, nil
	}
	i := s.collected % b.Len()
	s.one.Reset()
	s.one.Add(b.Position(i), b.Legal(i))
	if err := Evaluate(s.reference, &s.one); err != nil {
		return b, err
	}
	if got, want := b.Value(i), s.one.Value(0); !near(got, want) {
		return b, fmt.Errorf("%s computes wrong results, a chance to win of %.4g instead of %.4g: %w", s.device, got, want, ErrLost)
	}
	if got, want := b.Stopped(i), s.one.Stopped(0); !near(got, want) {
		return b, fmt.Errorf("%s computes wrong results, a chance to be stopped of %.4g instead of %.4g: %w", s.device, got, want, ErrLost)
	}
	for j, want := range s.one.Priors(0) {
		if got := b.Priors(i)[j]; !near(got, want) {
			return b, fmt.Errorf("%s computes wrong results, a prior of %.4g instead of %.4g: %w", s.device, got, want, ErrLost)
		}
	}
	return b, nil
}

// near reports whether two chances differ by no more than the tolerance. It is false for NaN.
func near(a, b float32) bool { return a-b <= tolerance && b-a <= tolerance }

func (s *checkedStream) Close() error {
	s.reference.Close()
	return s.Stream.Close()
}
