package eval

import (
	"math"
	"slices"
	"testing"
)

func TestSoftmaxIsSafe(t *testing.T) {
	for _, l := range [][]float32{{1e38, -1e38, 0}, {-3e38, -3e38, -3e38}, {1000, 1000, 999}, {0, 0, 0}} {
		p := slices.Clone(l)
		if !Softmax(p) {
			t.Errorf("softmax of %v fails", l)
		}
		if sum := p[0] + p[1] + p[2]; !(math.Abs(float64(sum)-1) < 1e-6) {
			t.Errorf("softmax of %v is %v", l, p)
		}
		if l[0] > l[1] != (p[0] > p[1]) {
			t.Errorf("softmax of %v is %v", l, p)
		}
	}
	if !Softmax(nil) {
		t.Error("softmax of nothing fails")
	}
	infinite := float32(math.Inf(1))
	for _, l := range [][]float32{{0, infinite}, {-infinite, -infinite}, {0, float32(math.NaN()), 1}} {
		if p := slices.Clone(l); Softmax(p) {
			t.Errorf("softmax of %v is %v", l, p)
		}
	}
}
