package observe

import (
	"sync"

	"warren/internal/metrics"
)

// Series writes the points of the run's series to a sink, such as a file or the
// log.
type Series struct {
	sink metrics.Sink

	mu  sync.Mutex
	err error
}

var _ Observer = (*Series)(nil)

// NewSeries returns an observer that writes to sink.
func NewSeries(sink metrics.Sink) *Series { return &Series{sink: sink} }

// Observe writes a point.
func (s *Series) Observe(e Event) {
	m, ok := e.(*Measured)
	if !ok {
		return
	}
	err := s.sink.Write(m.Point)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// Err returns the first error of the sink. After an error the series lack points.
func (s *Series) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close closes the sink.
func (s *Series) Close() error { return s.sink.Close() }
