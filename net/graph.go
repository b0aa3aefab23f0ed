package net

import (
	"fmt"
	"runtime"
	"sync"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"warren/game"
	"warren/net/internal/gradient"
	"warren/net/internal/kernel"
)

// Losses are the two losses of a batch, means over its positions weighted by
// PolicyWeight and ValueWeight, in nats.
type Losses struct {
	Policy float64 // cross-entropy of the policy, 0 if no position has a policy weight
	Value  float64 // binary cross-entropy of the value, 0 if no position has a value weight
	Total  float64 // Policy + ValueScale*Value: what Gradients are the gradients of

	PolicyWeight, ValueWeight float64 // sums of the weights, to average several batches by
}

// Graph is a Gorgonia graph that trains a Network on batches of one size.
//
// It reads the network's parameters where they are: what an optimiser writes
// to Param.Data is seen by the next run. Gradients are set anew by every run,
// they do not accumulate.
//
// A graph is for one goroutine at a time; graphs of several sizes may share a
// network and run at once while nobody writes its parameters. The same parameters and batch give the
// same gradients, bit for bit, whatever the number of workers.
type Graph struct {
	// ValueScale is the weight of the value loss in the total, 1 from NewGraph.
	ValueScale float64

	size  int
	train G.VM // forward and backward
	test  G.VM // forward only

	x, legal, policy, policyWeight, value, valueWeight []float32
	scale                                              *G.F32
	step, other, logit                                 []float32 // the heads' results
	losses                                             [2]*G.F32
	byParam                                            G.Nodes
	gradients                                          [][]float32
}

// building is held while a graph is built: Gorgonia keeps a constant node that
// all graphs share, and hashes it without a lock.
var building sync.Mutex

// builder is what the making of a graph's nodes needs to know.
type builder struct {
	graph   *G.ExprGraph
	network *Network
	params  map[string]*G.Node
	ordered G.Nodes // params in the network's order
	boards  int
	path    *kernel.Path
	workers gradient.Workers
	space   *gradient.Space
}

// NewGraph builds the graph that trains n on batches of the given size, at
// least 1, with as many goroutines as there are processors (GOMAXPROCS).
// It takes about 2 kB of memory a position, block and channel.
func NewGraph(n *Network, batch int) (*Graph, error) {
	return NewGraphWorkers(n, batch, runtime.GOMAXPROCS(0))
}

// NewGraphWorkers is NewGraph with a number of goroutines, at least 1.
func NewGraphWorkers(n *Network, batch, workers int) (*Graph, error) {
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

func newGraph(n *Network, batch, workers int) (*Graph, error) {
	b := &builder{
		graph:   G.NewGraph(),
		network: n,
		params:  make(map[string]*G.Node),
		boards:  batch,
		path:    kernels(),
		workers: gradient.Workers(workers),
		space:   new(gradient.Space),
	}
	for _, p := range n.Params {
		cols := p.Shape[len(p.Shape)-1]
		node := b.input(p.Name, len(p.Data)/cols, cols, p.Data)
		b.params[p.Name] = node
		b.ordered = append(b.ordered, node)
	}

	g := &Graph{ValueScale: 1, size: batch}
	var inputs G.Nodes
	data := func(name string, rows, cols int) ([]float32, *G.Node) {
		memory := make([]float32, rows*cols)
		node := b.input(name, rows, cols, memory)
		inputs = append(inputs, node)
		return memory, node
	}
	var x, legal, policy, policyWeight, value, valueWeight *G.Node
	g.x, x = data("batch x", batch*64, NumPlanes)
	g.legal, legal = data("batch legal", batch, game.NumActions)
	g.policy, policy = data("batch policy", batch, game.NumActions)
	g.policyWeight, policyWeight = data("batch policy weight", batch, 1)
	g.value, value = data("batch value", batch, 1)
	g.valueWeight, valueWeight = data("batch value weight", batch, 1)

	trunk, err := b.trunk(x)
	if err != nil {
		return nil, err
	}
	step, other, err := b.policyHead(trunk)
	if err != nil {
		return nil, err
	}
	logit, err := b.valueHead(trunk)
	if err != nil {
		return nil, err
	}
	policyLoss, err := b.policyLoss(step, other, legal, policy, policyWeight)
	if err != nil {
		return nil, err
	}
	valueLoss, err := b.valueLoss(logit, value, valueWeight)
	if err != nil {
		return nil, err
	}
	g.scale = G.NewF32(1)
	scale := G.NewScalar(b.graph, G.Float32, G.WithName("value scale"), G.WithValue(g.scale))
	scaled, err := G.Mul(valueLoss, scale)
	if err != nil {
		return nil, err
	}
	total, err := G.Add(policyLoss, scaled)
	if err != nil {
		return nil, err
	}

	// The forward program first, for it must not see the gradients' nodes.
	forward, where, err := G.CompileFunction(b.graph, append(inputs, b.ordered...), G.Nodes{policyLoss, valueLoss})
	if err != nil {
		return nil, err
	}
	g.test = G.NewTapeMachine(b.graph, G.WithPrecompiled(forward, where))
	if g.byParam, err = G.Grad(total, b.ordered...); err != nil {
		return nil, err
	}
	g.train = G.NewTapeMachine(b.graph)

	result := func(n *G.Node) G.Value { return n.Op().(*differentiable).result }
	g.step, g.other, g.logit = floats(result(step)), floats(result(other)), floats(result(logit))
	g.losses = [2]*G.F32{result(policyLoss).(*G.F32), result(valueLoss).(*G.F32)}
	g.gradients = make([][]float32, len(n.Params))
	return g, nil
}

// input is a node whose value is the given memory.
func (b *builder) input(name string, rows, cols int, memory []float32) *G.Node {
	v := tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(memory))
	return G.NewMatrix(b.graph, G.Float32, G.WithShape(rows, cols), G.WithName(name), G.WithValue(v))
}

