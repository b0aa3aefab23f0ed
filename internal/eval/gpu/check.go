package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/net"
)

// check compares the device's results for a few positions with the processor's, by every kernel that batches
// choose among. This finds drivers with a faulty compiler, and devices with a fault in one of their number formats.
func (b *Backend) check(n *net.Network) error {
	reference, err := cpu.New(n)
	if err != nil {
		return err
	}
	want := checked()
	s, err := reference.Open(want.Len())
	if err != nil {
		return err
	}
	defer s.Close()
	if eval.Evaluate(s, want) != nil {
		// The network is broken, not the device; evaluating positions with it will report that.
		return nil
	}
	tolerance := 1e-3
	switch {
	case b.plan.tower.Bytes:
		tolerance = eval.Int8Tolerance
	case b.plan.form.Half:
		tolerance = 2e-2
	}
	for _, size := range b.plan.sizes(want.Len(), b.most) {
		off, err := b.difference(want, size)
		if err != nil {
			return err
		}
		if !(off <= tolerance) {
			return fmt.Errorf("%s (%s) is refused: in %s its results differ from the processor's by %.2g, more than %g; another driver, or another precision, may help",
				b.device.Name(), b.device.Info().Name, b.plan.precision(), off, tolerance)
		}
	}
	return nil
}

// sizes returns sizes of batches, from least on, for which all kernels run that batches up to most choose.
func (p *plan) sizes(least, most int) []int {
	sizes := []int{least}
	for _, s := range p.steps {
		runs := func(size int) bool { return s.runs == nil || s.runs(size) }
		if slices.ContainsFunc(sizes, runs) {
			continue
		}
		for size := least; size <= most; size++ {
			if runs(size) {
				sizes = append(sizes, size)
				break
			}
		}
	}
	return sizes
}

// difference evaluates the positions of a batch, again and again in one of a size, and returns the largest
// difference from its results.
func (b *Backend) difference(want *eval.Batch, size int) (float64, error) {
	got := new(eval.Batch)
	for i := range size {
		got.Add(want.Position(i%want.Len()), want.Legal(i%want.Len()))
	}
	s, err := b.Open(size)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if err := eval.Evaluate(s, got); err != nil {
		return 0, err
	}
	most := 0.0
	for i := range size {
		k := i % want.Len()
		most = max(most, math.Abs(float64(got.Value(i)-want.Value(k))))
		most = max(most, math.Abs(float64(got.Stopped(i)-want.Stopped(k))))
		for j, p := range got.Priors(i) {
			most = max(most, math.Abs(float64(p-want.Priors(k)[j])))
		}
	}
	return most, nil
}

// checked is a batch of positions from random games, one of each phase.
func checked() *eval.Batch {
	b := new(eval.Batch)
	for i := range 4 {
		g, rng := game.New(), rand.New(rand.NewPCG(uint64(i), 5))
		legal := g.Legal(nil)
		for range i * 20 {
			g.Play(legal[rng.IntN(len(legal))])
			if legal = g.Legal(nil); len(legal) == 0 {
				break
			}
		}
		b.Add(g, legal)
	}
	return b
}
