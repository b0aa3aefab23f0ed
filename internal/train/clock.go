package train

import (
	"time"

	"warren/internal/recipe"
)

// newClock returns a clock of the kind that settings.Loop.Clock names. Only the
// difference between two readings is meaningful.
func newClock(kind string) func() time.Duration {
	if kind == recipe.ProcessorClock {
		return ProcessorTime
	}
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
