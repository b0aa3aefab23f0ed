package selfplay

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warren/internal/eval"
	"warren/internal/observe"
	"warren/mcts"
)

// limit ends a job after a number of evaluations.
type limit struct {
	left atomic.Int64
	end  context.CancelFunc
}

func (l *limit) Observe(e observe.Event) {
	if e, ok := e.(*observe.Evaluated); ok && l.left.Add(-int64(e.Positions)) <= 0 {
		l.end()
	}
}

// paced is a device that evaluates without knowledge, and takes a given time for a batch and for each of its
// positions. It works on one batch at a time.
type paced struct {
	eval.Uniform
	batch, position time.Duration

	mu    sync.Mutex
	done  time.Time // with all batches so far
	usage eval.Usage
}

// Attributes are those of a card with 132 multiprocessors.
func (p *paced) Attributes() eval.Attributes {
	return eval.Attributes{Device: "paced", Path: "paced", Best: 1056, Depth: 6, Usage: &p.usage}
}

func (p *paced) Open(batch int) (eval.Stream, error) {
	inner, err := p.Uniform.Open(batch)
	return &pacedStream{inner, p, time.Time{}}, err
}

// pacedStream has one batch in flight.
type pacedStream struct {
	eval.Stream
	device *paced
	done   time.Time
}

func (s *pacedStream) Submit(b *eval.Batch) error {
	p := s.device
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); p.done.Before(now) {
		p.done = now
	}
	p.done = p.done.Add(p.batch + time.Duration(b.Len())*p.position)
	s.done = p.done
	p.usage.Begin()
	return s.Stream.Submit(b)
}

func (s *pacedStream) Collect() (*eval.Batch, error) {
	time.Sleep(time.Until(s.done))
	s.device.usage.End()
	return s.Stream.Collect()
}

// BenchmarkHost finds how many positions a second the host can play for a device with the speed of a large
// graphics processor, without one: 4 million evaluations a second in full batches. An operation is an
// evaluation. The evaluator has no knowledge, so the trees are wider than with a network.
func BenchmarkHost(b *testing.B) {
	device := &paced{batch: 100 * time.Microsecond, position: 150 * time.Nanosecond}
	c := DefaultConfig()
	c.Visits, c.GamesPerWorker = VisitsConfig{Initial: 64, Final: 64}, 0
	network := &eval.Network{Backend: eval.Merge(device), Hash: "paced", Origin: eval.Origin{Generation: 1}}
	ctx, cancel := context.WithCancel(b.Context())
	l := &limit{end: cancel}
	l.left.Store(int64(b.N))
	b.ResetTimer()
	Play(ctx, Job{Rules: Rules{Config: c, Search: mcts.DefaultConfig()}, Run: "bench", Seed: 1}, Always{network}, &collector{}, l)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "evals/s")
	b.ReportMetric(100*device.usage.Busy().Seconds()/b.Elapsed().Seconds(), "%busy")
}
