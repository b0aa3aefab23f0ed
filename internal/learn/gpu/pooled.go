package gpu

import (
	"slices"

	"warren/internal/compute"
	"warren/internal/compute/kernels"
	"warren/internal/compute/kernels/hopper"
	"warren/net"
)

// pooledBias is how a chain makes a bias for each board: by a layer that reads the means and maxima of a convolution's
// result.
type pooledBias struct {
	pool  *value // [boards][means, maxima]
	w     matrix
	split compute.Launch // makes the gradient by the bias
}

// inline lets a chain compute the operation v, a pool, and the next one, if that reads nothing else and makes the bias of
// the one after it, the second convolution of a residual block. It reports false if there is no such chain.
func (n *network) inline(results []*value, v net.Value) bool {
	pooled := n.program.Op(v)
	if n.mixed == nil || n.mixed.chains == nil || int(v)+2 >= len(n.program.Ops) || n.branches.now != 0 {
		return false
	}
	dense, second, first := n.program.Op(v+1), n.program.Op(v+2), n.program.Op(pooled.X)
	x := results[pooled.X]
	reads := func(later net.Op) bool {
		return slices.ContainsFunc(later.Operands(), func(o net.Value) bool { return o == pooled.X || o == v || o == v+1 })
	}
	switch {
	case x.half == nil || x.half.left > 0 || slices.ContainsFunc(n.program.Ops[v+3:], reads):
		return false
	case dense.Kind != net.Dense || dense.Activation != net.Linear || !slices.Equal(dense.Operands(), []net.Value{v}):
		return false
	case second.Kind != net.Conv3x3 || second.X != pooled.X || second.RowBias != v+1 || second.Residual != first.X || first.Kind != net.Conv3x3:
		return false
	}
	w := n.layers[dense.Layer]
	if !n.poolInChain(x, results[first.X], w) {
		return false
	}
	pool := n.mixed.chains.forward.pool
	bias := &value{rows: n.boards, columns: w.out, data: pool.bias, product: &pooledBias{
		pool: &value{rows: n.boards, columns: 2 * x.columns, data: pool.values}, w: w,
	}}
	x.half.left++
	results[v], results[v+1] = bias.product.pool, bias
	n.gradients = append(n.gradients, func() { n.productGradients(bias) })
	return true
}

// pooling is what a chain makes of the means and maxima of one of its results.
type pooling struct {
	values compute.Buffer // the means and maxima
	bias   compute.Buffer // stands for the bias that the product makes, which is nowhere in memory
}

// poolInChain makes the last result x of the chain of the forward pass pooled. A residual will be added to the next one.
// Every result in a chain but one can be pooled, so x may begin another.
func (t *tape) poolInChain(x, residual *value, w matrix) bool {
	s := t.mixed.chains
	c := s.forward
	next := kernels.MixedConv{XAt: x.half.at, ResidualAt: residual.half.at, Flags: kernels.MixedResidual}
	if c == nil || w.out != s.Channels || !c.continues(next) {
		return false
	}
	if c.pool != nil {
		last := len(c.results) - 1
		rest := &chain{xAt: c.results[last-1], residualAt: -1, results: c.results[last:], steps: c.steps[last*hopper.StepSize:]}
		c.results, c.steps = c.results[:last], c.steps[:last*hopper.StepSize]
		t.endChain(&s.forward)
		s.forward, c = rest, rest
	}
	c.pooled(w.at, 0, &pooling{values: t.buffer(t.boards * 2 * s.Channels), bias: t.buffer(1)})
	return true
}

// pooled makes the last step pooled.
func (c *chain) pooled(weightsAt, sumsAt int, p *pooling) {
	step := c.steps[len(c.steps)-hopper.StepSize:]
	step[4] |= hopper.Pooled
	step[5], step[6] = int32(weightsAt), int32(sumsAt)
	c.pool = p
}

// linkPooled begins a chain of the backward pass with the gradient by x of the convolution that has the bias, to which
// those by the means and maxima of x are added.
func (t *tape) linkPooled(c kernels.MixedConv, x *value, w matrix, p *pooledBias, sumsAt int) {
	more, _ := x.half.next()
	c.Flags = more &^ kernels.MixedResidual
	t.endChains()
	t.link(c, w, true)
	t.mixed.chains.backward.pooled(p.w.at, sumsAt, &pooling{values: p.pool.data})
}

// productGradients adds the gradient by the weights of a product. The gradients by means and maxima are made in a chain.
func (t *tape) productGradients(bias *value) {
	p := bias.product
	t.weightGradient(p.pool, bias.slope, p.w, t.boards, true)
	last := &t.branches.later[len(t.branches.later)-1]
	*last = slices.Insert(*last, 0, p.split)
}
