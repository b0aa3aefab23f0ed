package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/net"
)

// check compares the device's results for a few positions with the processor's. This finds drivers
// with a faulty compiler, and devices with a fault in one of their number formats.
func (b *Backend) check(n *net.Network) error {
	reference, err := cpu.New(n)
	if err != nil {
		return err
	}
	want, got := checked(), checked()
	s, err := reference.Open(want.Len())
	if err != nil {
		return err
	}
	defer s.Close()
	if eval.Evaluate(s, want) != nil {
		// The network is broken, not the device; evaluating positions with it will report that.
		return nil
	}
	on, err := b.Open(got.Len())
	if err != nil {
		return err
	}
	defer on.Close()
	if err := eval.Evaluate(on, got); err != nil {
		return err
	}
	tolerance := 1e-3
	switch {
	case b.plan.tower.Bytes:
		tolerance = eval.Int8Tolerance
	case b.plan.form.Half:
		tolerance = 2e-2
	}
	if off := difference(got, want); !(off <= tolerance) {
		return fmt.Errorf("%s (%s) is refused: in %s its results differ from the processor's by %.2g, more than %g; another driver, or another precision, may help",
			b.device.Name(), b.device.Info().Name, b.plan.precision(), off, tolerance)
	}
	return nil
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

// difference returns the largest difference between the priors, and between the chances, of two
// batches of the same positions.
func difference(a, b *eval.Batch) float64 {
	most := 0.0
	for i := range a.Len() {
		most = max(most, math.Abs(float64(a.Value(i)-b.Value(i))))
		most = max(most, math.Abs(float64(a.Stopped(i)-b.Stopped(i))))
		for j, p := range a.Priors(i) {
			most = max(most, math.Abs(float64(p-b.Priors(i)[j])))
		}
	}
	return most
}
