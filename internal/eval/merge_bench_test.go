package eval_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"warren/internal/eval"
)

// instant is a device that needs no time and writes nothing.
type instant struct{ eval.Backend }

func (instant) Attributes() eval.Attributes { return eval.Attributes{Best: 1056, Depth: 6} }

// BenchmarkMerge measures what merging costs: the workers of 16 cores, each with the games of
// selfplay's defaults, wait for a device that needs no time. An operation is a position.
func BenchmarkMerge(b *testing.B) {
	const workers, games = 96, 66
	m := eval.Merge(instant{eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(*eval.Batch) error { return nil }, nil
	})})
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ResetTimer()
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			s, err := m.Open(games)
			if err != nil {
				b.Error(err)
				return
			}
			defer s.Close()
			for batch := positions(1, games); left.Add(-games) > 0; {
				if err := eval.Evaluate(s, batch); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}
