package replay

import "math/rand/v2"

// Sample draws samples and fills them.
func (w *Window) Sample(rng *rand.Rand, samples []Sample) error {
	if err := w.Draw(rng, samples); err != nil {
		return err
	}
	for i := range samples {
		samples[i].Fill()
	}
	return nil
}
