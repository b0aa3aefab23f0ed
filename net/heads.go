package net

import "warren/game"

// heads is the table of heads. A network keeps the parameters of its heads in
// this order. A head for a new target is an entry here, the target of the same
// name in package data, and, if no loss fits, a loss below and in package
// learn/graph.
var heads = []func(Config) Head{policyHead, valueHead,
	survivalHead, movesLeftHead, replyHead, valuesHead, stoppedHead}

// removedHeads were auxiliary heads of earlier versions. A network that has one is read without it.
var removedHeads = []string{"lead"}

// Loss names how a head's output is compared with its target.
type Loss string

const (
	// Policy is the cross-entropy between the target, a distribution over the
	// legal actions, and the softmax of their logits.
	Policy Loss = "policy"
	// Chances is the binary cross-entropy between targets from 0 to 1 and the
	// logistic function of the outputs, summed over the outputs whose target is
	// known.
	Chances Loss = "chances"
	// Shares is the cross-entropy between the target, a distribution over the
	// outputs, and their softmax.
	Shares Loss = "shares"
)

// policyHead computes the logit of every action. The logit of a step comes from
// the square of the piece that moves, and all other logits from the whole
// board.
func policyHead(c Config) Head {
	layers, outputs := actionLayers("policy", c)
	return Head{
		Name:    "policy",
		Meaning: "the logits of all actions, legal or not, in the mover's frame, where square is 8*rank + file; take the softmax over the legal ones only",
		Layers:  layers, Outputs: outputs,
		Loss: Policy, Weight: 1, Play: true,
	}
}

// valueHead gives the mover's chance to win.
func valueHead(c Config) Head {
	layers, outputs := chanceLayers("value", c)
	return Head{
		Name:    "value",
		Meaning: "the mover's chance to win, 0 to 1",
		Layers:  layers, Outputs: outputs,
		Loss: Chances, Weight: 1, Play: true,
	}
}

// stoppedHead gives the chance that the game has no end on the board, which a
// search can count against both players.
func stoppedHead(c Config) Head {
	layers, outputs := chanceLayers("stopped", c)
	return Head{
		Name:    "stopped",
		Meaning: "the chance that the game is stopped at the turn limit of self-play, 0 to 1",
		Layers:  layers, Outputs: outputs,
		Loss: Chances, Weight: 1, Play: true, Auxiliary: true,
	}
}

// survivalHead is the ownership head of KataGo (Wu 2019, sec. 4.1) for a game
// of pieces. The weight is the one of ownership, 1.5 divided by the number of
// squares.
func survivalHead(c Config) Head {
	return Head{
		Name: "survival",
		Meaning: "for each square, the chance that the piece on it will still be on the board, wherever: 0-63 square by square after four turns, this one included; " +
			"64-127 at the end of the game; without meaning for empty squares",
		Layers: []Layer{
			{Name: "survival.conv", Form: Squares, In: c.Channels, Out: c.ValueChannels, Relu: true},
			{Name: "survival.out", From: "survival.conv", Form: Squares, In: c.ValueChannels, Out: 2, Last: true},
		},
		Outputs: []string{"survival.out"},
		Loss:    Chances, Weight: 1.5 / 64, Auxiliary: true,
	}
}

// movesLeftHead is the moves-left head of Leela Chess Zero (2020), with ranges
// in place of its single number, so that games of very different length count
// alike.
func movesLeftHead(c Config) Head {
	layers, outputs := summaryLayers("moves_left", c, 16)
	return Head{
		Name: "moves_left",
		Meaning: "the distribution of the number of turns of both players to the end of the game, this one included: indices 0-3 are 1 to 4 turns, " +
			"and from there each two indices are ranges that together double the number: 5-6, 7-8, 9-12, 13-16, up to 129-192 (index 14) and 193 or more (15)",
		Layers: layers, Outputs: outputs,
		Loss: Shares, Weight: 0.2, Auxiliary: true,
	}
}

// replyHead is the opponent's policy of KataGo (Wu 2019, sec. 3.4, with its
// weight).
func replyHead(c Config) Head {
	layers, outputs := actionLayers("reply", c)
	return Head{
		Name:    "reply",
		Meaning: "the distribution of the first action of the opponent's next turn, in the frame of the present mover: north is away from the present mover",
		Layers:  layers, Outputs: outputs,
		Loss: Shares, Weight: 0.15, Auxiliary: true,
	}
}

// valuesHead is the short-term values of KataGo (KataGoMethods.md, "Short-term
// Value and Score Targets"): they are nearer than the end of the game, and
// therefore less noisy. Its three losses together have the weight of the value
// loss.
func valuesHead(c Config) Head {
	layers, outputs := summaryLayers("values", c, 3)
	return Head{
		Name:    "values",
		Meaning: "the present mover's chance to win, 0 to 1, as a search will see it 2, 6 and 16 turns of both players later",
		Layers:  layers, Outputs: outputs,
		Loss: Chances, Weight: 1. / 3, Auxiliary: true,
	}
}

// actionLayers compute a number for every action. The number of a step comes
// from the square of the piece that moves, and all other numbers from the whole
// board.
func actionLayers(head string, c Config) (layers []Layer, outputs []string) {
	conv, step, other := head+".conv", head+".step", head+".other"
	return []Layer{
		{Name: conv, Form: Squares, In: c.Channels, Out: c.PolicyChannels, Relu: true},
		{Name: step, From: conv, Form: Squares, In: c.PolicyChannels, Out: 4, Last: true},
		{Name: other, From: conv, Form: Pooled, In: c.PolicyChannels, Out: game.NumActions - int(game.Pass), Last: true},
	}, []string{step, other}
}

// chanceLayers give one chance for the whole board.
func chanceLayers(head string, c Config) (layers []Layer, outputs []string) {
	conv, hidden, out := head+".conv", head+".hidden", head+".out"
	return []Layer{
		{Name: conv, Form: Squares, In: c.Channels, Out: c.ValueChannels, Relu: true},
		{Name: hidden, From: conv, Form: Board, In: c.ValueChannels, Out: c.ValueHidden, Relu: true},
		{Name: out, From: hidden, Form: Dense, In: c.ValueHidden, Out: 1, Last: true},
	}, []string{out}
}

// summaryLayers give a few numbers for the whole board.
func summaryLayers(head string, c Config, size int) (layers []Layer, outputs []string) {
	conv, out := head+".conv", head+".out"
	return []Layer{
		{Name: conv, Form: Squares, In: c.Channels, Out: c.ValueChannels, Relu: true},
		{Name: out, From: conv, Form: Pooled, In: c.ValueChannels, Out: size, Last: true},
	}, []string{out}
}
