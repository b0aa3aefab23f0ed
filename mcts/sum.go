package mcts

// Sums of values are whole numbers of 2^-32. They are exact, whatever the order
// and the number of what is added. A float32 drifts after a million visits, and
// stops growing after some ten million; a float64 would take as much memory and
// depend on the order.

// one is the value 1 in a sum.
const one = 1 << 32

// mostVisits is the number of visits at which a root needs no more. An edge can
// count twice as many, and their sum is below 2^63.
const mostVisits = 1 << 30

// whole returns a value in [-1, 1] as a part of a sum. It is exact from 2^-8 on.
func whole(value float32) int64 { return int64(float64(value) * one) }

// sum is an int64 in two halves, so that an edge takes 20 bytes and not 24.
type sum struct{ low, high uint32 }

func sumOf(total int64) sum { return sum{uint32(total), uint32(uint64(total) >> 32)} }

func (s *sum) total() int64 { return int64(uint64(s.low) | uint64(s.high)<<32) }

// add is written so that the compiler makes one addition in memory of it.
func (s *sum) add(part int64) {
	total := uint64(s.low) | uint64(s.high)<<32
	total += uint64(part)
	s.low = uint32(total)
	s.high = uint32(total >> 32)
}

// mean returns the mean of as many values as there are visits.
func mean(total int64, visits int32) float32 {
	return float32(float64(total) / (one * float64(visits)))
}
