package gpu

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"warren/game"
	"warren/internal/compute"
	"warren/internal/eval"
	"warren/net"
)

// Every position belongs to one part.
func TestSpreadCoversEverything(t *testing.T) {
	for _, n := range []int{0, 1, portion, portion + 1, 10*portion - 1, 10 * portion} {
		var mu sync.Mutex
		times := make([]int, n)
		spread(n, func(from, to int) {
			if to-from > portion {
				t.Errorf("of %d: a part from %d to %d", n, from, to)
			}
			mu.Lock()
			defer mu.Unlock()
			for i := from; i < to; i++ {
				times[i]++
			}
		})
		if !slices.Equal(times, slices.Repeat([]int{1}, n)) {
			t.Errorf("of %d: each was taken %v times", n, times)
		}
	}
}

// Parts are taken by several goroutines at once: here the first part waits for the second.
func TestSpreadUsesOtherGoroutines(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	synctest.Test(t, func(t *testing.T) {
		second := make(chan struct{})
		spread(2*portion, func(from, _ int) {
			if from == 0 {
				<-second
			} else {
				close(second)
			}
		})
	})
}

// idle is a device that computes nothing, in no time. All its results are zero.
type idle struct{}

func (idle) Info() compute.Info {
	return compute.Info{Driver: "idle", Name: "idle", Memory: 80e9, Units: 132}
}
func (idle) Open(compute.Program) (compute.Context, error)      { return idle{}, nil }
func (idle) Kernel(string, int, ...any) (compute.Kernel, error) { return idle{}, nil }
func (idle) Buffer(int) (compute.Buffer, error)                 { return idle{}, nil }
func (idle) Staging(bytes int) (compute.Staging, error)         { return host(make([]byte, bytes)), nil }
func (idle) Queue() (compute.Queue, error)                      { return idle{}, nil }
func (idle) Write(compute.Buffer, compute.Staging, int) error   { return nil }
func (idle) Launch(...compute.Launch) error                     { return nil }
func (idle) Read(compute.Staging, compute.Buffer, int) error    { return nil }
func (idle) Flush() (compute.Mark, error)                       { return idle{}, nil }
func (idle) Wait() error                                        { return nil }
func (idle) Release()                                           {}
func (idle) Close() error                                       { return nil }

type host []byte

func (h host) Bytes() []byte { return h }
func (host) Release()        {}

// BenchmarkStream measures what the host does for a position: it encodes the position and turns its
// logits into priors, on one stream. The device needs no time. An operation is a position.
func BenchmarkStream(b *testing.B) {
	n, err := net.New(net.Config{Blocks: 1, Channels: 8, PolicyChannels: 2, ValueChannels: 1, ValueHidden: 4}, 1)
	if err != nil {
		b.Fatal(err)
	}
	backend, err := newBackend(NewDevice(idle{}), n, build{})
	if err != nil {
		b.Fatal(err)
	}
	const size = 1056
	s, err := backend.Open(size)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	batch := new(eval.Batch)
	for g := game.New(); batch.Len() < size; {
		legal := g.Legal(nil)
		if len(legal) == 0 || g.Turns() > 60 {
			g = game.New()
			continue
		}
		batch.Add(g.Clone(), legal)
		g.Play(legal[batch.Len()*7919%len(legal)])
	}
	b.ResetTimer()
	for done := 0; done < b.N; done += size {
		if err := eval.Evaluate(s, batch); err != nil {
			b.Fatal(err)
		}
	}
}
