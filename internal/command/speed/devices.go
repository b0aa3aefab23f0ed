package speed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/internal/eval/device"
	"warren/internal/kernel"
	"warren/internal/learn"
	"warren/internal/recipe"
	"warren/net"
)

// The sizes and batches of the flag --devices.
var (
	deviceNetworks = []net.Config{sized(6, 64), sized(10, 128), sized(20, 256)}
	deviceBatches  = []int{1, 8, 32, 128, 512, 1024, 2048, 4096}
)

// deviceMinibatch is the minibatch for which the flag --devices measures learning.
const deviceMinibatch = 256

// sized is a network of the usual proportions.
func sized(blocks, channels int) net.Config {
	return net.Config{Blocks: blocks, Channels: channels, PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: channels}
}

// devicesOnly lists the devices, and measures networks of several sizes on each, or on
// those named.
func (m *meter) devicesOnly(named []string) error {
	evaluators := device.Names()[1:] // without auto
	learners := append([]string{learn.Processor}, device.Processors()...)
	if len(named) > 0 {
		evaluators = named
		learners = slices.DeleteFunc(learners, func(name string) bool { return !slices.Contains(named, name) })
	}
	m.total = len(deviceNetworks) * (len(evaluators) + len(learners))
	for _, line := range device.Graphics() {
		m.printf("%s\n", line)
	}
	for _, c := range deviceNetworks {
		if err := m.devices(c, onDevices(evaluators), deviceBatches); err != nil {
			return err
		}
	}
	m.printf("\ntraining samples/s by device (learner.device) and network, minibatches of %d\n  %-13s%s\n", deviceMinibatch, "device", columns("%10v", deviceNetworks))
	for _, name := range learners {
		if p, _, err := device.Processor(name); err == nil && p.Info().Host {
			m.printf("  %-13s not measured: it is the processor by a slower way, for tests\n", name)
			continue
		}
		var rates []string
		for _, n := range deviceNetworks {
			if !m.next("learning on devices") {
				return nil
			}
			c := recipe.DefaultConfig()
			c.Network, c.Learner.Device, c.Learner.Batch = n, name, deviceMinibatch
			rate, err := m.learn(c)
			if err != nil {
				rates = append(rates, fmt.Sprintf("  failed: %v", err))
				break
			}
			rates = append(rates, fmt.Sprintf("%.0f", rate))
		}
		m.printf("  %-13s%s\n", name, columns("%10s", rates))
	}
	return nil
}

// mostOnProcessor is the largest batch that is measured on a processor, which is as fast
// with smaller ones.
const mostOnProcessor = 32

// way is a way to evaluate networks: a device, and perhaps other kernels than those that this process
// uses.
type way struct {
	device, kernels string
	open            func(*net.Network) (eval.Backend, error)
}

func onDevices(names []string) (ways []way) {
	for _, name := range names {
		ways = append(ways, way{name, "", func(n *net.Network) (eval.Backend, error) { return device.Open(n, name) }})
	}
	return ways
}

// otherKernels returns the ways with the kernels of this processor that are not the chosen ones.
func otherKernels(chosen *kernel.Path) (ways []way) {
	for _, p := range kernel.Paths() {
		if p.Name == chosen.Name {
			continue
		}
		ways = append(ways,
			way{"cpu", p.Name, func(n *net.Network) (eval.Backend, error) { return cpu.NewPath(n, p.Name) }},
			way{"int16", p.Name, func(n *net.Network) (eval.Backend, error) { return cpu.NewInt16On(n, p) }})
	}
	return ways
}

// devices measures one stream of batches in each of the ways. A star marks what evaluates networks like c
// here.
func (m *meter) devices(c net.Config, ways []way, batches []int) error {
	n, err := net.New(c, 1)
	if err != nil {
		return err
	}
	m.printf("\nevaluations/s of the %s network by device and batch, positions to priors, one stream\n  %-13s %-15s %-10s%s\n",
		c, "device", "path", "precision", columns("%10d", batches))
	before := ""
	for _, w := range ways {
		if !m.next("devices") {
			return nil
		}
		if w.kernels != before {
			m.printf("  with %s=%s:\n", kernel.Variable, w.kernels)
			before = w.kernels
		}
		b, err := w.open(n)
		if err != nil {
			m.printf("  %-13s cannot be used: %v\n", w.device, err)
			continue
		}
		var rates []string
		rate := math.Inf(1) // with the batch before
		for _, batch := range batches {
			a := b.Attributes()
			if a.Depth <= 1 && batch > mostOnProcessor || a.Most > 0 && batch > a.Most || float64(batch)/rate > m.time.Seconds() {
				rates = append(rates, "-")
				continue
			}
			if rate, err = m.stream(b, batch); err != nil {
				rates = append(rates, fmt.Sprintf("  failed: %v", err))
				break
			}
			rates = append(rates, fmt.Sprintf("%.0f", rate))
		}
		a, mark := b.Attributes(), " "
		if w.kernels == "" && w.device == device.Fastest(c) {
			mark = "*"
		}
		m.printf("%s %-13s %-15s %-10s%s\n", mark, w.device, a.Path, a.Precision, columns("%10s", rates))
	}
	m.printf("* this is auto here\n")
	return nil
}

// stream returns the evaluations/s of one stream of batches, with as many in flight as the
// back end finds useful.
func (m *meter) stream(backend eval.Backend, size int) (float64, error) {
	s, err := backend.Open(size)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	flying := max(backend.Attributes().Depth, 1)
	for range flying {
		if err := s.Submit(positions(size)); err != nil {
			return 0, err
		}
	}
	done, start := 0, time.Now()
	for first := true; time.Since(start) < m.time/3 || done == 0; {
		b, err := s.Collect()
		if err != nil {
			return 0, err
		}
		if done += size; first {
			// The first batch warms up.
			first, done, start = false, 0, time.Now()
		}
		if err := s.Submit(b); err != nil {
			return 0, err
		}
	}
	rate := float64(done) / time.Since(start).Seconds()
	for range flying {
		if _, err := s.Collect(); err != nil {
			return 0, err
		}
	}
	return rate, nil
}

// positions returns a batch of positions from random games.
func positions(n int) *eval.Batch {
	b := new(eval.Batch)
	rng := rand.New(rand.NewPCG(1, 2))
	g := game.New()
	for b.Len() < n {
		legal := g.Legal(nil)
		if len(legal) == 0 {
			g = game.New()
			continue
		}
		b.Add(g.Clone(), legal)
		g.Play(legal[rng.IntN(len(legal))])
	}
	return b
}
