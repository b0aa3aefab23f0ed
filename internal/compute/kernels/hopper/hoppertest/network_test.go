package hoppertest

import (
	"slices"
	"testing"
)

// TestNetwork checks that the sums stay exact: at most 2,048, which fp16 holds, and not all zero.
func TestNetwork(t *testing.T) {
	for _, channels := range []int{64, 128, 256} {
		n := New(channels, 3, 1, 1)
		y := n.Run(n.Boards(2, 1))
		zeros := 0
		for _, v := range y {
			if v == 0 {
				zeros++
			}
		}
		if most := slices.Max(y); !(most <= 2048) || zeros > len(y)*3/4 {
			t.Errorf("%d channels: the largest of the outputs is %v, and %d of %d are 0", channels, most, zeros, len(y))
		}
	}
}
