package selfplay

import (
	"context"
	"sync/atomic"
	"testing"

	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/internal/observe"
	"warren/mcts"
	"warren/net"
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

// BenchmarkPlay plays with one worker and the settings of the preset desktop. An operation is
// an evaluation, with all that self-play does for it.
func BenchmarkPlay(b *testing.B) {
	n, err := net.New(net.Config{Blocks: 5, Channels: 48, PoolEvery: 3, PolicyChannels: 24, ValueChannels: 8, ValueHidden: 64}, 1)
	if err != nil {
		b.Fatal(err)
	}
	c := DefaultConfig()
	c.Workers, c.FullFraction, c.TurnLimit = 1, 0.2, 120
	search := mcts.AlphaZeroConfig()
	search.NoiseFraction = 0.25
	for _, name := range []string{"cpu", "amx"} {
		b.Run(name, func(b *testing.B) {
			network, err := device.Play(n, eval.Origin{Generation: 1}, name)
			if err != nil {
				b.Skip(err)
			}
			ctx, cancel := context.WithCancel(b.Context())
			l := &limit{end: cancel}
			l.left.Store(int64(b.N))
			b.ResetTimer()
			Play(ctx, Job{Config: c, Search: search, Run: "bench", Seed: 1}, Always{network}, &collector{}, l)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "evals/s")
		})
	}
}
