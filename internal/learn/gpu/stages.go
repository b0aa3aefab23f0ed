package gpu

import (
	"slices"

	"warren/internal/compute"
)

// stages are those of a pass. The sequences of a stage need nothing of one another, and may run side by side.
type stages []compute.Stage

// stage adds a stage. Sequences may be empty.
func (s *stages) stage(sequences ...[]compute.Launch) { *s = append(*s, sequences) }

// branches tells the operations of the trunk from those of the heads, of which each is a sequence of its own: its own
// numbers and their gradients are nobody else's. Gradients by what the trunk has computed are added to one another, in
// a fixed order. Those by the weights can be computed at the end.
type branches struct {
	now    int                // 0 is the trunk, then the heads
	begins []int              // where the functions of each head begin among the tape's
	shared []compute.Launch   // the gradients that heads add to those of the trunk
	later  [][]compute.Launch // sequences for the end
}

// endForward makes a stage of the forward pass of what has been put on the tape.
func (t *tape) endForward() {
	t.endChains()
	t.before.stage(t.forward)
	t.forward = nil
}

// head begins the next head.
func (t *tape) head() {
	t.branches.now++
	t.branches.begins = append(t.branches.begins, len(t.gradients))
}

// backwardStages makes the stages of the heads and of the trunk, in mixed precision.
func (t *tape) backwardStages(losses []compute.Launch) {
	b := &t.branches
	rest := t.gradients
	var heads [][]compute.Launch
	for k, begin := range slices.Backward(b.begins) {
		b.now = k + 1
		t.backward = []compute.Launch{losses[k]}
		for _, add := range slices.Backward(rest[begin:]) {
			add()
		}
		heads, rest = append(heads, t.backward), rest[:begin]
	}
	t.after.stage(heads...)
	b.now, t.backward = 0, b.shared
	for _, add := range slices.Backward(rest) {
		add()
	}
	t.endChains()
	t.after.stage(t.backward)
	t.backward = nil
}

// gradientOf calls add, which adds gradients by x to the backward pass. If x is not of this branch, they follow those of
// all heads.
func (t *tape) gradientOf(x *value, add func()) {
	if x.branch == t.branches.now || t.mixed == nil {
		add()
		return
	}
	t.endChains()
	own := t.backward
	t.backward = t.branches.shared
	add()
	t.endChains()
	t.branches.shared, t.backward = t.backward, own
}
