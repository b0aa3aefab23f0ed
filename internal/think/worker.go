package think

import (
	"context"
	"sync"

	"warren/internal/eval"
	"warren/internal/gather"
	"warren/mcts"
)

// worker is a thread of the search. It has its own stream and the leaves that it
// has taken.
type worker struct {
	stream eval.Stream
	leaves gather.Leaves
}

// run searches with all workers until the context ends, stop is closed, the root
// has the given number of visits (0 means no limit), the search is settled, or
// enough returns true. It calls enough with the lock held. If stop is closed
// before the first simulation, the root still gets one. If the device is lost, it continues
// with the one that takes its place.
func (e *Engine) run(ctx context.Context, stop <-chan struct{}, visits int, enough func() bool) error {
	return e.attempt(func() error { return e.runOnce(ctx, stop, visits, enough) })
}

func (e *Engine) runOnce(ctx context.Context, stop <-chan struct{}, visits int, enough func() bool) error {
	e.over, e.err = false, nil
	end := func() bool {
		if e.over {
			return true
		}
		select {
		case <-ctx.Done():
			e.err = ctx.Err()
			e.over = true
		case <-stop:
			e.over = e.search.Simulations() > 0
		default:
			e.over = visits > 0 && e.search.Simulations() >= visits || e.search.Settled() || enough()
		}
		return e.over
	}
	search := func(w *worker) {
		e.mu.Lock()
		defer e.mu.Unlock()
		for !end() {
			e.work(w, visits, end)
		}
		e.landed.Broadcast()
	}
	var group sync.WaitGroup
	for _, w := range e.workers[1:] {
		group.Go(func() { search(w) })
	}
	search(e.workers[0])
	group.Wait()
	return e.err
}

// work takes a batch of leaves, evaluates them and returns them to the tree. It
// holds the lock except during the evaluation.
func (e *Engine) work(w *worker, visits int, end func() bool) {
	waits := e.gather(w, visits, end)
	n := w.leaves.Len()
	if n == 0 {
		if waits && e.search.InFlight() > 0 {
			e.landed.Wait()
		}
		return
	}
	e.mu.Unlock()
	err := w.leaves.Evaluate(w.stream)
	e.mu.Lock()
	if err != nil {
		w.leaves.Cancel()
		if e.err == nil {
			e.err, e.over = err, true
		}
	} else {
		w.leaves.Return()
		e.nodes += int64(n)
	}
	e.landed.Broadcast()
}

// batch returns the number of leaves that a worker may take. It is small while the
// tree is small, because leaves in flight make the choice of further leaves worse.
func (e *Engine) batch() int {
	return min(e.most, 1+e.search.Simulations()/(16*len(e.workers)))
}

// gather takes a batch of leaves for w, as long as the root's visits, with those
// in flight, stay below visits (0 means no limit) and the search is not at its end. It
// reports whether the worker must wait for a leaf in flight before it can take another.
func (e *Engine) gather(w *worker, visits int, end func() bool) (waits bool) {
	for size := e.batch(); w.leaves.Len() < size; {
		if visits > 0 && e.search.Simulations()+e.search.InFlight() >= visits {
			return true
		}
		switch w.leaves.Take(e.search) {
		case mcts.Finished:
			if e.nodes++; end() {
				return false
			}
		case mcts.Wait:
			return true
		}
	}
	return false
}
