package eval

import (
	"fmt"
	"sync/atomic"
)

// Saturation counts positions in which an activation reached the limit of its number format, among those
// that were looked at. What such a network says of them is less exact. It is safe for concurrent use.
type Saturation struct {
	Format string // of the numbers, such as "int16"
	Remedy string // the device that evaluates without such a limit

	looked, limited atomic.Int64

	devices []*Saturation // those of which it is the sum
}

// Count adds a position that was looked at.
func (s *Saturation) Count(limited bool) {
	s.looked.Add(1)
	if limited {
		s.limited.Add(1)
	}
}

// Counts returns the number of positions that were looked at, and of those with a limited activation. For
// several devices they are sums. Both are 0 if s is nil.
func (s *Saturation) Counts() (looked, limited int64) {
	if s == nil {
		return 0, 0
	}
	limited = s.limited.Load()
	looked = s.looked.Load()
	for _, d := range s.devices {
		l, m := d.Counts()
		looked, limited = looked+l, limited+m
	}
	return looked, limited
}

// Warning returns a line that says what to do if more than about one position in a hundred is limited, and
// nothing otherwise.
func (s *Saturation) Warning() string {
	looked, limited := s.Counts()
	const chance = 3 // as many may be limited by chance
	if limited <= chance+looked/100 {
		return ""
	}
	return fmt.Sprintf("activations reached the limit of %s in %d of %d positions, whose evaluations are less exact; %s evaluates this network without that limit", s.Format, limited, looked, s.Remedy)
}
