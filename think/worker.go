package think

import (
	"context"
	"sync"

	"warren/game"
	"warren/mcts"
)

// worker is a thread of the search: an evaluator, and the batch that it works on.
type worker struct {
	evaluator Evaluator
	leaves    []*mcts.Leaf
	positions []*game.Game
	legal     [][]game.Action
	priors    [][]float32
	values    []float32
	room      []float32 // that priors lie in
}

func newWorker(e Evaluator, batch int) *worker {
	return &worker{evaluator: e, values: make([]float32, batch), room: make([]float32, batch*game.NumActions)}
}

// evaluate evaluates the leaves.
func (w *worker) evaluate() error {
	w.positions, w.legal, w.priors = w.positions[:0], w.legal[:0], w.priors[:0]
	for i, leaf := range w.leaves {
		w.positions = append(w.positions, leaf.Game)
		w.legal = append(w.legal, leaf.Legal)
		w.priors = append(w.priors, w.room[i*game.NumActions:][:len(leaf.Legal)])
	}
	return w.evaluator.Evaluate(w.positions, w.legal, w.priors, w.values[:len(w.leaves)])
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
			e.over = visits > 0 && e.search.Simulations() >= visits || enough()
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

// work takes a batch of leaves, evaluates them and hands them back. The lock is
// held, except while evaluating.
func (e *Engine) work(w *worker, visits int) {
	waits := e.gather(w, visits)
	if len(w.leaves) == 0 {
		if waits && e.search.InFlight() > 0 {
			e.landed.Wait()
		}
		return
	}
	e.mu.Unlock()
	err := w.evaluate()
	e.mu.Lock()
	for i, leaf := range w.leaves {
		if err != nil {
			e.search.Cancel(leaf)
			continue
		}
		e.search.Expand(leaf, mcts.Evaluation{Priors: w.priors[i], Value: w.values[i]})
		e.nodes++
	}
	if err != nil && e.err == nil {
		e.err, e.over = err, true
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
	w.leaves = w.leaves[:0]
	size := e.batch()
	for finished := 0; len(w.leaves) < size && finished < finishedAtOnce; {
		if visits > 0 && e.search.Simulations()+e.search.InFlight() >= visits {
			return true
		}
		leaf, status := e.search.Select()
		switch status {
		case mcts.Evaluate:
			w.leaves = append(w.leaves, leaf)
		case mcts.Finished:
			finished++
			e.nodes++
		case mcts.Wait:
			return true
		}
	}
	return false
}
