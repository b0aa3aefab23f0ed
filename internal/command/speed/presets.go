package speed

import (
	"fmt"
	"math/rand/v2"
	"time"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/internal/learn"
	learning "warren/internal/learn/device"
	"warren/internal/recipe"
	"warren/net"
)

// configs measures the speed of self-play and learning with each of the settings.
func (m *meter) configs(names []string, all []recipe.Config) error {
	m.printf("\nself-play on all cores, without learning; and learning on all cores, without self-play\n")
	m.printf("  %-10s %8s %8s %12s %12s %12s %12s\n", "settings", "network", "visits", "evals/s", "evals/game", "games/hour", "samples/s")
	for i, c := range all {
		if !m.next("self-play") {
			return nil
		}
		perGame, err := m.perGame(c)
		if err != nil {
			return err
		}
		if !m.next("self-play") {
			return nil
		}
		rate, busy, err := m.selfplay(c)
		if err != nil {
			return err
		}
		if !m.next("learning") {
			return nil
		}
		samples, err := m.learn(c)
		if err != nil {
			return err
		}
		m.printf("  %-10s %8s %8d %12.0f %12.0f %12.0f %12.0f%s\n", names[i], c.Network, c.SelfPlay.Visits.Final, rate, perGame, 3600*rate/perGame, samples, busy)
	}
	m.printf("  (as at the end of a run, when full searches have all their visits. Earlier games cost less: in a run of quick the first\n")
	m.printf("  took a tenth of the evaluations of the last, and those halfway a half. Assumes games as long as those of an untrained\n")
	m.printf("  evaluator, while a network in training plays games up to a half longer or shorter)\n")
	return nil
}

// selfplay returns the evaluations/s of self-play with an untrained network, and for a graphics processor
// a remark that says for which share of the time it had a batch in flight.
func (m *meter) selfplay(c recipe.Config) (rate float64, busy string, err error) {
	n, err := net.New(c.Network, 1)
	if err != nil {
		return 0, "", err
	}
	network, err := device.Play(n, eval.Origin{Generation: 1}, c.Device)
	if err != nil {
		return 0, "", err
	}
	on := network.Attributes()
	before := on.Usage.Busy()
	t, d, err := m.play(c, network)
	if on.Usage != nil {
		busy = fmt.Sprintf("  %s had a batch in flight for %.0f%% of the time of self-play", on.Device, 100*(on.Usage.Busy()-before).Seconds()/d.Seconds())
	}
	return float64(t.Evaluations) / d.Seconds(), busy, err
}

// learn returns the samples/s of training.
func (m *meter) learn(c recipe.Config) (float64, error) {
	n, err := net.New(c.Network, 1)
	if err != nil {
		return 0, err
	}
	trainer, err := learning.New(n, c.Learner)
	if err != nil {
		return 0, err
	}
	defer trainer.Close()
	lesson := lessons(c.Network, c.Learner.Batch)
	const rate = 1e-6 // changes the weights hardly at all
	step := func() error {
		_, err := learn.StepAhead(trainer, lesson, rate, func() *learn.Batch { return lesson })
		return err
	}
	if err := step(); err != nil {
		return 0, err
	}
	steps, start := 0, time.Now()
	for time.Since(start) < m.time && m.ctx.Err() == nil {
		if err := step(); err != nil {
			return 0, err
		}
		steps++
	}
	return float64(steps*c.Learner.Batch) / time.Since(start).Seconds(), nil
}

// lessons returns a batch of positions from random games, with made-up targets.
func lessons(c net.Config, size int) *learn.Batch {
	b, rng, g := learn.NewBatch(c, size), rand.New(rand.NewPCG(1, 1)), game.New()
	for i := range size {
		if g.Result().Over() {
			g = game.New()
		}
		legal := g.Legal(nil)
		net.EncodeBits(g, &b.Bits[i])
		for _, a := range legal {
			at := i*game.NumActions + net.PolicyIndex(a, g.Side())
			b.Legal[at], b.Targets[0].Values[at] = true, 1/float32(len(legal))
		}
		b.Targets[0].Weight[i], b.Targets[1].Values[i], b.Targets[1].Weight[i] = 1, 0.5, 1
		g.Play(legal[rng.IntN(len(legal))])
	}
	return b
}
