package data

import (
	"iter"
	"runtime"
	"sync"
)

// ahead yields the results of f(0) to f(n-1) in this order. It calls f on all cores, a core's worth of calls ahead of the
// one whose result is yielded. When the loop ends early, it waits for the calls that have begun.
func ahead[T any](n int, f func(int) T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		var calls sync.WaitGroup
		defer calls.Wait()
		results := make([]chan T, n)
		begin := func(i int) {
			result := make(chan T, 1)
			calls.Go(func() { result <- f(i) })
			results[i] = result
		}
		cores := runtime.GOMAXPROCS(0)
		for i := range min(n, cores) {
			begin(i)
		}
		for i := range n {
			result := <-results[i]
			results[i] = nil
			if !yield(i, result) {
				return
			}
			if next := i + cores; next < n {
				begin(next)
			}
		}
	}
}
