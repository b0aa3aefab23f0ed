package gpu

import (
	"errors"
	"runtime"
	"testing"
)

// TestParallelReturnsTheFirstError has two wrong positions at a time, often in parts of different goroutines. Every
// position is looked at, once.
func TestParallelReturnsTheFirstError(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	const n = 100
	first, second := errors.New("first"), errors.New("second")
	for i := range n {
		var seen [n]int
		err := parallel(n, func(from, to int) (err error) {
			for at := from; at < to; at++ {
				seen[at]++
				switch {
				case err != nil:
				case at == i:
					err = first
				case at == i+40:
					err = second
				}
			}
			return err
		})
		if err != first {
			t.Errorf("wrong at %d and %d: %v", i, i+40, err)
		}
		for at, times := range seen {
			if times != 1 {
				t.Errorf("position %d is looked at %d times", at, times)
			}
		}
	}
}
