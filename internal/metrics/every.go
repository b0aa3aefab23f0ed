package metrics

import (
	"sync"
	"time"
)

// Every calls f at intervals, from a goroutine of its own, until stop returns.
func Every(period time.Duration, f func()) (stop func()) {
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		tick := time.NewTicker(period)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				f()
			}
		}
	})
	return func() {
		close(done)
		group.Wait()
	}
}
