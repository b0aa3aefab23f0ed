package graph

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"

	"warren/game"
	"warren/net"
)

// lossOperations make the operations of the losses that heads name.
var lossOperations = map[net.Loss]func(*builder, *head, lossInputs) (*G.Node, error){
	net.Policy:  (*builder).policyLoss,
	net.Chances: (*builder).chancesLoss,
}

// lossInputs are the parts of the batch that a loss reads: legal [boards][263],
// target [boards][Size of the head] and weight [boards][1]. A position of
// weight 0 takes no part, whatever its other numbers. The loss of a batch
// without weight is 0.
type lossInputs struct{ legal, target, weight *G.Node }

// policyLoss is the weighted mean over the batch of the cross-entropy between
// the target and the softmax of the legal actions' logits. The head has two
// outputs, the logits of steps and those of the other actions.
//
// Leaving illegal actions out of the softmax has the effect of adding -1e9 to
// their logits.
func (b *builder) policyLoss(h *head, in lossInputs) (*G.Node, error) {
	if len(h.outputs) != 2 || h.outputs[0].size() != int(game.Pass) || h.Size() != game.NumActions {
		return nil, fmt.Errorf("the head %s: the policy loss needs two outputs, of %d steps and %d other actions", h.Name, game.Pass, game.NumActions-game.Pass)
	}
	boards, steps, others := b.boards, h.outputs[0], h.outputs[1]
	loss := G.NewF32(0)
	chance := make([]float32, boards*game.NumActions) // softmax, 0 where illegal
	op := &differentiable{
		operation: operation{name: "policy loss", arity: 5, result: loss},
		wants:     []bool{true, true, false, false, false},
	}
	op.run = func(v []G.Value) {
		step, other, legal, target, weight := floats(v[0]), floats(v[1]), floats(v[2]), floats(v[3]), floats(v[4])
		sum, total := 0.0, 0.0
		for i, w := range weight {
			if w == 0 {
				continue
			}
			at := i * game.NumActions
			logit := func(a int) float64 {
				if a < int(game.Pass) {
					return float64(step[steps.index(i, a)])
				}
				return float64(other[others.index(i, a-int(game.Pass))])
			}
			most := math.Inf(-1)
			for a := range game.NumActions {
				if legal[at+a] != 0 {
					most = max(most, logit(a))
				}
			}
			z, cross := 0.0, 0.0
			for a := range game.NumActions {
				chance[at+a] = 0
				if legal[at+a] != 0 {
					e := math.Exp(logit(a) - most)
					chance[at+a] = float32(e)
					z += e
				}
			}
			logZ := math.Log(z)
			for a := range game.NumActions {
				chance[at+a] = float32(float64(chance[at+a]) / z)
				if t := target[at+a]; t != 0 {
					cross -= float64(t) * (logit(a) - most - logZ)
				}
			}
			sum += float64(w) * cross
			total += float64(w)
		}
		*loss = G.F32(mean(sum, total))
	}
	op.symDiff = func(in G.Nodes, y, dy *G.Node) (G.Nodes, error) {
		dStep, dOther := newMatrix(boards*64, steps.Out), newMatrix(boards, others.Out)
		back, err := G.ApplyOp(&operation{name: "policy loss gradient", arity: 4, scalars: 2, result: dStep, run: func(v []G.Value) {
			target, weight, scale := floats(v[0]), floats(v[1]), v[3].Data().(float32)
			total := float32(0)
			for _, w := range weight {
				total += w
			}
			step, other := floats(dStep), floats(dOther)
			clear(step)
			clear(other)
			for i, w := range weight {
				if w == 0 {
					continue
				}
				w *= scale / total
				chance, target := chance[i*game.NumActions:][:game.NumActions], target[i*game.NumActions:][:game.NumActions]
				whole := float32(0)
				for _, t := range target {
					whole += t
				}
				for a, p := range chance {
					if d := w * (p*whole - target[a]); a < int(game.Pass) {
						step[steps.index(i, a)] = d
					} else {
						other[others.index(i, a-int(game.Pass))] = d
					}
				}
			}
		}}, in[3], in[4], y, dy)
		if err != nil {
			return nil, err
		}
		byOther, err := part("policy loss gradient by other", back, dOther)
		return G.Nodes{back, byOther, nil, nil, nil}, err
	}
	return G.ApplyOp(op, steps.node, others.node, in.legal, in.target, in.weight)
}

// chancesLoss is the weighted mean over the batch of the binary cross-entropy
// between the target chances and the logistic function of the logits, summed
// over the head's outputs.
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
				sum += w * (max(z, 0) - z*t + math.Log1p(math.Exp(-math.Abs(z))))
			}
			total += w
		}
		*loss = G.F32(mean(sum, total))
	}
	op.symDiff = func(in G.Nodes, _, dy *G.Node) (G.Nodes, error) {
		dLogit := newMatrix(len(out.data)/out.Out, out.Out)
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
					at := out.index(i, j)
					d[at] = float32(scale * float64(w) / total * (1/(1+math.Exp(-float64(logit[at]))) - float64(target[i*size+j])))
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
