package train

import "time"

// The words of LoopConfig.Clock.
const (
	WallClock      = "wall"
	ProcessorClock = "cpu"
)

// newClock returns a clock of the kind that LoopConfig.Clock names. Only the
// difference of two of its readings has a meaning.
func newClock(kind string) func() time.Duration {
	if kind == ProcessorClock {
		return ProcessorTime
	}
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
