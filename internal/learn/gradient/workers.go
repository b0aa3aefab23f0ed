package gradient

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Workers are goroutines that share the work of operations. The operations must run
// one after another.
//
// The shape of the data alone determines how work is divided into items. One
// goroutine does a whole item, and no two items add to the same number. So the
// number of workers changes the time that an operation takes, but not one bit of
// its result.
//
// A goroutine that has nothing left to do stays awake for a moment and waits for the
// next operation: to wake a sleeping core took 100 microseconds (measured on a
// virtual machine), and many operations take no longer than that.
type Workers struct {
	helpers []atomic.Pointer[work] // what each goroutine but the first does: nil if it has ended
}

// NewWorkers returns n workers, at least 1. The first is the goroutine that calls an
// operation.
func NewWorkers(n int) *Workers { return &Workers{make([]atomic.Pointer[work], max(n, 1)-1)} }

// Number returns the number of workers.
func (w *Workers) Number() int { return len(w.helpers) + 1 }

// Each calls f(worker, item) once for every item from 0 to n-1 and returns when all
// calls have returned. worker is below Number and is the index of scratch memory that
// no concurrent call uses.
func (w *Workers) Each(n int, f func(worker, item int)) {
	helpers := min(len(w.helpers), n-1)
	if helpers <= 0 {
		for i := range n {
			f(0, i)
		}
		return
	}
	o := &work{n: int64(n), f: f}
	o.left.Store(o.n)
	o.all.Add(n)
	for i := range helpers {
		if w.helpers[i].Swap(o) == nil {
			go help(&w.helpers[i], i+1)
		}
	}
	o.do(0)
	if !await(func() bool { return o.left.Load() == 0 }) {
		o.all.Wait()
	}
}

// parts splits n into ranges of at most size and calls f for each.
func (w *Workers) parts(n, size int, f func(worker, lo, hi int)) {
	w.Each((n+size-1)/size, func(worker, i int) { f(worker, i*size, min(n, (i+1)*size)) })
}

// work is the work of an operation.
type work struct {
	n    int64
	f    func(worker, item int)
	next atomic.Int64   // item
	left atomic.Int64   // items that have not ended
	all  sync.WaitGroup // the same, for a worker that sleeps until then
}

// do does items until none is left to begin.
func (o *work) do(worker int) {
	for i := o.next.Add(1) - 1; i < o.n; i = o.next.Add(1) - 1 {
		o.f(worker, int(i))
		o.left.Add(-1)
		o.all.Done()
	}
}

// idle is what a helper does that waits for work.
var idle = new(work)

// help does the work that a helper is given, until none comes for a while.
func help(given *atomic.Pointer[work], worker int) {
	for {
		o := given.Load()
		o.do(worker)
		if !given.CompareAndSwap(o, idle) {
			continue
		}
		if !await(func() bool { return given.Load() != idle }) && given.CompareAndSwap(idle, nil) {
			return
		}
	}
}

// await waits awake for a condition, but not for long, and reports whether it holds.
func await(holds func() bool) bool {
	// Most pauses between operations are shorter, and where other programs need the
	// cores, little is wasted.
	const patience = 100 * time.Microsecond
	for start := time.Now(); time.Since(start) < patience; runtime.Gosched() {
		for range 100 {
			if holds() {
				return true
			}
		}
	}
	return false
}
