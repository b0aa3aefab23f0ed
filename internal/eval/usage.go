package eval

import (
	"sync"
	"time"
)

// Usage measures for how long a device has had work: a batch that the device has and whose results the
// host has not seen. The zero value is ready to use. It is safe for concurrent use.
type Usage struct {
	mu     sync.Mutex
	flying int       // batches
	since  time.Time // when the first of them began
	busy   time.Duration

	devices []*Usage // those of which it is the mean
}

// Begin says that the device has another batch.
func (u *Usage) Begin() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.flying == 0 {
		u.since = time.Now()
	}
	u.flying++
}

// End says that the results of a batch are there.
func (u *Usage) End() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.flying--; u.flying == 0 {
		u.busy += time.Since(u.since)
	}
}

// Busy returns the time so far in which the device had at least one batch. For several devices it is the
// mean. It is 0 if u is nil.
func (u *Usage) Busy() time.Duration {
	if u == nil {
		return 0
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	busy := u.busy
	if u.flying > 0 {
		busy += time.Since(u.since)
	}
	for _, d := range u.devices {
		busy += d.Busy() / time.Duration(len(u.devices))
	}
	return busy
}
