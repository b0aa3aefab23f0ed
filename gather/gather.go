// Package gather is the one driver of searches: it takes the leaves that
// searches hand out, has them evaluated as a batch, and hands them back. It
// stands between package mcts, which knows no evaluator, and package eval, which
// knows no search; self-play, matches and thinking stand on it.
//
// A batch holds leaves of many searches, one each (self-play), or several of one
// search (thinking about one game).
package gather

import (
	"context"
	"math/rand/v2"

	"warren/eval"
	"warren/mcts"
)

// Leaves is a batch of leaves on the way from their searches to a stream and
// back. Its zero value is empty and ready. It is for one goroutine at a time,
// and its memory is used again.
type Leaves struct {
	batch eval.Batch
	taken []taken
}

// taken is a leaf and the search that it belongs to.
type taken struct {
	search Search
	leaf   *mcts.Leaf
}

// Search is a search that hands out leaves and takes back their evaluations: an
// [mcts.Search], or one with the same contract.
type Search interface {
	Begin(visits int, rng *rand.Rand)
	Simulations() int
	Settled(visits int) bool
	Select() (*mcts.Leaf, mcts.Status)
	Expand(*mcts.Leaf, mcts.Evaluation)
	Cancel(*mcts.Leaf)
}

var _ Search = (*mcts.Search)(nil)

// Take begins a simulation of s. If its leaf needs an evaluation the leaf joins
// the batch.
func (l *Leaves) Take(s Search) mcts.Status {
	leaf, status := s.Select()
	if status == mcts.Evaluate {
		l.batch.Add(leaf.Game, leaf.Legal)
		l.taken = append(l.taken, taken{s, leaf})
	}
	return status
}

// Len is the number of leaves in the batch.
func (l *Leaves) Len() int { return len(l.taken) }

// Evaluate has the leaves evaluated and waits for it. The stream must be idle.
// It touches no search, so a lock over the searches need not be held.
func (l *Leaves) Evaluate(s eval.Stream) error {
	if l.Len() == 0 {
		return nil
	}
	return eval.Evaluate(s, &l.batch)
}

// Return hands the evaluated leaves back to their searches and empties the
// batch.
func (l *Leaves) Return() {
	for i, t := range l.taken {
		t.search.Expand(t.leaf, mcts.Evaluation{Priors: l.batch.Priors(i), Value: l.batch.Value(i)})
	}
	l.reset()
}

// Cancel hands the leaves back unevaluated, which undoes their simulations, and
// empties the batch.
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

// Search begins a search of s, with the random numbers of rng (nil for none), and
// makes its simulations one after the other until the root has the visits, more
// would be in vain ([mcts.Search.Settled]), or the context ends. Report, which may
// be nil, is called after every simulation. After an error, or the end of the
// context, the tree keeps what it has.
func (l *Leaves) Search(ctx context.Context, s Search, stream eval.Stream, visits int, rng *rand.Rand, report func()) error {
	s.Begin(visits, rng)
	for s.Simulations() < visits && !s.Settled(visits) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if l.Take(s) == mcts.Evaluate {
			if err := l.Evaluate(stream); err != nil {
				l.Cancel()
				return err
			}
			l.Return()
		}
		if report != nil {
			report()
		}
	}
	return nil
}
