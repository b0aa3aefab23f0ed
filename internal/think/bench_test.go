package think

import (
	"fmt"
	"sync/atomic"
	"testing"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/mcts"
	"warren/net"
)

// BenchmarkThreads measures the search of one position with a network. The figure
// to read is evals/s.
func BenchmarkThreads(b *testing.B) {
	n, err := net.New(net.DefaultConfig(), 1)
	if err != nil {
		b.Fatal(err)
	}
	backend, err := cpu.New(n)
	if err != nil {
		b.Fatal(err)
	}
	g := middle(b)
	for _, threads := range []int{1, 2, 4} {
		for _, batch := range []int{1, 4, 8, 16} {
			b.Run(fmt.Sprintf("threads=%d/batch=%d", threads, batch), func(b *testing.B) {
				var evaluated atomic.Int64
				e, err := New(Config{
					Search: mcts.AlphaZeroConfig(), Threads: threads, Batch: batch, Memory: 64 << 20,
					Backend: eval.Func(func(batch int) (func(*eval.Batch) error, error) {
						s, err := backend.Open(batch)
						return func(b *eval.Batch) error {
							evaluated.Add(int64(b.Len()))
							return eval.Evaluate(s, b)
						}, err
					}),
				})
				if err != nil {
					b.Fatal(err)
				}
				b.ResetTimer()
				for range b.N {
					e.ready = false
					e.stand(g)
					if err := e.run(b.Context(), nil, 2000, func() bool { return false }); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(evaluated.Load())/b.Elapsed().Seconds(), "evals/s")
			})
		}
	}
}

// middle is a position a few turns into a game.
func middle(tb testing.TB) *game.Game {
	tb.Helper()
	board, side, err := game.ParsePosition("g [rrrcrrrr  d    rh cdh m   e             EH  M HD  CDC  RRRRRRRR ]")
	if err != nil {
		tb.Fatal(err)
	}
	return game.FromBoard(board, side)
}
