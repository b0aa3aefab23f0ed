package graph

import (
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"warren/internal/kernel"
	"warren/internal/learn/gradient"
)

// engine is Gorgonia's engine, but several workers divide the sums of matrices. A
// graph has no others than those of gradients by a value that several operations
// read.
type engine struct {
	G.StandardEngine
	path    *kernel.Path
	workers *gradient.Workers
}

// Add returns a + b. If a result is given for reuse, it may be a or b.
func (e *engine) Add(a, b tensor.Tensor, options ...tensor.FuncOpt) (tensor.Tensor, error) {
	o := tensor.ParseFuncOpts(options...)
	sum := o.Reuse()
	if !o.Safe() {
		sum = a
	}
	if sum == nil || o.Incr() != nil || sum.Size() != a.Size() || !a.Shape().Eq(b.Shape()) {
		return e.StandardEngine.Add(a, b, options...)
	}
	gradient.Sum(e.path, e.workers, floats(a), floats(b), floats(sum))
	return sum, nil
}
