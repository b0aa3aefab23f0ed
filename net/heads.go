package net

import "warren/game"

// heads is the table of heads. A network keeps the parameters of its heads in
// this order. A head for a new target is an entry here, the target in package
// data, and, if no loss fits, a loss in package learn.
var heads = []func(Config) Head{policyHead, valueHead}

// policyHead gives the logit of every action: a step's from the square of the
// piece that moves, the others' from the whole board.
func policyHead(c Config) Head {
	pc := c.PolicyChannels
	return Head{
		Name:    "policy",
		Meaning: "the logits of all actions, legal or not, in the mover's frame, where square is 8*rank + file; take the softmax over the legal ones only",
		Layers: []Layer{
			{Name: "policy.conv", Form: Squares, In: c.Channels, Out: pc, Relu: true},
			{Name: "policy.step", From: "policy.conv", Form: Squares, In: pc, Out: 4, Last: true},
			{Name: "policy.other", From: "policy.conv", Form: Pooled, In: pc, Out: game.NumActions - int(game.Pass), Last: true},
		},
		Outputs: []string{"policy.step", "policy.other"},
		Loss:    Policy, Weight: 1, Play: true,
	}
}

// valueHead gives the mover's chance to win.
func valueHead(c Config) Head {
	return Head{
		Name:    "value",
		Meaning: "the mover's chance to win, 0 to 1",
		Layers: []Layer{
			{Name: "value.conv", Form: Squares, In: c.Channels, Out: c.ValueChannels, Relu: true},
			{Name: "value.hidden", From: "value.conv", Form: Board, In: c.ValueChannels, Out: c.ValueHidden, Relu: true},
			{Name: "value.out", From: "value.hidden", Form: Dense, In: c.ValueHidden, Out: 1, Last: true},
		},
		Outputs: []string{"value.out"},
		Loss:    Chances, Weight: 1, Play: true,
	}
}
