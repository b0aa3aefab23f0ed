package gpu

import (
	"slices"
	"time"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
)

// shaped is what the fastest shape of a convolution depends on.
type shaped struct {
	taps           kernels.Taps
	in, out, flags int
}

// shape returns the shape of a convolution. On a CUDA device it is the fastest in a short measurement. All
// shapes give the same bits.
func (t *tape) shape(c kernels.MixedConv) kernels.MixedShape {
	shapes := kernels.ShapesOf(c.Taps, c.Out)
	if t.info.Driver != "cuda" || len(shapes) == 1 {
		return t.likely(shapes, c.Out)
	}
	what := shaped{c.Taps, c.In, c.Out, c.Flags}
	if _, ok := t.mixed.shapes[what]; !ok {
		least := time.Duration(0)
		for _, s := range shapes {
			c.Shape, c.Memory = s, s.Memory(c.Taps)
			if took := t.duration(s.Groups(t.boards, c.Out), c); least == 0 || took < least {
				least, t.mixed.shapes[what] = took, s
			}
		}
	}
	return t.mixed.shapes[what]
}

// likely returns the shape with the most work for a group that still keeps a large device busy.
func (t *tape) likely(shapes []kernels.MixedShape, out int) kernels.MixedShape {
	for _, s := range shapes {
		if grid := s.Groups(t.boards, out); 10*grid[0]*grid[1] >= 9*units {
			return s
		}
	}
	return shapes[len(shapes)-1]
}

// duration measures a call, whatever numbers are in its memory.
func (t *tape) duration(groups [2]int, call kernels.Call) (least time.Duration) {
	const times, rounds = 10, 12 // the first round warms up; others may be using the device
	if t.err != nil {
		return 0
	}
	k, err := kernels.New(t.context, call)
	if err != nil {
		t.err = err
		return 0
	}
	defer k.Release()
	for round := range rounds {
		start := time.Now()
		t.launch(slices.Repeat([]compute.Launch{{Kernel: k, Groups: groups}}, times)...)
		t.wait()
		if took := time.Since(start); round == 1 || round > 1 && took < least {
			least = took
		}
	}
	return least
}
