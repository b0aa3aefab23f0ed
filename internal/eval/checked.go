package eval

import (
	"fmt"
	"slices"
)

// Checked returns b with a check that its device computes correct results. In the first batch of a
// stream, and then in one of every checkEvery batches, the reference also evaluates one position.
// If the two evaluations differ by more than rounding can explain, the batch fails with an error
// that wraps ErrLost. Only the first check holds up its batch: the result of another comes with a later
// batch, at the latest when the next check is due.
func Checked(b, reference Backend) Backend { return &checked{b, reference} }

const (
	checkEvery = 64
	// tolerance is ten times the difference that 16-bit numbers were seen to make.
	tolerance = 0.05
	// Int8Tolerance is the same for blocks in numbers of 8 bits, which were seen to make 0.09.
	Int8Tolerance = 0.3
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
	a := c.Attributes()
	s := &checkedStream{Stream: inner, device: a.Device, reference: reference, tolerance: tolerance}
	if a.Precision == "int8" {
		s.tolerance = Int8Tolerance
	}
	return s, nil
}

type checkedStream struct {
	Stream
	device    string
	tolerance float32
	collected int

	verdict   chan error // receives the result of the check under way; nil if there is none
	reference Stream
	seen, one Batch // the position of the check, with the evaluations of the device and of the reference
}

func (s *checkedStream) Collect() (*Batch, error) {
	b, err := s.Stream.Collect()
	if err != nil || b.Len() == 0 {
		return b, err
	}
	s.collected++
	due := s.collected%checkEvery == 1
	if err := s.result(due); err != nil || !due {
		return b, err
	}
	i := s.collected / checkEvery % b.Len() // in turn every one, also in batches of 64
	s.seen.Reset()
	s.one.Reset()
	g, legal := b.Position(i).Clone(), slices.Clone(b.Legal(i)) // the caller's may change
	s.seen.Add(g, legal)
	s.one.Add(g, legal)
	s.seen.copyFrom(0, b, i)
	if s.collected == 1 {
		return b, s.check()
	}
	verdict := make(chan error, 1)
	s.verdict = verdict
	go func() { verdict <- s.check() }()
	return b, nil
}

// result returns the result of the check under way, if there is one, and if it is there or wait is set.
func (s *checkedStream) result(wait bool) (err error) {
	if wait && s.verdict != nil {
		err, s.verdict = <-s.verdict, nil
		return err
	}
	select {
	case err = <-s.verdict:
		s.verdict = nil
	default:
	}
	return err
}

// check compares the two evaluations.
func (s *checkedStream) check() error {
	if err := Evaluate(s.reference, &s.one); err != nil {
		return err
	}
	if got, want := s.seen.Value(0), s.one.Value(0); !s.near(got, want) {
		return fmt.Errorf("%s computes wrong results, a chance to win of %.4g instead of %.4g: %w", s.device, got, want, ErrLost)
	}
	if got, want := s.seen.Stopped(0), s.one.Stopped(0); !s.near(got, want) {
		return fmt.Errorf("%s computes wrong results, a chance to be stopped of %.4g instead of %.4g: %w", s.device, got, want, ErrLost)
	}
	for j, want := range s.one.Priors(0) {
		if got := s.seen.Priors(0)[j]; !s.near(got, want) {
			return fmt.Errorf("%s computes wrong results, a prior of %.4g instead of %.4g: %w", s.device, got, want, ErrLost)
		}
	}
	return nil
}

// near reports whether two chances differ by no more than the tolerance. It is false for NaN.
func (s *checkedStream) near(a, b float32) bool { return a-b <= s.tolerance && b-a <= s.tolerance }

func (s *checkedStream) Close() error {
	s.result(true)
	s.reference.Close()
	return s.Stream.Close()
}
