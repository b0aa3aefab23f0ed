package bench

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"warren/game"
)

// tolerance is the largest allowed difference between an output or a loss of another engine
// and Warren's.
const tolerance = 1e-4

// compare compares the results of the peers with Warren's: all outputs for all positions, in
// batches of several sizes and with one and two threads, and the losses of the first training
// steps of the peers that train. It returns an error if any of them differ.
func compare(ctx context.Context, out io.Writer, w *warren, peers []*peer) error {
	differs := fmt.Sprintf("DIFFERENT by more than %g", tolerance)
	policy, value, err := w.outputs()
	if err != nil {
		return err
	}
	failed := 0
	for _, p := range peers {
		for _, way := range [][2]int{{1, 1}, {7, 1}, {32, 2}} {
			if err := ctx.Err(); err != nil {
				return err
			}
			raw, err := p.outputs(way[0], way[1], filepath.Join(w.material.dir, "outputs"))
			if err != nil {
				return err
			}
			logits, chances, err := difference(raw, policy, value)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			verdict := "the same"
			if !(logits <= tolerance && chances <= tolerance) {
				verdict = differs
				failed++
			}
			fmt.Fprintf(out, "%s, batch %d, %d threads: %d positions, largest difference %.1e of logits, %.1e of chances: %s\n",
				p.name, way[0], way[1], positions, logits, chances, verdict)
		}
	}
	fmt.Fprintf(out, "logits from %.2f to %.2f, chances from %.2f to %.2f\n", slices.Min(policy), slices.Max(policy), slices.Min(value), slices.Max(value))

	for _, p := range peers {
		const batch, steps = 64, 3 // rounding errors grow with every step
		if !p.trains {
			continue
		}
		theirs, err := p.losses(batch, 1, steps)
		if err != nil {
			return err
		}
		ours, err := w.losses(batch, 1, steps)
		if err != nil {
			return err
		}
		for i := range ours {
			verdict := "the same"
			if !near(ours[i], theirs[i]) {
				verdict = differs
				failed++
			}
			fmt.Fprintf(out, "%s, training step %d: policy loss %.6f, ours %.6f; value loss %.6f, ours %.6f: %s\n",
				p.name, i, theirs[i][0], ours[i][0], theirs[i][1], ours[i][1], verdict)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d results differ", failed)
	}
	return nil
}

func near(a, b [2]float64) bool {
	return math.Abs(a[0]-b[0]) <= tolerance && math.Abs(a[1]-b[1]) <= tolerance
}

// difference returns the largest difference between the logits, and between the chances, in
// raw, which contains little-endian float32 numbers, and ours.
func difference(raw []byte, policy, value []float32) (logits, chances float64, err error) {
	if want := 4 * positions * (game.NumActions + 1); len(raw) != want {
		return 0, 0, fmt.Errorf("outputs of %d bytes, want %d", len(raw), want)
	}
	take := func(want []float32) (largest float64) {
		for _, v := range want {
			d := math.Abs(float64(math.Float32frombits(binary.LittleEndian.Uint32(raw))) - float64(v))
			raw = raw[4:]
			// Treat a NaN as the largest difference.
			if !(d <= largest) && !math.IsNaN(largest) {
				largest = d
			}
		}
		return largest
	}
	return take(policy), take(value), nil
}
