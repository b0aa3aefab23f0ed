package train

import (
	"testing"
	"time"

	"warren/internal/recipe"
)

// The processor clock advances as work is done.
func TestProcessorClockGrowsWithWork(t *testing.T) {
	clock := newClock(recipe.ProcessorClock)
	before := clock()
	sum := uint64(1)
	for i := 0; clock()-before < 20*time.Millisecond; i++ {
		if i == 1e9 {
			t.Fatal("the clock stands still")
		}
		for range 1000 {
			sum = sum*6364136223846793005 + 1
		}
	}
	if sum == 0 {
		t.Log(sum)
	}
}

// A run on the processor clock ends when its duration is used up, and is still
// finished when it is opened again.
func TestRunEndsByProcessorTime(t *testing.T) {
	config := tiny(recipe.Async)
	config.Loop.Generations, config.Loop.Duration, config.Loop.Clock = 0, 300*time.Millisecond, recipe.ProcessorClock
	path := t.TempDir()
	before := ProcessorTime()
	if finished, _ := work(t, path, config, -1); !finished {
		t.Error("the run did not finish")
	}
	if used := ProcessorTime() - before; used < config.Loop.Duration {
		t.Errorf("the run ended after %v of processor time, want at least %v", used, config.Loop.Duration)
	}
	if finished, w := work(t, path, config, -1); !finished || w.logged("continuing with the run") != 1 {
		t.Errorf("opened again it is finished: %v, and said %q", finished, w.lines)
	}
}
