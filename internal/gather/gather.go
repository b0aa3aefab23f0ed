// Package gather drives searches. It takes leaves from searches, evaluates them as
// a batch, and returns the evaluations. It connects package mcts, which has no
// evaluator, with package eval, which has no search. Packages selfplay,
// think and analysis use it.
//
// A batch holds one leaf of each of many searches (self-play), or several leaves of
// one search (an engine that thinks about one game).
package gather

import (
	"warren/internal/eval"
	"warren/mcts"
)

// Leaves is a batch of leaves with the searches that they come from. The zero value
// is empty and ready to use. Only one goroutine may use it at a time. It reuses its
// memory.
type Leaves struct {
	batch eval.Batch
	taken []taken
}

// Search is what leaves are taken from: [mcts.Search] and [mcts.Setup].
type Search interface {
	Select() (*mcts.Leaf, mcts.Status)
	Expand(*mcts.Leaf, mcts.Evaluation)
	Cancel(*mcts.Leaf)
}

// taken is a leaf and the search that it belongs to.
type taken struct {
	search Search
	leaf   *mcts.Leaf
}

// Take begins a simulation of s. If its leaf needs an evaluation, Take adds the
// leaf to the batch.
func (l *Leaves) Take(s Search) mcts.Status {
	leaf, status := s.Select()
	if status == mcts.Evaluate {
		l.batch.Add(leaf.Game, leaf.Legal)
		l.taken = append(l.taken, taken{s, leaf})
	}
	return status
}

// Len returns the number of leaves in the batch.
func (l *Leaves) Len() int { return len(l.taken) }

// Evaluate evaluates the leaves and waits for the results. The stream must be idle.
// Evaluate does not touch the searches, so it needs no lock on them.
func (l *Leaves) Evaluate(s eval.Stream) error {
	if err := l.Submit(s); err != nil {
		return err
	}
	return l.Collect(s)
}

// Submit is the first half of Evaluate: it gives the leaves to the stream. A device that
// computes by itself begins with them.
func (l *Leaves) Submit(s eval.Stream) error {
	if l.Len() == 0 {
		return nil
	}
	return s.Submit(&l.batch)
}

// Collect is the second half of Evaluate: it waits for the results.
func (l *Leaves) Collect(s eval.Stream) error {
	if l.Len() == 0 {
		return nil
	}
	_, err := s.Collect()
	return err
}

// Return passes the evaluations to the searches and empties the batch.
func (l *Leaves) Return() {
	for i, t := range l.taken {
		t.search.Expand(t.leaf, mcts.Evaluation{Priors: l.batch.Priors(i), Value: l.batch.Value(i), Stopped: l.batch.Stopped(i)})
	}
	l.reset()
}

// Cancel undoes the simulations of the leaves and empties the batch.
func (l *Leaves) Cancel() {
	for _, t := range l.taken {
		t.search.Cancel(t.leaf)
	}
	l.reset()
}

func (l *Leaves) reset() {
	clear(l.taken)
	l.taken = l.taken[:0]
	l.batch.Reset()
}
