package hoppertest

import (
	"slices"
	"testing"
)

// TestNetwork checks that the sums stay exact: far below the largest number of fp16, and not all zero.
func TestNetwork(t *testing.T) {
	for _, channels := range []int{64, 128, 256} {
		n := New(channels, 3, 1, 1)
		_, planes := n.Positions(2, 1)
		y := append(n.Run(n.Boards(2, 1)), n.Whole(planes)...)
		zeros := 0
		for _, v := range y {
			if v == 0 {
				zeros++
			}
		}
		if most := slices.Max(y); !(most <= 8192) || zeros > len(y)*3/4 {
			t.Errorf("%d channels: the largest of the outputs is %v, and %d of %d are 0", channels, most, zeros, len(y))
		}
	}
}
