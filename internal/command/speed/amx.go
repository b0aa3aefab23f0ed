package speed

import (
	"runtime"
	"time"

	"warren/game"
	"warren/internal/eval/cpu"
	"warren/internal/kernel/bf16"
	"warren/internal/recipe"
	"warren/net"
)

// The networks, batches and turns of a comparison of paths.
var (
	tileNetworks = []net.Config{
		{Blocks: 3, Channels: 32, PoolEvery: 3, PolicyChannels: 16, ValueChannels: 4, ValueHidden: 32},
		{Blocks: 5, Channels: 48, PoolEvery: 3, PolicyChannels: 24, ValueChannels: 8, ValueHidden: 64},
		{Blocks: 6, Channels: 64, PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 64},
		{Blocks: 10, Channels: 128, PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 64},
	}
	tileBatches = []int{1, 8, 16}
)

const (
	evaluationTurns = 40
	playTurns       = 5
)

// paths are the two paths of a processor with AMX.
var paths = []string{"cpu", "amx"}

// amx compares AMX with the vector unit on one core. The two take turns, and the
// fastest evaluation and the fastest turn of self-play of each count.
func (m *meter) amx(names []string, all []recipe.Config) error {
	if _, err := bf16.AMX(); err != nil {
		return err
	}
	m.total = len(tileNetworks)*len(tileBatches) + len(names)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m.printf("one core, the lowest times of turns\n\n  %-24s %5s %12s %12s %8s\n", "evaluations/s", "batch", "vectors", "AMX", "ratio")
	for _, c := range tileNetworks {
		var plans [2]*cpu.Backend
		n, err := net.New(c, 1)
		if err != nil {
			return err
		}
		if plans[0], err = cpu.New(n); err == nil {
			plans[1], err = cpu.NewAMX(n)
		}
		if err != nil {
			return err
		}
		for _, batch := range tileBatches {
			if !m.next("evaluations") {
				return nil
			}
			best := forward(plans, batch, m.time/(2*evaluationTurns))
			m.printf("  %-24v %5d %12.0f %12.0f %8.2f\n", c, batch, best[0], best[1], best[1]/best[0])
		}
	}
	m.printf("\n  %-24s %5s %12s %12s %8s\n", "self-play, evaluations/s", "games", "vectors", "AMX", "ratio")
	for i, c := range all {
		if !m.next("self-play") {
			return nil
		}
		c.SelfPlay.Workers = 1
		var best [2]float64
		for range playTurns {
			for i, name := range paths {
				c.Device = name
				rate, _, err := m.selfplay(c)
				if err != nil {
					return err
				}
				best[i] = max(best[i], rate)
			}
		}
		m.printf("  %-24s %5d %12.0f %12.0f %8.2f\n", names[i], c.SelfPlay.GamesPerWorker, best[0], best[1], best[1]/best[0])
	}
	m.printf("  (games are in the same ratio, if they are equally long)\n")
	return nil
}

// forward returns the evaluations/s of each back end by its lowest time, from turns of the given
// length.
func forward(backends [2]*cpu.Backend, batch int, turn time.Duration) (best [2]float64) {
	x := make([]float32, batch*net.InputSize)
	g := game.New()
	for i := range batch {
		net.Encode(g, x[i*net.InputSize:])
		g.Play(g.Legal(nil)[0])
	}
	policy, value := make([]float32, batch*game.NumActions), make([]float32, batch)
	var plans [2]*cpu.Plan
	for i, b := range backends {
		plans[i] = b.NewPlan(batch)
		plans[i].Forward(x, batch, policy, value)
	}
	var lowest [2]time.Duration // of one call
	for range evaluationTurns {
		for i, p := range plans {
			for start := time.Now(); lowest[i] == 0 || time.Since(start) < turn; {
				begin := time.Now()
				p.Forward(x, batch, policy, value)
				if took := time.Since(begin); lowest[i] == 0 || took < lowest[i] {
					lowest[i] = took
				}
			}
			best[i] = float64(batch) / lowest[i].Seconds()
		}
	}
	return best
}
