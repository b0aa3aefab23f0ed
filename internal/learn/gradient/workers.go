package gradient

import (
	"sync"
	"sync/atomic"
)

// Workers is the number of goroutines that an operation may use, at least 1.
//
// The shape of the data alone determines how work is divided into items. One
// goroutine does a whole item, and no two items add to the same number. So the
// number of workers changes the time that an operation takes, but not one bit of
// its result.
type Workers int

// each calls f(worker, item) once for every item from 0 to n-1. worker is below w
// and is the index of scratch memory that no concurrent call uses.
func (w Workers) each(n int, f func(worker, item int)) {
	if w <= 1 || n <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	work := func(worker int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(worker, i)
		}
	}
	for k := 1; k < min(int(w), n); k++ {
		wg.Go(func() { work(k) })
	}
	work(0)
	wg.Wait()
}

// parts splits n into ranges of at most size and calls f for each.
func (w Workers) parts(n, size int, f func(worker, lo, hi int)) {
	w.each((n+size-1)/size, func(worker, i int) { f(worker, i*size, min(n, (i+1)*size)) })
}
