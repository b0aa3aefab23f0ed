package graph

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"

	"warren/game"
	"warren/net"
)

// lossOperations builds the operation of each loss that a head can name.
var lossOperations = map[net.Loss]func(*builder, *head, lossInputs) (*G.Node, error){
	net.Policy:  (*builder).policyLoss,
	net.Chances: (*builder).chancesLoss,
	net.Shares:  (*builder).sharesLoss,
}

// lossInputs are the parts of the batch that a loss reads: legal [boards][263],
// target [boards][Size of the head] and weight [boards][1]. Positions of weight 0
// are ignored. If all weights are 0 the loss is 0.
type lossInputs struct{ legal, target, weight *G.Node }

// policyLoss is the cross-entropy of a head over the legal actions.
func (b *builder) policyLoss(h *head, in lossInputs) (*G.Node, error) {
	if h.Size != game.NumActions {
		return nil, fmt.Errorf("the head %s: the policy loss needs outputs for %d actions, not %d", h.Name, game.NumActions, h.Size)
	}
	return b.crossEntropy(h, in.target, in.weight, in.legal)
}

// sharesLoss is the cross-entropy of a head over all its outputs.
func (b *builder) sharesLoss(h *head, in lossInputs) (*G.Node, error) {
	return b.crossEntropy(h, in.target, in.weight)
}

// chancesLoss is the weighted mean over the batch of the binary cross-entropy
// between the target chances and the logistic function of the logits. It is summed
// over the outputs whose target is known, that is, not NaN.
func (b *builder) chancesLoss(h *head, in lossInputs) (*G.Node, error) {
	if len(h.outputs) != 1 {
		return nil, fmt.Errorf("the head %s: the loss of chances needs one output layer, not %d", h.Name, len(h.outputs))
	}
	out := h.outputs[0]
	size := out.size()
	loss := G.NewF32(0)
	op := &differentiable{
		operation: operation{name: h.Name + " loss", arity: 3, result: loss},
		wants:     []bool{true, false, false},
	}
	op.run = func(v []G.Value) {
		logit, target, weight := floats(v[0]), floats(v[1]), floats(v[2])
		sum, total := 0.0, 0.0
		for i, w := range weight {
			if w == 0 {
				continue
			}
			w := float64(w)
			for j := range size {
				// -t ln s(z) - (1-t) ln(1-s(z)), with no exponential above 1.
				z, t := float64(logit[out.index(i, j)]), float64(target[i*size+j])
				if math.IsNaN(t) {
					continue
				}
				sum += w * (max(z, 0) - z*t + math.Log1p(math.Exp(-math.Abs(z))))
			}
			total += w
		}
		*loss = G.F32(mean(sum, total))
	}
	op.symDiff = func(in G.Nodes, _, dy *G.Node) (G.Nodes, error) {
		dLogit := newMatrix(len(out.data)/out.Channels, out.Channels)
		back, err := G.ApplyOp(&operation{name: h.Name + " loss gradient", arity: 4, scalars: 1, result: dLogit, run: func(v []G.Value) {
			logit, target, weight, scale := floats(v[0]), floats(v[1]), floats(v[2]), float64(v[3].Data().(float32))
			total := 0.0
			for _, w := range weight {
				total += float64(w)
			}
			d := floats(dLogit)
			clear(d)
			for i, w := range weight {
				if w == 0 {
					continue
				}
				for j := range size {
					at, t := out.index(i, j), float64(target[i*size+j])
					if math.IsNaN(t) {
						continue
					}
					d[at] = float32(scale * float64(w) / total * (1/(1+math.Exp(-float64(logit[at]))) - t))
				}
			}
		}}, in[0], in[1], in[2], dy)
		return G.Nodes{back, nil, nil}, err
	}
	return G.ApplyOp(op, out.node, in.target, in.weight)
}

func mean(sum, weight float64) float64 {
	if weight == 0 {
		return 0
	}
	return sum / weight
}
