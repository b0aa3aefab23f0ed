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
	boards, size, layers := b.boards, h.Size, len(h.outputs)
	loss := G.NewF32(0)
	share := make([]float32, boards*size) // softmax, 0 where not allowed
	var inputs G.Nodes
	wants := make([]bool, layers+2+len(allowed))
	for k, o := range h.outputs {
		inputs = append(inputs, o.node)
		wants[k] = true
	}
	inputs = append(append(inputs, target, weight), allowed...)
	op := &differentiable{operation: operation{name: h.Name + " loss", arity: len(inputs), result: loss}, wants: wants}
	logits := make([]float64, size) // of one board
	op.run = func(v []G.Value) {
		target, weight := floats(v[layers]), floats(v[layers+1])
		sum, total := 0.0, 0.0
		for i, w := range weight {
			if w == 0 {
				continue
			}
			row := logits
			for k, o := range h.outputs {
				data := floats(v[k])
				for j := range o.size() {
					row[j] = float64(data[o.index(i, j)])
				}
				row = row[o.size():]
			}
			if len(allowed) > 0 {
				for j, ok := range floats(v[layers+2])[i*size:][:size] {
					if ok == 0 {
						logits[j] = math.Inf(-1)
					}
				}
			}
			cross := softmax(share[i*size:][:size], logits, target[i*size:][:size])
			sum += float64(w) * cross
			total += float64(w)
		}
		*loss = G.F32(mean(sum, total))
	}
	op.symDiff = func(in G.Nodes, y, dy *G.Node) (G.Nodes, error) {
		slopes := make([]*tensor.Dense, layers)
		for k, o := range h.outputs {
			slopes[k] = newMatrix(len(o.data)/o.Channels, o.Channels)
		}
		back, err := G.ApplyOp(&operation{name: h.Name + " loss gradient", arity: 4, scalars: 2, result: slopes[0], run: func(v []G.Value) {
			target, weight, scale := floats(v[0]), floats(v[1]), v[3].Data().(float32)
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
				share, target := share[i*size:][:size], target[i*size:][:size]
				whole := float32(0)
				for _, t := range target {
					whole += t
				}
				for k, o := range h.outputs {
					d := floats(slopes[k])
					for j := range o.size() {
						d[o.index(i, j)] = w * (share[j]*whole - target[j])
					}
					share, target = share[o.size():], target[o.size():]
				}
			}
		}}, in[layers], in[layers+1], y, dy)
		if err != nil {
			return nil, err
		}
		grads := make(G.Nodes, len(in))
		grads[0] = back
		for k := 1; k < layers; k++ {
			if grads[k], err = part(fmt.Sprintf("%s loss gradient by %s", h.Name, h.outputs[k].name), back, slopes[k]); err != nil {
				return nil, err
			}
		}
		return grads, nil
	}
	return G.ApplyOp(op, inputs...)
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
