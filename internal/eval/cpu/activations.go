package cpu

import (
	"warren/internal/kernel/quant"
	"warren/net"
)

// Activations takes positions through the trunk in whole numbers of 16 bits, some at a time, and calls see
// with the result of each convolution: boards of whole numbers, [positions][64][stride], and what 1 of each
// channel stands for. see must not keep them. They are the same on every processor. The back end must be of
// NewInt16.
func (b *Backend) Activations(positions []net.Bits, see func(of net.Value, boards []int16, stride int, step []float32)) {
	t := b.weights.trunk
	a := t.arithmetic.(*integers)
	group := min(len(positions), a.group())
	if group == 0 {
		return
	}
	boards := a.plan(t.slots, group)
	for ; len(positions) > 0; positions = positions[min(group, len(positions)):] {
		batch := min(group, len(positions))
		boards.input(positions, batch)
		for i := range t.steps {
			s := &t.steps[i]
			s.run(boards, batch)
			if s.kind == net.Conv3x3 {
				stride := quant.Rounded(t.slots[s.y].Channels)
				of := net.Input + 1 + net.Value(i)
				see(of, boards.data[s.y][:batch*64*stride], stride, a.formats[of].Step)
			}
		}
	}
}