// trunk is the stem and the residual blocks: [boards*64][Channels].
func (b *builder) trunk(x *G.Node) (*G.Node, error) {
	y, err := b.conv("stem", convInputs{x: x, weight: b.params["stem.weight"], bias: b.params["stem.bias"]}, true)
	for i := 0; i < b.network.Config.Blocks && err == nil; i++ {
		y, err = b.block(i, y)
	}
	return y, err
}

// block is residual block i over x.
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

// policyHead is the logits: of steps, [boards*64][4], and of passing and the
// six placements, [boards][7].
func (b *builder) policyHead(trunk *G.Node) (step, other *G.Node, err error) {
	h, err := b.layer("policy.conv", trunk, true)
	if err != nil {
		return nil, nil, err
	}
	if step, err = b.layer("policy.step", h, false); err != nil {
		return nil, nil, err
	}
	pooled, err := b.pool("policy.pool", h)
	if err != nil {
		return nil, nil, err
	}
	other, err = b.layer("policy.other", pooled, false)
	return step, other, err
}

// valueHead is the value's logit, [boards][1].
func (b *builder) valueHead(trunk *G.Node) (*G.Node, error) {
	h, err := b.layer("value.conv", trunk, true)
	if err != nil {
		return nil, err
	}
	// The rows of a board's squares, one after the other, are one row here.
	if h, err = b.layer("value.hidden", h, true); err != nil {
		return nil, err
	}
	return b.layer("value.out", h, false)
}

// layer is the linear operation of the parameters of that name.
func (b *builder) layer(name string, x *G.Node, relu bool) (*G.Node, error) {
	return b.linear(name, x, b.params[name+".weight"], b.params[name+".bias"], relu)
}

// BatchSize is the number of positions of a batch.
func (g *Graph) BatchSize() int { return g.size }

// Gradients computes the losses of a batch and the gradients of their total by
// every parameter. The batch must have the graph's size; its numbers are
// copied. The error tells what is wrong with the batch.
func (g *Graph) Gradients(b *Batch) (Losses, error) {
	l, err := g.run(g.train, b)
	if err != nil {
		return Losses{}, err
	}
	for i, n := range g.byParam {
		g.gradients[i] = floats(n.Value())
	}
	return l, nil
}

// Gradient is the gradient by the network's parameter i, as the last call of
// Gradients computed it, nil before the first. The next run overwrites it.
func (g *Graph) Gradient(i int) []float32 { return g.gradients[i] }

// Losses computes the losses of a batch as Gradients does, without gradients.
func (g *Graph) Losses(b *Batch) (Losses, error) { return g.run(g.test, b) }

// Evaluate runs the network on the graph's number of positions through
// Gorgonia, as a reference for Plan: x is [BatchSize][64][NumPlanes], policy
// takes [BatchSize][263] logits, value [BatchSize] logits.
func (g *Graph) Evaluate(x, policy, value []float32) error {
	b := NewBatch(g.size)
	b.X = x
	if _, err := g.run(g.test, b); err != nil {
		return err
	}
	if len(policy) != g.size*game.NumActions || len(value) != g.size {
		return fmt.Errorf("evaluating through the training graph: room for %d policy and %d value numbers, want %d and %d",
			len(policy), len(value), g.size*game.NumActions, g.size)
	}
	copy(value, g.logit)
	for i := range g.size {
		row := policy[i*game.NumActions:][:game.NumActions]
		for a := range int(game.Pass) {
			row[a] = g.step[(i*64+a%64)*4+a/64]
		}
		copy(row[game.Pass:], g.other[i*7:])
	}
	return nil
}

func (g *Graph) run(vm G.VM, b *Batch) (Losses, error) {
	if err := b.check(g.size); err != nil {
		return Losses{}, err
	}
	var l Losses
	copy(g.x, b.X)
	for i, ok := range b.Legal {
		g.legal[i] = 0
		if ok {
			g.legal[i] = 1
		}
	}
	copy(g.policy, b.Policy)
	copy(g.policyWeight, b.PolicyWeight)
	copy(g.value, b.Value)
	copy(g.valueWeight, b.ValueWeight)
	for i := range g.size {
		if b.ValueWeight == nil {
			g.valueWeight[i] = 1
		}
		l.PolicyWeight += float64(g.policyWeight[i])
		l.ValueWeight += float64(g.valueWeight[i])
	}
	*g.scale = G.F32(g.ValueScale)

	vm.Reset()
	if err := vm.RunAll(); err != nil {
		return Losses{}, fmt.Errorf("running the training graph: %w", err)
	}
	l.Policy, l.Value = float64(*g.losses[0]), float64(*g.losses[1])
	l.Total = l.Policy + g.ValueScale*l.Value
	return l, nil
}

// Close releases the graph, which must not be used afterwards. The network
// stays.
func (g *Graph) Close() error {
	err := g.train.Close()
	if e := g.test.Close(); err == nil {
		err = e
	}
	*g = Graph{}
	return err
}
