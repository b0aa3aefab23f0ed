package graph

import (
	"errors"
	"fmt"
	"sync"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"warren/game"
	"warren/internal/kernel"
	"warren/internal/learn"
	"warren/internal/learn/gradient"
	"warren/net"
)

// Graph is a Gorgonia graph that computes the losses and gradients of a network on
// batches of one size.
//
// It reads the network's parameters in place, so the next run sees what an
// optimiser writes to Param.Data. Each run overwrites the gradients; they do not
// accumulate.
//
// Only one goroutine may use a graph at a time. Graphs of several sizes may share
// a network and run at the same time while its parameters do not change. The same
// parameters and batch give the same gradients, bit for bit, whatever the number
// of workers.
type Graph struct {
	// LossWeights are the weights of the heads' losses, in the order of the
	// network's heads. Gradients differentiates the weighted sum. The weights may
	// be changed between runs.
	LossWeights []float64

	config net.Config
	size   int
	train  G.VM // forward and backward
	test   G.VM // forward only

	x, legal  []float32
	heads     []*head
	byParam   G.Nodes
	gradients [][]float32
	workers   *gradient.Workers
}

// head is the part of a graph that belongs to one head.
type head struct {
	net.Head
	target, weight []float32 // of the batch
	scale          *G.F32    // weight of the loss in the total
	loss           *G.F32
	outputs        []*output
}

// output is a result that is part of a head's output.
type output struct {
	net.Op
	name string // of its layer
	node *G.Node
	data []float32 // [boards*64][Channels] of a board, else [boards][Channels]
}

// size returns the number of values that the result adds to the head's output.
func (o *output) size() int {
	if o.Board {
		return 64 * o.Channels
	}
	return o.Channels
}

// index returns the index in data of value j of board i, where j counts as in the
// head's output.
func (o *output) index(i, j int) int {
	if o.Board {
		return (i*64+j%64)*o.Channels + j/64
	}
	return i*o.Channels + j
}

// building is held while a graph is built, because Gorgonia has a constant node
// that all graphs share and hashes it without a lock.
var building sync.Mutex

// builder holds what is needed to build the nodes of a graph.
type builder struct {
	graph   *G.ExprGraph
	program *net.Program
	params  G.Nodes   // in the network's order: of every layer the weight and the bias
	results []*G.Node // by operation
	boards  int
	path    *kernel.Path
	workers *gradient.Workers
	space   *gradient.Space
}

// NewGraphWorkers builds the graph of n for batches of the given size and with the
// given number of goroutines, both at least 1. It takes about 2 kB of memory per
// position, block and channel.
func NewGraphWorkers(n *net.Network, batch, workers int) (*Graph, error) {
	if batch < 1 || workers < 1 {
		return nil, fmt.Errorf("building the training graph: batch %d and workers %d must be at least 1", batch, workers)
	}
	building.Lock()
	defer building.Unlock()
	g, err := newGraph(n, batch, workers)
	if err != nil {
		return nil, fmt.Errorf("building the training graph of a %s network: %w", n.Config, err)
	}
	return g, nil
}

func newGraph(n *net.Network, batch, workers int) (*Graph, error) {
	path, err := kernel.Chosen()
	if err != nil {
		return nil, err
	}
	b := &builder{
		graph:   G.NewGraph(),
		program: n.Program,
		results: make([]*G.Node, len(n.Program.Ops)),
		boards:  batch,
		path:    path,
		workers: gradient.NewWorkers(workers),
		space:   new(gradient.Space),
	}
	for _, p := range n.Params {
		cols := p.Shape[len(p.Shape)-1]
		b.params = append(b.params, b.input(p.Name, len(p.Data)/cols, cols, p.Data))
	}

	g := &Graph{config: n.Config, size: batch, workers: b.workers}
	var inputs G.Nodes
	data := func(name string, rows, cols int) ([]float32, *G.Node) {
		memory := make([]float32, rows*cols)
		node := b.input(name, rows, cols, memory)
		inputs = append(inputs, node)
		return memory, node
	}
	var legal *G.Node
	g.x, b.results[net.Input] = data("batch x", batch*64, net.NumPlanes)
	g.legal, legal = data("batch legal", batch, game.NumActions)
	if err := b.operations(net.Input+1, n.Program.Trunk+1); err != nil {
		return nil, err
	}
	var total *G.Node
	var losses G.Nodes
	for _, description := range n.Program.Heads {
		h := &head{Head: description, scale: G.NewF32(float32(description.Weight))}
		var targets lossInputs
		targets.legal = legal
		h.target, targets.target = data("batch "+h.Name, batch, h.Size)
		h.weight, targets.weight = data("batch "+h.Name+" weight", batch, 1)
		if err := b.operations(h.First, h.End); err != nil {
			return nil, err
		}
		h.outputs = b.outputs(h.Head)
		makeLoss, ok := lossOperations[h.Loss]
		if !ok {
			return nil, fmt.Errorf("the head %s has the loss %q, which no operation computes", h.Name, h.Loss)
		}
		loss, err := makeLoss(b, h, targets)
		if err != nil {
			return nil, err
		}
		scale := G.NewScalar(b.graph, G.Float32, G.WithName(h.Name+" scale"), G.WithValue(h.scale))
		scaled, err := G.Mul(loss, scale)
		if err != nil {
			return nil, err
		}
		if total == nil {
			total = scaled
		} else if total, err = G.Add(total, scaled); err != nil {
			return nil, err
		}
		losses = append(losses, loss)
		g.heads = append(g.heads, h)
		g.LossWeights = append(g.LossWeights, h.Weight)
	}

	// Compile the forward program first: it must not contain the gradients' nodes.
	forward, where, err := G.CompileFunction(b.graph, append(inputs, b.params...), losses)
	if err != nil {
		return nil, err
	}
	g.test = G.NewTapeMachine(b.graph, G.WithPrecompiled(forward, where))
	if g.byParam, err = G.Grad(total, b.params...); err != nil {
		return nil, err
	}
	g.train = G.NewTapeMachine(b.graph, G.WithEngine(&engine{path: b.path, workers: b.workers}))

	result := func(n *G.Node) G.Value { return n.Op().(*differentiable).result }
	for i, h := range g.heads {
		h.loss = result(losses[i]).(*G.F32)
	}
	g.gradients = make([][]float32, len(n.Params))
	return g, nil
}

