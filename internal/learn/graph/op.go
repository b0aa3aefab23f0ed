package graph

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// operation is the common part of our Gorgonia operations. Each is one node of one
// graph and owns the memory of its result, so the memory that a run allocates does
// not grow with the network. Gorgonia's register allocation does not touch that
// memory, except to sum gradients in it.
type operation struct {
	name    string // unique in the graph: Gorgonia merges nodes whose hashes agree
	arity   int
	scalars int     // number of inputs, at the end, that are scalars
	result  G.Value // a matrix, or a scalar for a loss
	run     func(in []G.Value)
}

var _ G.Op = (*operation)(nil)

var (
	anyFloat = hm.TypeVariable('a')
	matrix   = G.TensorType{Dims: 2, Of: anyFloat}
)

// newMatrix returns a rows x cols matrix of zeros.
func newMatrix(rows, cols int) *tensor.Dense {
	return tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(rows, cols))
}

// floats returns the memory of a matrix.
func floats(v G.Value) []float32 { return v.Data().([]float32) }

func (o *operation) Arity() int { return o.arity }

func (o *operation) Type() hm.Type {
	ts := make([]hm.Type, o.arity+1)
	for i := range ts {
		ts[i] = matrix
	}
	for i := o.arity - o.scalars; i < o.arity; i++ {
		ts[i] = anyFloat
	}
	if o.result.Shape().IsScalar() {
		ts[o.arity] = anyFloat
	}
	return hm.NewFnType(ts...)
}

func (o *operation) InferShape(...G.DimSizer) (tensor.Shape, error) {
	return o.result.Shape().Clone(), nil
}

func (o *operation) Do(in ...G.Value) (G.Value, error) {
	o.run(in)
	return o.result, nil
}

func (o *operation) ReturnsPtr() bool      { return true }
func (o *operation) CallsExtern() bool     { return false }
func (o *operation) OverwritesInput() int  { return -1 }
func (o *operation) WriteHash(h hash.Hash) { fmt.Fprint(h, "warren ", o.name) }
func (o *operation) String() string        { return o.name }

func (o *operation) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// part returns a node for one of several results of an operation, because a
// Gorgonia operation has only one. Its value is memory that the operation of the
// node `of` has written.
func part(name string, of *G.Node, memory *tensor.Dense) (*G.Node, error) {
	return G.ApplyOp(&operation{name: name, arity: 1, result: memory, run: func([]G.Value) {}}, of)
}

// differentiable is an operation with gradients.
type differentiable struct {
	operation
	wants   []bool // whether it has a gradient with respect to each input
	symDiff func(in G.Nodes, y, dy *G.Node) (G.Nodes, error)
}

var _ G.SDOp = (*differentiable)(nil)

func (o *differentiable) DiffWRT(int) []bool { return o.wants }

func (o *differentiable) SymDiff(in G.Nodes, y, dy *G.Node) (G.Nodes, error) {
	return o.symDiff(in, y, dy)
}
