package gpu

import (
	"slices"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
	"warren/net"
)

// chains computes convolutions of the trunk that follow one another in one launch, by a kernel for devices of
// compute capability 9.0.
type chains struct {
	hopper.Chain
	packing           []int32 // the table of layers
	forward, backward *chain  // that later convolutions may continue, or nil
}

// chain is convolutions of which each reads the result of the one before.
type chain struct {
	xAt, residualAt int // what the first reads, and what the first that adds a residual adds; -1 if none does
	keptAt          int // what the next that adds a residual adds
	results         []int
	steps           []int32
	boardBias       compute.Buffer
	pool            *pooling // nil if no result is pooled
}

// chainOf returns the kernel for the trunk of a network and minibatches of a size, or nil.
func chainOf(i compute.Info, n *net.Program, minibatch int) *hopper.Chain {
	if k, ok := hopper.ChainOf(n.Op(n.Trunk).Channels, minibatch, units); ok && i.Compute == 90 {
		return &k
	}
	return nil
}

// convolve puts a convolution on the forward or backward pass. Its weights are those of w.
func (t *tape) convolve(c kernels.MixedConv, w matrix, back bool) {
	if t.mixed.chains.takes(c) {
		t.link(c, w, back)
		return
	}
	c.WAt = t.mixed.pack(w, back)
	grid, c := t.convolution(c)
	if back {
		t.onBackward(grid, c)
	} else {
		t.onForward(grid, c)
	}
}

// takes reports whether a convolution can be part of a chain.
func (s *chains) takes(c kernels.MixedConv) bool {
	if s == nil || c.Taps != 9 || c.In != s.Channels || c.Out != s.Channels {
		return false
	}
	switch c.Flags &^ (kernels.MixedResidual | kernels.MixedBoardBias) {
	case kernels.MixedBias | kernels.MixedReLU, kernels.MixedMask | kernels.MixedSums, 0:
		return true
	}
	return false
}

// link adds a convolution to a chain.
func (t *tape) link(c kernels.MixedConv, w matrix, back bool) {
	s := t.mixed.chains
	pending, flag := &s.forward, int32(0)
	if back {
		pending, flag = &s.backward, 1
	}
	if p := *pending; p != nil && !p.continues(c) {
		t.endChain(pending)
	}
	if *pending == nil {
		*pending = &chain{xAt: c.XAt, residualAt: -1}
	}
	weightsAt := t.mixed.packed.take(s.Packed())
	s.packing = append(s.packing, int32(w.at), int32(weightsAt), flag, 0)
	(*pending).add(c, weightsAt)
}

// continues reports whether a convolution reads the result of the last in a chain, and adds what the chain
// keeps or what was there before.
func (c *chain) continues(next kernels.MixedConv) bool {
	last := c.results[len(c.results)-1]
	switch {
	case next.XAt != last || next.Flags&kernels.MixedBoardBias != 0 && c.boardBias != nil && !c.makes(next.BoardBias):
		return false
	case next.Flags&kernels.MixedResidual == 0:
		return true
	case c.residualAt >= 0:
		return next.ResidualAt == c.keptAt
	}
	return !slices.Contains(c.results, next.ResidualAt)
}

// makes reports whether a bias is what the chain makes of means and maxima.
func (c *chain) makes(bias compute.Buffer) bool { return c.pool != nil && bias == c.pool.bias }

// add adds a step.
func (c *chain) add(next kernels.MixedConv, weightsAt int) {
	flags, numbersAt := 0, next.SumsAt
	if next.Flags&kernels.MixedBias != 0 {
		numbersAt = next.BiasAt
	}
	switch {
	case next.Flags&kernels.MixedBoardBias == 0:
	case c.makes(next.BoardBias):
		flags |= hopper.PlusProduct
	default:
		flags |= hopper.PlusBoard
		c.boardBias = next.BoardBias
	}
	if next.Flags&kernels.MixedMask != 0 {
		flags |= hopper.Masked
	}
	if next.Flags&kernels.MixedResidual != 0 {
		flags |= hopper.Residual
		if c.residualAt < 0 {
			c.residualAt = next.ResidualAt
		}
		c.keptAt = next.YAt
	}
	c.results = append(c.results, next.YAt)
	c.steps = append(c.steps, int32(weightsAt), int32(numbersAt), int32(next.YAt), int32(next.MaskAt), int32(flags), 0, 0, 0)
}

// endChains puts the chains that have begun on their passes.
func (t *tape) endChains() {
	if t.mixed != nil && t.mixed.chains != nil {
		t.endChain(&t.mixed.chains.forward)
		t.endChain(&t.mixed.chains.backward)
	}
}

func (t *tape) endChain(pending **chain) {
	m, c := t.mixed, *pending
	if c == nil {
		return
	}
	k := m.chains.Chain
	k.Back = pending == &m.chains.backward
	*pending = nil // before onForward, which ends chains
	call := kernels.Chain{
		Launch: kernels.Launch{Kernel: k.Kernel(), Group: hopper.Threads}, X: m.acts.buffer, Mask: m.acts.buffer, Weights: m.packed.buffer,
		Numbers: t.weights, BoardBias: c.boardBias, Pooled: t.weights, Products: t.weights, Steps: t.constants(c.steps),
		XAt: c.xAt, ResidualAt: c.residualAt, Boards: t.boards, Count: len(c.results), Local: compute.Local(k.Shared()),
	}
	if c.residualAt < 0 {
		call.ResidualAt = c.xAt
	}
	if c.pool != nil {
		call.Pooled = c.pool.values
	}
	if call.BoardBias == nil {
		call.BoardBias = t.weights // not read
	}
	grid := [2]int{k.Groups(t.boards), 1}
	if k.Back {
		call.X, call.Numbers = m.slopes.buffer, m.sums.buffer
		t.onBackward(grid, call)
		return
	}
	t.onForward(grid, call)
}

// packChains returns what packs the weights of all chains.
func (t *tape) packChains() []compute.Launch {
	s := t.mixed.chains
	if s == nil || len(s.packing) == 0 {
		return nil
	}
	return []compute.Launch{t.run([2]int{s.PackGroups(), len(s.packing) / hopper.LayerSize}, kernels.PackChain{
		Launch: kernels.Launch{Kernel: s.PackKernel(), Group: hopper.PackThreads}, Weights: t.weights, Packed: t.mixed.packed.buffer, Layers: t.constants(s.packing),
	})}
}
