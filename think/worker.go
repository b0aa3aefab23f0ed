package think

import (
	"context"
	"sync"

	"warren/eval"
	"warren/gather"
	"warren/mcts"
)

// worker is a thread of the search: a stream of its own, and the leaves that it
// has taken.
type worker struct {
	stream eval.Stream
	leaves gather.Leaves
}

// run searches with all workers until one of them finds that enough is done: by
// the context, by stop, by the root's visits (0 for any number), or by enough,
// which is called with the lock held. Once stop is closed, a root that has not
// been searched at all still gets a simulation.
func (e *Engine) run(ctx context.Context, stop <-chan struct{}, visits int, enough func() bool) error {
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
			e.over = visits > 0 && e.search.Simulations() >= visits || e.search.Settled(visits) || enough()
		}
		return e.over
	}
	var group sync.WaitGroup
	for _, w := range e.workers {
		group.Go(func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			for !end() {
				e.work(w, visits)
			}
			e.landed.Broadcast()
		})
	}
	group.Wait()
	return e.err
}

// work takes a batch of leaves, has them evaluated and hands them back. The lock
// is held, except while evaluating.
func (e *Engine) work(w *worker, visits int) {
	waits := e.gather(w, visits)
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

// batch is how many leaves a worker may take. The more of them are in flight in
// a small tree, the less each is chosen by what is known.
func (e *Engine) batch() int {
	return min(e.config.Batch, 1+e.search.Simulations()/(16*len(e.workers)))
}

// finishedAtOnce bounds the simulations without an evaluation that are made
// before the limits are looked at again.
const finishedAtOnce = 64

// gather takes as many leaves as a worker may, while the root has fewer than so
// many visits (0 for any number). It reports whether there are no more before
// one that is in flight comes back.
func (e *Engine) gather(w *worker, visits int) (waits bool) {
	size := e.batch()
	for finished := 0; w.leaves.Len() < size && finished < finishedAtOnce; {
		if visits > 0 && e.search.Simulations()+e.search.InFlight() >= visits {
			return true
		}
		switch w.leaves.Take(e.search) {
		case mcts.Finished:
			finished++
			e.nodes++
		case mcts.Wait:
			return true
		}
	}
	return false
}
