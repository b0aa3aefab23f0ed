package main

import (
	"time"

	"warren/eval"
	"warren/eval/device"
	"warren/game"
	"warren/net"
)

// devices measures one stream of batches on each device that can evaluate networks.
func (m *meter) devices(c net.Config) error {
	n, err := net.New(c, 1)
	if err != nil {
		return err
	}
	few := []int{1, 8, 32}
	m.printf("\nevaluations/s of the %s network by device and batch, positions to priors, one stream\n  %-8s %-8s %-10s%s\n",
		c, "device", "path", "precision", columns("%10d", few))
	for _, name := range device.Names() {
		if name == device.Auto {
			continue
		}
		if !m.next("devices") {
			return nil
		}
		b, err := device.Open(n, name)
		if err != nil {
			m.printf("  %-8s cannot be used: %v\n", name, err)
			continue
		}
		var rates []float64
		for _, batch := range few {
			rate, err := m.stream(b, batch)
			if err != nil {
				return err
			}
			rates = append(rates, rate)
		}
		a := b.Attributes()
		m.printf("  %-8s %-8s %-10s%s\n", name, a.Path, a.Precision, columns("%10.0f", rates))
	}
	m.printf("  auto is %s: a measurement of a hundredth of a second finds it the fastest\n", device.Fastest(c))
	return nil
}

// stream returns the evaluations/s of one stream of batches.
func (m *meter) stream(backend eval.Backend, size int) (float64, error) {
	s, err := backend.Open(size)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	var b eval.Batch
	g := game.New()
	for range size {
		b.Add(g, g.Legal(nil))
	}
	if err := eval.Evaluate(s, &b); err != nil {
		return 0, err
	}
	done, start := 0, time.Now()
	for time.Since(start) < m.time/3 {
		if err := eval.Evaluate(s, &b); err != nil {
			return 0, err
		}
		done += size
	}
	return float64(done) / time.Since(start).Seconds(), nil
}
