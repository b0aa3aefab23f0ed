package net

import (
	"math"

	G "gorgonia.org/gorgonia"

	"warren/game"
)

// policyLoss is the weighted mean over the batch of the cross-entropy between
// the target and the softmax of the legal actions' logits. step is [boards*64]
// [4], the logit of direction d from square s at [s][d]; other [boards][7];
// legal and target [boards][263], weight [boards][1]. A position of weight 0
// takes no part, whatever its other numbers. The loss of a batch without weight
// is 0.
//
// Leaving illegal actions out of the softmax is what adding -1e9 to their
// logits would come to.
func (b *builder) policyLoss(step, other, legal, target, weight *G.Node) (*G.Node, error) {
	boards := b.boards
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
					return float64(step[(i*64+a%64)*4+a/64])
				}
				return float64(other[i*7+a-int(game.Pass)])
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
		dStep, dOther := newMatrix(boards*64, 4), newMatrix(boards, 7)
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
						step[(i*64+a%64)*4+a/64] = d
					} else {
						other[i*7+a-int(game.Pass)] = d
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
	return G.ApplyOp(op, step, other, legal, target, weight)
}

// valueLoss is the weighted mean over the batch of the binary cross-entropy
// between the target chance and the logistic of the logit; all are [boards][1].
func (b *builder) valueLoss(logit, target, weight *G.Node) (*G.Node, error) {
	loss := G.NewF32(0)
	op := &differentiable{
		operation: operation{name: "value loss", arity: 3, result: loss},
		wants:     []bool{true, false, false},
	}
	op.run = func(v []G.Value) {
		target, weight := floats(v[1]), floats(v[2])
		sum, total := 0.0, 0.0
		for i, z := range floats(v[0]) {
			if weight[i] == 0 {
				continue
			}
			// -t ln s(z) - (1-t) ln(1-s(z)), with no exponential above 1.
			z, t, w := float64(z), float64(target[i]), float64(weight[i])
			sum += w * (max(z, 0) - z*t + math.Log1p(math.Exp(-math.Abs(z))))
			total += w
		}
		*loss = G.F32(mean(sum, total))
	}
	op.symDiff = func(in G.Nodes, _, dy *G.Node) (G.Nodes, error) {
		dLogit := newMatrix(b.boards, 1)
		back, err := G.ApplyOp(&operation{name: "value loss gradient", arity: 4, scalars: 1, result: dLogit, run: func(v []G.Value) {
			target, weight, scale := floats(v[1]), floats(v[2]), float64(v[3].Data().(float32))
			total := 0.0
			for _, w := range weight {
				total += float64(w)
			}
			d := floats(dLogit)
			for i, z := range floats(v[0]) {
				d[i] = 0
				if w := float64(weight[i]); w != 0 {
					d[i] = float32(scale * w / total * (1/(1+math.Exp(-float64(z))) - float64(target[i])))
				}
			}
		}}, in[0], in[1], in[2], dy)
		return G.Nodes{back, nil, nil}, err
	}
	return G.ApplyOp(op, logit, target, weight)
}

func mean(sum, weight float64) float64 {
	if weight == 0 {
		return 0
	}
	return sum / weight
}
