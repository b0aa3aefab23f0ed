package graph

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// crossEntropy returns the weighted mean over the batch of the cross-entropy
// between the target and the softmax of the head's outputs. The softmax leaves out
// outputs for which the optional allowed node is 0, as if their logits were minus
// infinity.
func (b *builder) crossEntropy(h *head, target, weight *G.Node, allowed ...*G.Node) (*G.Node, error) {
	c := &crossEntropy{
		head: h, share: make([]float32, b.boards*h.Size), logits: make([]float64, h.Size),
		loss: G.NewF32(0), masked: len(allowed) > 0,
	}
	var inputs G.Nodes
	wants := make([]bool, len(h.outputs)+2+len(allowed))
	for k, o := range h.outputs {
		inputs = append(inputs, o.node)
		wants[k] = true
	}
	inputs = append(append(inputs, target, weight), allowed...)
	op := &differentiable{operation: operation{name: h.Name + " loss", arity: len(inputs), result: c.loss}, wants: wants}
	op.run, op.symDiff = c.forward, c.gradient
	return G.ApplyOp(op, inputs...)
}

// crossEntropy is the operation that builder.crossEntropy adds.
type crossEntropy struct {
	head   *head
	share  []float32 // softmax of each board, 0 where not allowed
	logits []float64 // of one board
	loss   *G.F32
	masked bool
}

// forward takes the outputs of the head's layers, the target, the weight and perhaps the mask.
func (c *crossEntropy) forward(v []G.Value) {
	size, layers := c.head.Size, len(c.head.outputs)
	target, weight := floats(v[layers]), floats(v[layers+1])
	sum, total := 0.0, 0.0
	for i, w := range weight {
		if w == 0 {
			continue
		}
		row := c.logits
		for k, o := range c.head.outputs {
			data := floats(v[k])
			for j := range o.size() {
				row[j] = float64(data[o.index(i, j)])
			}
			row = row[o.size():]
		}
		if c.masked {
			for j, ok := range floats(v[layers+2])[i*size:][:size] {
				if ok == 0 {
					c.logits[j] = math.Inf(-1)
				}
			}
		}
		cross := softmax(c.share[i*size:][:size], c.logits, target[i*size:][:size])
		sum += float64(w) * cross
		total += float64(w)
	}
	*c.loss = G.F32(mean(sum, total))
}

// gradient adds the gradient by the outputs of each layer to the graph.
func (c *crossEntropy) gradient(in G.Nodes, y, dy *G.Node) (G.Nodes, error) {
	outputs := c.head.outputs
	layers := len(outputs)
	slopes := make([]*tensor.Dense, layers)
	for k, o := range outputs {
		slopes[k] = newMatrix(len(o.data)/o.Channels, o.Channels)
	}
	run := func(v []G.Value) { c.backward(slopes, floats(v[0]), floats(v[1]), v[3].Data().(float32)) }
	back, err := G.ApplyOp(&operation{name: c.head.Name + " loss gradient", arity: 4, scalars: 2, result: slopes[0], run: run},
		in[layers], in[layers+1], y, dy)
	if err != nil {
		return nil, err
	}
	grads := make(G.Nodes, len(in))
	grads[0] = back
	for k := 1; k < layers; k++ {
		if grads[k], err = part(fmt.Sprintf("%s loss gradient by %s", c.head.Name, outputs[k].name), back, slopes[k]); err != nil {
			return nil, err
		}
	}
	return grads, nil
}

// backward sets slopes to the gradient by the outputs of each layer, times scale.
func (c *crossEntropy) backward(slopes []*tensor.Dense, target, weight []float32, scale float32) {
	size := c.head.Size
	total := float32(0)
	for _, w := range weight {
		total += w
	}
	for _, s := range slopes {
		clear(floats(s))
	}
	for i, w := range weight {
		if w == 0 {
			continue
		}
		w *= scale / total
		share, target := c.share[i*size:][:size], target[i*size:][:size]
		whole := float32(0)
		for _, t := range target {
			whole += t
		}
		for k, o := range c.head.outputs {
			d := floats(slopes[k])
			for j := range o.size() {
				d[o.index(i, j)] = w * (share[j]*whole - target[j])
			}
			share, target = share[o.size():], target[o.size():]
		}
	}
}

// softmax sets share to the softmax of the logits and returns its cross-entropy
// with the target. Logits of minus infinity have share 0.
func softmax(share []float32, logits []float64, target []float32) float64 {
	most := math.Inf(-1)
	for _, l := range logits {
		most = max(most, l)
	}
	z := 0.0
	for j, l := range logits {
		e := 0.0
		if !math.IsInf(l, -1) {
			e = math.Exp(l - most)
		}
		share[j] = float32(e)
		z += e
	}
	logZ, cross := math.Log(z), 0.0
	for j, l := range logits {
		share[j] = float32(float64(share[j]) / z)
		if t := target[j]; t != 0 {
			cross -= float64(t) * (l - most - logZ)
		}
	}
	return cross
}
