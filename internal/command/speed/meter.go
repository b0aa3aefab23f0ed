package speed

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"warren/data"
	"warren/game"
	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/internal/eval/device"
	"warren/internal/kernel"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/selfplay"
	"warren/net"
)

// The choices to measure.
var (
	kernelChannels = []int{32, 64, 128}
	batches        = []int{1, 4, 8, 16, 32, 64}
	gamesPerWorker = []int{4, 8, 16, 32, 64}
	learnerBatches = []int{64, 128, 256, 512}
)

// meter takes the measurements and prints them as tables.
type meter struct {
	ctx      context.Context
	time     time.Duration
	report   io.Writer
	progress *metrics.Progress

	done, total int
}

// printf prints a part of the report, unless the context has ended: the measurement may then be cut off.
func (m *meter) printf(format string, args ...any) {
	if m.ctx.Err() == nil {
		fmt.Fprintf(m.report, format, args...)
	}
}

// next shows that a measurement begins. It reports false if the context has
// ended.
func (m *meter) next(title string) bool {
	m.progress.Update(metrics.Status{Title: title, Done: float64(m.done), Total: float64(m.total)})
	m.done++
	return m.ctx.Err() == nil
}

func (m *meter) kernels() {
	m.printf("3x3 convolution on one core, GFLOP/s in its matrix products (direct summation would take 4 times as many operations)\n")
	for i, channels := range kernelChannels {
		if !m.next("kernels") {
			return
		}
		var names []string
		var rates []float64
		for _, path := range kernel.Paths() {
			names = append(names, path.Name)
			rates = append(rates, path.Throughput(channels, m.time/3))
		}
		if i == 0 {
			m.printf("  channels%s\n", columns("%10s", names))
		}
		m.printf("  %8d%s\n", channels, columns("%10.1f", rates))
	}
}

func columns[T any](format string, values []T) string {
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintf(&b, format, v)
	}
	return b.String()
}

// evaluations measures plans of the network on what evaluates it here, one per thread, on one thread and
// on all cores.
func (m *meter) evaluations(c net.Config) error {
	n, err := net.New(c, 1)
	if err != nil {
		return err
	}
	open := cpu.New
	switch device.Fastest(c) {
	case kernel.AMX:
		open = cpu.NewAMX
	case kernel.Int16:
		open = cpu.NewInt16
	}
	backend, err := open(n)
	if err != nil {
		return err
	}
	m.printf("\nevaluations/s of the %s network by batch, on %s, plans alone\n  threads%s\n", c, backend.Attributes().Path, columns("%10d", batches))
	x := make([]float32, net.InputSize)
	net.Encode(game.New(), x)
	for _, threads := range []int{1, runtime.GOMAXPROCS(0)} {
		var rates []float64
		for _, batch := range batches {
			if !m.next("evaluations") {
				return nil
			}
			rates = append(rates, m.evaluate(backend, x, threads, batch))
		}
		m.printf("  %7d%s\n", threads, columns("%10.0f", rates))
	}
	return nil
}

func (m *meter) evaluate(b *cpu.Backend, x []float32, threads, batch int) float64 {
	var all sync.WaitGroup
	done := make([]int, threads)
	start := time.Now()
	for i := range done {
		all.Go(func() {
			plan := b.NewPlan(batch)
			inputs := make([]float32, 0, batch*net.InputSize)
			for range batch {
				inputs = append(inputs, x...)
			}
			policy, value := make([]float32, batch*game.NumActions), make([]float32, batch)
			for time.Since(start) < m.time/2 {
				plan.Forward(inputs, batch, policy, value)
				done[i] += batch
			}
		})
	}
	all.Wait()
	sum := 0
	for _, n := range done {
		sum += n
	}
	return float64(sum) / time.Since(start).Seconds()
}

// nowhere discards games.
type nowhere struct{}

func (nowhere) Put(context.Context, *data.Record) error { return nil }

// job returns the games of a measurement, which is over after the first ones. The visits, which
// rise from game to game in a run, are at their end from the first game on.
func job(c recipe.Config) (selfplay.Job, error) {
	c.SelfPlay.Visits.Games = 0
	hash, err := recipe.HashOfGames(c.SelfPlay, c.Search)
	return selfplay.Job{Rules: selfplay.Rules{Config: c.SelfPlay, Search: c.Search, Settings: hash}, Run: "speed", Seed: 1}, err
}

// play runs self-play with a network for one measurement.
func (m *meter) play(c recipe.Config, network *eval.Network) (observe.Totals, time.Duration, error) {
	j, err := job(c)
	if err != nil {
		return observe.Totals{}, 0, err
	}
	ctx, cancel := context.WithTimeout(m.ctx, m.time)
	defer cancel()
	var counts observe.Counts
	start := time.Now()
	err = selfplay.Play(ctx, j, selfplay.Always{Network: network}, nowhere{}, &counts)
	if ctx.Err() != nil {
		err = nil
	}
	return counts.Totals(), time.Since(start), err
}

// perGame returns the evaluations of a game, with an evaluator that takes no time. Each core plays
// one game at a time. It begins games for one measurement and plays all of them to the end, because
// the evaluations of an unfinished game would count, and the game would not. With many visits a
// measurement is short for a game, and games differ, so there are at least a few.
func (m *meter) perGame(c recipe.Config) (float64, error) {
	c.SelfPlay.GamesPerWorker = 1
	j, err := job(c)
	if err != nil {
		return 0, err
	}
	begun, start := uint64(0), time.Now()
	j.Next = func() (number uint64, ok bool) {
		if begun >= fewestGames && time.Since(start) >= m.time {
			return 0, false
		}
		begun++
		return begun - 1, true
	}
	var counts observe.Counts
	err = selfplay.Play(m.ctx, j, selfplay.Always{Network: eval.Untrained()}, nowhere{}, &counts)
	if m.ctx.Err() != nil {
		err = nil
	}
	t := counts.Totals()
	return float64(t.Evaluations) / float64(t.Games), err
}

// fewestGames is the least number of games in which their evaluations are counted.
const fewestGames = 8

func (m *meter) simulations(c recipe.Config) {
	c.SelfPlay.Workers, c.SelfPlay.Visits.Final, c.SelfPlay.FullFraction = 1, 800, 1
	if !m.next("simulations") {
		return
	}
	t, d, err := m.play(c, eval.Untrained())
	if err == nil {
		m.printf("\nsearch on one core with an evaluator that takes no time: %.0f simulations/s\n", float64(t.Evaluations)/d.Seconds())
	}
}
