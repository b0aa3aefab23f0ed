package gpu

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"warren/internal/compute/cuda"
	"warren/internal/compute/kernels"
	"warren/internal/eval"
	"warren/net"
)

// BenchmarkLaunches times the launches of a batch of 1,056 positions on CUDA's first device, or on
// OpenCL's, which WARREN_DEVICE=opencl asks for: each many times in a row, and all of them in their order.
//
//	go test -run '^$' -bench Launches ./internal/eval/gpu
func BenchmarkLaunches(b *testing.B) {
	form, d := kernels.Form{}, (*Device)(nil)
	if all, err := cuda.Devices(); err == nil && !strings.HasPrefix(os.Getenv("WARREN_DEVICE"), "opencl") {
		d = NewDevice(all[0])
		half := d.Info().Compute >= 80
		form = kernels.Form{Half: half, Tensor: half}
	} else {
		d = device(b)
	}
	positions := 1056
	if d.Info().Host {
		positions = 8
	}
	for _, size := range [][2]int{{6, 64}, {10, 128}, {20, 256}} {
		n := lively(b, net.Config{Blocks: size[0], Channels: size[1], PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: size[1]}, 1)
		backend, err := newBackend(d, n, buildsOf(d.Info(), form, n)[0])
		if err != nil {
			b.Fatal(err)
		}
		s, err := backend.Open(positions)
		if err != nil {
			b.Fatal(err)
		}
		if err := eval.Evaluate(s, random(positions)); err != nil {
			b.Fatal(err)
		}
		slot := s.(*stream).free[0]
		steps := slices.DeleteFunc(slices.Clone(slot.plan.steps), func(s step) bool { return s.runs != nil && !s.runs(positions) })
		for i := range slot.launches {
			name := fmt.Sprintf("%v/%d-%T", n.Config, i, steps[i].call(slot.memory))
			b.Run(name, func(b *testing.B) { run(b, slot, i, i+1, positions) })
		}
		b.Run(fmt.Sprintf("%v/all", n.Config), func(b *testing.B) { run(b, slot, 0, len(slot.launches), positions) })
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	}
}

// run repeats some launches of a slot.
func run(b *testing.B, s *slot, from, to, positions int) {
	for range b.N {
		if err := s.queue.Launch(s.launches[from:to]...); err != nil {
			b.Fatal(err)
		}
	}
	m, err := s.queue.Flush()
	if err != nil {
		b.Fatal(err)
	}
	if err := m.Wait(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(positions)*float64(b.N)/b.Elapsed().Seconds(), "positions/s")
}
