package turnsearch

import (
	"testing"

	"warren/game"
	"warren/game/gametest"
	"warren/mcts"
)

// BenchmarkTurns measures whole searches of turns of real games with an evaluator
// that costs nothing.
func BenchmarkTurns(b *testing.B) {
	var games []*game.Game
	for _, m := range gametest.Archive(b)[:20] {
		g := game.New()
		for _, a := range m.Actions {
			if !g.InSetup() && g.StepsLeft() == 4 && g.Turns()%8 == 5 {
				games = append(games, g.Clone())
			}
			g.Play(a)
		}
	}
	s := New(DefaultConfig(), mcts.New(mcts.DefaultConfig(), 1))
	priors := make([]float32, game.NumActions)
	evaluations := 0
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		s.Reset(games[i%len(games)])
		i++
		s.Begin(100, nil)
		for s.Simulations() < 100 {
			leaf, status := s.Select()
			if status != mcts.Evaluate {
				continue
			}
			var sum float32
			p := priors[:len(leaf.Legal)]
			for j := range p {
				p[j] = 1 / float32(1+(j*7)%len(p))
				sum += p[j]
			}
			for j := range p {
				p[j] /= sum
			}
			s.Expand(leaf, mcts.Evaluation{Priors: p, Value: float32(leaf.Game.EvalKey()%1000) / 1000})
			evaluations++
		}
		s.Outcome(0, nil)
	}
	b.ReportMetric(float64(evaluations)/b.Elapsed().Seconds(), "evals/s")
}
