package think

import (
	"fmt"
	"testing"

	"warren/game"
	"warren/mcts"
	"warren/net"
)

// BenchmarkThreads measures a network's search of one position; evals/s is the
// figure to read.
func BenchmarkThreads(b *testing.B) {
	n, err := net.New(net.DefaultConfig(), 1)
	if err != nil {
		b.Fatal(err)
	}
	g := middle(b)
	for _, threads := range []int{1, 2, 4} {
		for _, batch := range []int{1, 4, 8, 16} {
			b.Run(fmt.Sprintf("threads=%d/batch=%d", threads, batch), func(b *testing.B) {
				e, err := New(Config{
					Search: mcts.DefaultConfig(), Threads: threads, Batch: batch, Memory: 64 << 20,
					NewEvaluator: func(batch int) (Evaluator, error) {
						return counter{net.NewEvaluator(n, batch), new(int)}, nil
					},
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
				evaluated := 0
				for _, w := range e.workers {
					evaluated += *w.evaluator.(counter).n
				}
				b.ReportMetric(float64(evaluated)/b.Elapsed().Seconds(), "evals/s")
			})
		}
	}
}

// counter counts what an evaluator evaluates.
type counter struct {
	Evaluator
	n *int
}

func (c counter) Evaluate(positions []*game.Game, legal [][]game.Action, priors [][]float32, values []float32) error {
	*c.n += len(positions)
	return c.Evaluator.Evaluate(positions, legal, priors, values)
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
