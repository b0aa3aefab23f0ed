package selfplay

import (
	"warren/game"
	"warren/mcts"
)

// batch is the leaves of one evaluation, in the form that evaluators take. Its
// memory is used again and again.
type batch struct {
	positions []*game.Game
	legal     [][]game.Action
	priors    [][]float32
	values    []float32
	store     []float32
}

func (b *batch) clear() {
	b.positions, b.legal = b.positions[:0], b.legal[:0]
}

func (b *batch) add(leaf *mcts.Leaf) {
	b.positions = append(b.positions, leaf.Game)
	b.legal = append(b.legal, leaf.Legal)
}

func (b *batch) evaluate(e Evaluator) error {
	total := 0
	for _, legal := range b.legal {
		total += len(legal)
	}
	if cap(b.store) < total {
		b.store = make([]float32, 2*total)
	}
	b.priors = b.priors[:0]
	at := 0
	for _, legal := range b.legal {
		b.priors = append(b.priors, b.store[at:at+len(legal)])
		at += len(legal)
	}
	if cap(b.values) < len(b.positions) {
		b.values = make([]float32, 2*len(b.positions))
	}
	b.values = b.values[:len(b.positions)]
	return e.Evaluate(b.positions, b.legal, b.priors, b.values)
}
