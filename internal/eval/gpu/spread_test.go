package gpu

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// Every position belongs to one part.
func TestSpreadCoversEverything(t *testing.T) {
	for _, n := range []int{0, 1, portion, portion + 1, 10*portion - 1, 10 * portion} {
		var mu sync.Mutex
		times := make([]int, n)
		spread(n, func(from, to int) {
			if to-from > portion {
				t.Errorf("of %d: a part from %d to %d", n, from, to)
			}
			mu.Lock()
			defer mu.Unlock()
			for i := from; i < to; i++ {
				times[i]++
			}
		})
		if !slices.Equal(times, slices.Repeat([]int{1}, n)) {
			t.Errorf("of %d: each was taken %v times", n, times)
		}
	}
}

// Parts are taken by several goroutines at once: here the first part waits for the second.
func TestSpreadUsesOtherGoroutines(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	synctest.Test(t, func(t *testing.T) {
		second := make(chan struct{})
		spread(2*portion, func(from, _ int) {
			if from == 0 {
				<-second
			} else {
				close(second)
			}
		})
	})
}
