package gradient

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"warren/internal/kernel"
)

// Operations that follow each other at once, of few items and of many: every item is done
// once before the operation returns, and no two goroutines are the same worker.
func TestWorkersDoEveryItemOnce(t *testing.T) {
	for _, number := range []int{1, 2, 5} {
		w := NewWorkers(number)
		if w.Number() != number {
			t.Errorf("%d workers, want %d", w.Number(), number)
		}
		for round := range 300 {
			n := round % 9
			done := make([]int32, n)
			at := make([]atomic.Bool, number)
			w.Each(n, func(worker, item int) {
				if at[worker].Swap(true) {
					t.Errorf("%d workers, %d items: two goroutines are worker %d", number, n, worker)
				}
				done[item]++
				at[worker].Store(false)
			})
			for item, times := range done {
				if times != 1 {
					t.Fatalf("%d workers, %d items: item %d was done %d times", number, n, item, times)
				}
			}
		}
	}
}

// An operation does not return before the item of another goroutine has ended.
func TestWorkersWaitForEachOther(t *testing.T) {
	w := NewWorkers(2)
	for range 20 {
		var begun atomic.Int64
		var ended [2]atomic.Bool
		w.Each(2, func(worker, item int) {
			for begun.Add(1); begun.Load() < 2; {
				runtime.Gosched()
			}
			for range worker * 1000 {
				runtime.Gosched()
			}
			ended[item].Store(true)
		})
		if !ended[0].Load() || !ended[1].Load() {
			t.Fatal("an operation returned before its items")
		}
	}
}

func TestSum(t *testing.T) {
	const n = 40_001
	rng := rand.New(rand.NewPCG(6, 6))
	x, y := numbers(rng, n, 1), numbers(rng, n, 1)
	want := make([]float32, n)
	for i := range want {
		want[i] = x[i] + y[i]
	}
	for place := range 3 {
		a, b, sum := append([]float32(nil), x...), append([]float32(nil), y...), numbers(rng, n, 1)
		sum = [][]float32{sum, a, b}[place]
		Sum(kernel.Best(), NewWorkers(2), a, b, sum)
		same(t, "sum", sum, want)
	}
}
