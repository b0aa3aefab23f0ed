package graph

import (
	"errors"
	"fmt"
	"sync"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"warren/game"
	"warren/internal/kernel"
	"warren/learn"
	"warren/learn/internal/gradient"
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
}

// head is the part of a graph that belongs to one head.
type head struct {
	net.Head
	target, weight []float32 // of the batch
	scale          *G.F32    // weight of the loss in the total
	loss           *G.F32
	outputs        []*output
}

// output is a layer whose result is part of a head's output.
type output struct {
	net.Layer
	node *G.Node
	data []float32 // [boards*64][Out] of a layer of form Squares, else [boards][Out]
}

// size returns the number of values that the layer adds to the head's output.
func (o *output) size() int {
	if o.Form == net.Squares {
		return 64 * o.Out
	}
	return o.Out
}

// index returns the index in data of value j of board i, where j counts as in the
// head's output.
func (o *output) index(i, j int) int {
	if o.Form == net.Squares {
		return (i*64+j%64)*o.Out + j/64
	}
	return i*o.Out + j
}

// building is held while a graph is built, because Gorgonia has a constant node
// that all graphs share and hashes it without a lock.
var building sync.Mutex

// builder holds what is needed to build the nodes of a graph.
type builder struct {
	graph   *G.ExprGraph
	network *net.Network
	params  map[string]*G.Node
	ordered G.Nodes // params in the network's order
	boards  int
	path    *kernel.Path
	workers gradient.Workers
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
		network: n,
		params:  make(map[string]*G.Node),
		boards:  batch,
		path:    path,
		workers: gradient.Workers(workers),
		space:   new(gradient.Space),
	}
	for _, p := range n.Params {
		cols := p.Shape[len(p.Shape)-1]
		node := b.input(p.Name, len(p.Data)/cols, cols, p.Data)
		b.params[p.Name] = node
		b.ordered = append(b.ordered, node)
	}

	g := &Graph{config: n.Config, size: batch}
	var inputs G.Nodes
	data := func(name string, rows, cols int) ([]float32, *G.Node) {
		memory := make([]float32, rows*cols)
		node := b.input(name, rows, cols, memory)
		inputs = append(inputs, node)
		return memory, node
	}
	var x, legal *G.Node
	g.x, x = data("batch x", batch*64, net.NumPlanes)
	g.legal, legal = data("batch legal", batch, game.NumActions)
	trunk, err := b.trunk(x)
	if err != nil {
		return nil, err
	}
	var total *G.Node
	var losses G.Nodes
	for _, description := range n.Config.Heads() {
		h := &head{Head: description, scale: G.NewF32(float32(description.Weight))}
		var targets lossInputs
		targets.legal = legal
		h.target, targets.target = data("batch "+h.Name, batch, h.Size())
		h.weight, targets.weight = data("batch "+h.Name+" weight", batch, 1)
		if h.outputs, err = b.head(h.Head, trunk); err != nil {
			return nil, err
		}
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
	forward, where, err := G.CompileFunction(b.graph, append(inputs, b.ordered...), losses)
	if err != nil {
		return nil, err
	}
	g.test = G.NewTapeMachine(b.graph, G.WithPrecompiled(forward, where))
	if g.byParam, err = G.Grad(total, b.ordered...); err != nil {
		return nil, err
	}
	g.train = G.NewTapeMachine(b.graph)

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

// trunk returns the result of the stem and the residual blocks,
// [boards*64][Channels].
func (b *builder) trunk(x *G.Node) (*G.Node, error) {
	y, err := b.conv("stem", convInputs{x: x, weight: b.params["stem.weight"], bias: b.params["stem.bias"]}, true)
	for i := 0; i < b.network.Config.Blocks && err == nil; i++ {
		y, err = b.block(i, y)
	}
	return y, err
}

// block returns the result of residual block i applied to x.
func (b *builder) block(i int, x *G.Node) (*G.Node, error) {
	at := fmt.Sprintf("blocks.%d.", i)
	h, err := b.conv(at+"conv1", convInputs{x: x, weight: b.params[at+"conv1.weight"], bias: b.params[at+"conv1.bias"]}, false)
	if err != nil {
		return nil, err
	}
	second := convInputs{x: h, weight: b.params[at+"conv2.weight"], bias: b.params[at+"conv2.bias"], residual: x}
	if b.network.Config.Pooled(i) {
		pooled, err := b.pool(at+"pool", h)
		if err != nil {
			return nil, err
		}
		if second.boardBias, err = b.linear(at+"pool.linear", pooled, b.params[at+"pool.weight"], b.params[at+"pool.bias"], false); err != nil {
			return nil, err
		}
	}
	return b.conv(at+"conv2", second, false)
}

// head builds a head's layers on the trunk and returns the layers that form its
// output.
func (b *builder) head(h net.Head, trunk *G.Node) ([]*output, error) {
	results := map[string]*G.Node{"": trunk}
	pooled := map[string]*G.Node{}
	for _, l := range h.Layers {
		x := results[l.From]
		if x == nil {
			return nil, fmt.Errorf("the head %s: layer %s reads %q, which is not an earlier layer", h.Name, l.Name, l.From)
		}
		if l.Form == net.Pooled {
			if pooled[l.From] == nil {
				p, err := b.pool(h.Name+".pool"+l.From, x)
				if err != nil {
					return nil, err
				}
				pooled[l.From] = p
			}
			x = pooled[l.From]
		}
		// A layer of form Board reads the rows of a board's 64 squares as one row.
		y, err := b.linear(l.Name, x, b.params[l.Name+".weight"], b.params[l.Name+".bias"], l.Relu)
		if err != nil {
			return nil, err
		}
		results[l.Name] = y
	}
	var outputs []*output
	for _, name := range h.Outputs {
		node := results[name]
		outputs = append(outputs, &output{h.Layer(name), node, floats(node.Op().(*differentiable).result)})
	}
	return outputs, nil
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

// Evaluate runs the network on BatchSize positions, as a reference for other ways
// to evaluate it. x is [BatchSize][64][NumPlanes]. Each of outputs, one per head in
// the network's order, receives the logits, [BatchSize][Size].
func (g *Graph) Evaluate(x []float32, outputs ...[]float32) error {
	b := learn.NewBatch(g.config, g.size)
	b.X = x
	if _, err := g.run(g.test, b); err != nil {
		return err
	}
	for k, out := range outputs {
		h := g.heads[k]
		if len(out) != g.size*h.Size() {
			return fmt.Errorf("evaluating through the training graph: room for %d numbers of %s, want %d", len(out), h.Name, g.size*h.Size())
		}
		for i := range g.size {
			row := out[i*h.Size():][:h.Size()]
			for _, o := range h.outputs {
				for j := range o.size() {
					row[j] = o.data[o.index(i, j)]
				}
				row = row[o.size():]
			}
		}
	}
	return nil
}

func (g *Graph) run(vm G.VM, b *learn.Batch) (learn.Losses, error) {
	if err := b.Check(g.config, g.size); err != nil {
		return nil, err
	}
	copy(g.x, b.X)
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
