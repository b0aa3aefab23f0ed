//go:build linux && amd64 && !purego

package bf16

import (
	"flag"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var stress = flag.Duration("stress", 2*time.Second, "how long TestStress runs")

// TestStress convolves on many threads while the collector runs, the profiler interrupts,
// threads come and go, and signals preempt: the bits have to stay the same, because the
// kernel keeps the tiles of an interrupted thread.
func TestStress(t *testing.T) {
	if testing.Short() {
		t.Skip("not in short mode; -stress 1m runs it longer")
	}
	u := units(t)[0]
	if u.Name() != "amx" {
		t.Skip("plain Go has no tiles to lose")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	if err := pprof.StartCPUProfile(io.Discard); err == nil {
		defer pprof.StopCPUProfile()
	}
	const boards, channels = 33, 64
	conv := NewConv(u, noise(1, 9*channels*channels, 0.06), noise(2, channels, 0.1), channels, channels)
	x, want := NewBoards(boards, channels), NewBoards(boards, channels)
	fill(x, boards, channels, 3, true)
	conv.Forward(want, x, nil, x, boards, new(Scratch))
	var runs, threads, signals, wrong atomic.Int64
	check := func(y *Boards, s *Scratch) {
		clear(y.pairs)
		clear(y.alone)
		conv.Forward(y, x, nil, x, boards, s)
		for i, v := range want.pairs {
			if y.pairs[i] != v {
				wrong.Add(1)
				return
			}
		}
		for i, v := range want.alone {
			if y.alone[i] != v {
				wrong.Add(1)
				return
			}
		}
	}

	var over atomic.Bool
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			y, s := NewBoards(boards, channels), new(Scratch)
			for !over.Load() {
				check(y, s)
				runs.Add(1)
			}
		})
	}
	for range 2 {
		all.Go(func() { // garbage
			var keep [64][]byte
			for i := 0; !over.Load(); i++ {
				keep[i%64] = make([]byte, 10000+i%5000)
				if i%1000 == 0 {
					runtime.GC()
				}
			}
			runtime.KeepAlive(&keep)
		})
	}
	all.Go(func() { // a goroutine that ends locked to its thread ends the thread
		for !over.Load() {
			done := make(chan bool)
			go func() {
				defer close(done)
				runtime.LockOSThread()
				check(NewBoards(boards, channels), new(Scratch))
				threads.Add(1)
			}()
			<-done
		}
	})
	all.Go(func() { // the signal of preemption, to every thread, beside the runtime's own
		pid := syscall.Getpid()
		for !over.Load() {
			tasks, err := os.ReadDir("/proc/self/task")
			if err != nil {
				t.Error(err)
				return
			}
			for _, task := range tasks {
				if id, err := strconv.Atoi(task.Name()); err == nil {
					syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(pid), uintptr(id), uintptr(syscall.SIGURG))
					signals.Add(1)
				}
			}
		}
	})
	<-time.After(*stress)
	over.Store(true)
	all.Wait()
	t.Logf("%d convolutions of %d boards, %d threads that came and went, %d more signals: %d results differ",
		runs.Load(), boards, threads.Load(), signals.Load(), wrong.Load())
	if wrong.Load() > 0 {
		t.Errorf("%d results differ", wrong.Load())
	}
}
