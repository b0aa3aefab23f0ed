package gpu

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// portion is the number of positions that are encoded at a time, some 20 us of work.
const portion = 64

// spread calls f for all of n positions, a portion at a time, in this goroutine and in as many others as
// there are cores. It does not wait for a goroutine that has not begun: where the cores are busy with
// searches, this one does all the work.
func spread(n int, f func(from, to int)) {
	portions := (n + portion - 1) / portion
	if portions < 2 {
		f(0, n)
		return
	}
	var next atomic.Int64
	var left sync.WaitGroup
	left.Add(portions)
	work := func() {
		for {
			from := int(next.Add(portion)) - portion
			if from >= n {
				return
			}
			f(from, min(from+portion, n))
			left.Done()
		}
	}
	for range min(portions, runtime.GOMAXPROCS(0)) - 1 {
		go work()
	}
	work()
	left.Wait()
}
