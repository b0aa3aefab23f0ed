package mcts

import (
	"fmt"
	"testing"
)

// BenchmarkSimulations measures simulations with an evaluator that costs
// nothing, over positions of real games. The figure to read is sims/s. It also
// reports the percentage of evaluations that sharing saved, and the edges per
// node.
func BenchmarkSimulations(b *testing.B) {
	for _, n := range []int{64, 800, 10000} {
		for _, share := range []bool{false, true} {
			b.Run(fmt.Sprintf("visits=%d/share=%t", n, share), func(b *testing.B) {
				config := AlphaZeroConfig()
				config.SeparateEvaluations = !share
				benchmark(b, config, n, uniform)
			})
		}
	}
	b.Run("visits=800/hashed", func(b *testing.B) { benchmark(b, AlphaZeroConfig(), 800, hashed) })
	for _, n := range []int{64, 800} {
		b.Run(fmt.Sprintf("visits=%d/self-play", n), func(b *testing.B) { benchmark(b, DefaultConfig(), n, hashed) })
	}
	for name, change := range map[string]func(*Config){
		"proofs":       func(c *Config) { c.Proofs = true },
		"proofs+tests": func(c *Config) { c.Proofs, c.WinTestSteps = true, 1000 },
		"gumbel":       func(c *Config) { c.Rule = GumbelRule },
		"skip forced":  func(c *Config) { c.SkipForced = true },
	} {
		config := AlphaZeroConfig()
		change(&config)
		b.Run("visits=64/with="+name, func(b *testing.B) { benchmark(b, config, 64, hashed) })
	}
}

func benchmark(b *testing.B, config Config, n int, evaluate evaluator) {
	games := positions(b)
	s := New(config, n)
	for _, g := range games {
		s.Reset(g)
		run(s, n, evaluate)
	}
	var simulations, evaluations, nodes, edges int
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		s.Reset(games[i%len(games)])
		evaluations += run(s, n, evaluate)
		simulations += n
		nodes += s.Nodes()
		edges += len(s.edges)
	}
	b.ReportMetric(float64(simulations)/b.Elapsed().Seconds(), "sims/s")
	b.ReportMetric(100*(1-float64(evaluations)/float64(simulations)), "%saved")
	b.ReportMetric(float64(edges)/float64(nodes), "edges/node")
}