// input returns a node whose value is the given memory.
func (b *builder) input(name string, rows, cols int, memory []float32) *G.Node {
	v := tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(memory))
	return G.NewMatrix(b.graph, G.Float32, G.WithShape(rows, cols), G.WithName(name), G.WithValue(v))
}

// operations builds the operations from to-1.
func (b *builder) operations(from, to net.Value) (err error) {
	for v := from; v < to; v++ {
		if b.results[v], err = b.operation(v); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) operation(v net.Value) (*G.Node, error) {
	o := b.program.Op(v)
	x := b.results[o.X]
	alone := len(o.Operands()) == 1
	if o.Kind == net.Pool && o.Activation == net.Linear && alone {
		return b.pool(fmt.Sprintf("pool %d", v), x)
	}
	if o.Layer < 0 {
		return nil, fmt.Errorf("the training graph does not compute operation %d", v)
	}
	name, weight, bias := b.program.Layer(v).Name, b.params[2*o.Layer], b.params[2*o.Layer+1]
	switch {
	case o.Kind == net.Conv3x3 && o.Activation == net.ReLU:
		in := convInputs{x: x, weight: weight, bias: bias}
		if o.RowBias != net.None {
			in.boardBias = b.results[o.RowBias]
		}
		if o.Residual != net.None {
			in.residual = b.results[o.Residual]
		}
		return b.conv(name, in, o.X == net.Input)
	case (o.Kind == net.Conv1x1 || o.Kind == net.Dense) && (o.Activation == net.Linear || o.Activation == net.ReLU) && alone:
		// A dense layer that reads a board reads the rows of its 64 squares as one row.
		return b.linear(name, x, weight, bias, o.Activation == net.ReLU)
	}
	return nil, fmt.Errorf("the training graph does not compute operation %d, layer %s", v, name)
}

// outputs returns the results that form a head's output.
func (b *builder) outputs(h net.Head) []*output {
	var outputs []*output
	for _, v := range h.Outputs {
		node := b.results[v]
		outputs = append(outputs, &output{*b.program.Op(v), b.program.Layer(v).Name, node, floats(node.Op().(*differentiable).result)})
	}
	return outputs
}

// BatchSize returns the number of positions in a batch.
func (g *Graph) BatchSize() int { return g.size }

// Gradients computes the losses of a batch and the gradients of their weighted sum
// with respect to every parameter. The batch must have the graph's size; its
// values are copied. The error says what is wrong with the batch.
func (g *Graph) Gradients(b *learn.Batch) (learn.Losses, error) {
	l, err := g.run(g.train, b)
	if err != nil {
		return nil, err
	}
	for i, n := range g.byParam {
		g.gradients[i] = floats(n.Value())
	}
	return l, nil
}

// Gradient returns the gradient with respect to the network's parameter i from the
// last call of Gradients, or nil before the first. The next run overwrites it.
func (g *Graph) Gradient(i int) []float32 { return g.gradients[i] }

// Losses computes the losses of a batch without the gradients.
func (g *Graph) Losses(b *learn.Batch) (learn.Losses, error) { return g.run(g.test, b) }

func (g *Graph) run(vm G.VM, b *learn.Batch) (learn.Losses, error) {
	if err := b.Check(g.config, g.size); err != nil {
		return nil, err
	}
	b.Planes(g.x, 0, g.size)
	for i, ok := range b.Legal {
		g.legal[i] = 0
		if ok {
			g.legal[i] = 1
		}
	}
	losses := make(learn.Losses, len(g.heads))
	for i, h := range g.heads {
		copy(h.target, b.Targets[i].Values)
		copy(h.weight, b.Targets[i].Weight)
		losses[i].Head = h.Name
		for _, w := range h.weight {
			losses[i].Weight += float64(w)
		}
		*h.scale = G.F32(g.LossWeights[i])
	}
	vm.Reset()
	if err := vm.RunAll(); err != nil {
		return nil, fmt.Errorf("running the training graph: %w", err)
	}
	for i, h := range g.heads {
		losses[i].Mean = float64(*h.loss)
	}
	return losses, nil
}

// Close releases the graph but not its network. The graph must not be used
// afterwards.
func (g *Graph) Close() error {
	err := errors.Join(g.train.Close(), g.test.Close())
	*g = Graph{}
	return err
}
