package train

import (
	"sync"
	"time"

	"warren/internal/recipe"
)

// newClock returns a clock of a kind that loop.clock names. Only the difference
// between two readings is meaningful.
func newClock(kind string) func() time.Duration {
	if kind == recipe.ProcessorClock {
		return processorTime
	}
	return (&wallClock{read: time.Now()}).elapsed
}

// wallClock measures elapsed time. It leaves out time in which the process is stopped or the machine sleeps,
// which it knows by a long gap between two readings. So it must be read more often than longestGap.
type wallClock struct {
	mu    sync.Mutex
	read  time.Time // when it was read last
	total time.Duration
}

// longestGap is the most that the time between two readings counts.
const longestGap = 10 * time.Second

func (c *wallClock) elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.total += min(now.Sub(c.read), longestGap)
	c.read = now
	return c.total
}
