package net

import "warren/game"

// Loss names how the numbers of a head are compared with its target. It says nothing about the
// head's output in play.
type Loss string

const (
	// Policy is the cross-entropy between the target, a distribution over the
	// legal actions, and the softmax of their logits.
	Policy Loss = "policy"
	// Chances is the binary cross-entropy between targets from 0 to 1 and the
	// logistic function of the numbers, summed over those whose target is known.
	Chances Loss = "chances"
	// Shares is the cross-entropy between the target, a distribution over the
	// outputs, and the softmax of the numbers.
	Shares Loss = "shares"
)

// headLayers is a head and the function that adds its operations to a program. The function
// returns the results that form the output.
type headLayers struct {
	Head
	build func(b *builder, name string) []Value
}

// heads is the table of heads. A network keeps the parameters of its heads in
// this order. A head for a new target is an entry here, the target of the same
// name in data/replay/targets.go, and, if no loss fits, a loss above, in
// internal/learn/graph/loss.go and in internal/learn/gpu/network.go.
var heads = []headLayers{
	// The logit of a step comes from the square of the piece that moves, and all other logits
	// from the whole board.
	{Head{
		Name:    "policy",
		Meaning: "the logits of all actions, legal or not, in the mover's frame, where square is 8*rank + file; take the softmax over the legal ones only",
		Loss:    Policy, Weight: 1, Play: true,
	}, (*builder).actions},

	{Head{
		Name:       "value",
		Meaning:    "the mover's chance to win, 0 to 1",
		Activation: Logistic, Loss: Chances, Weight: 1, Play: true,
	}, (*builder).chance},

	// The ownership head of KataGo (Wu 2019, sec. 4.1) for a game of pieces. The weight is the one of
	// ownership, 1.5 divided by the number of squares.
	{Head{
		Name: "survival",
		Meaning: "for each square, the chance that the piece on it will still be on the board, wherever: 0-63 square by square after four turns, this one included; " +
			"64-127 at the end of the game; without meaning for empty squares",
		Activation: Logistic, Loss: Chances, Weight: 1.5 / 64, Auxiliary: true,
	}, func(b *builder, name string) []Value {
		ch := b.config.ValueChannels
		conv := b.square(b.Trunk, b.matrix(name+".conv", 1, rectified, b.config.Channels, ch), ReLU)
		return []Value{b.square(conv, b.matrix(name+".out", last, linear, ch, 2), Linear)}
	}},

	// The moves-left head of Leela Chess Zero (2020), with ranges instead of its single number, so
	// that games of very different length count alike.
	{Head{
		Name: "moves_left",
		Meaning: "the distribution of the number of turns of both players to the end of the game, this one included: indices 0-3 are 1 to 4 turns, " +
			"and from there each two indices are ranges that together double the number: 5-6, 7-8, 9-12, 13-16, up to 129-192 (index 14) and 193 or more (15)",
		Activation: Softmax, Loss: Shares, Weight: 0.2, Auxiliary: true,
	}, summary(16)},

	// The opponent's policy of KataGo (Wu 2019, sec. 3.4, with its weight).
	{Head{
		Name:       "reply",
		Meaning:    "the distribution of the first action of the opponent's next turn, in the frame of the present mover: north is away from the present mover",
		Activation: Softmax, Loss: Shares, Weight: 0.15, Auxiliary: true,
	}, (*builder).actions},

	// The short-term values of KataGo (KataGoMethods.md, "Short-term Value and Score Targets"): they
	// are nearer than the end of the game, and therefore less noisy. Its three losses together have the
	// weight of the policy loss.
	{Head{
		Name:       "values",
		Meaning:    "the present mover's chance to win, 0 to 1, as a search will see it 2, 6 and 16 turns of both players later",
		Activation: Logistic, Loss: Chances, Weight: 1. / 3, Auxiliary: true,
	}, summary(3)},

	// A search can count it against both players.
	{Head{
		Name:       "stopped",
		Meaning:    "the chance that the game is stopped at the turn limit of self-play, 0 to 1",
		Activation: Logistic, Loss: Chances, Weight: 1, Play: true, Auxiliary: true,
	}, (*builder).chance},

	// The soft policy of KataGo (KataGoMethods.md, "Auxiliary Soft Policy Target", with a quarter of its weight,
	// because 8 costs the value): in the policy loss the best one or two actions count, here those behind them as well.
	{Head{
		Name:    "soft_policy",
		Meaning: "logits of all actions, as in policy; the softmax over the legal ones is the policy target to the power of 1/4, scaled to sum to 1",
		Loss:    Policy, Weight: 2, Auxiliary: true,
	}, (*builder).actions},
}

// removedHeads were auxiliary heads of earlier versions. A network that has one is read without it.
var removedHeads = []string{"lead"}

// last is the scale of the initial weights of a head's last layer.
const last = 0.1

// actions adds layers that give a number for every action. The number of a step comes
// from the square of the piece that moves, and all other numbers from the whole
// board.
func (b *builder) actions(name string) []Value {
	ch, others := b.config.PolicyChannels, game.NumActions-int(game.Pass)
	conv := b.square(b.Trunk, b.matrix(name+".conv", 1, rectified, b.config.Channels, ch), ReLU)
	step := b.square(conv, b.matrix(name+".step", last, linear, ch, 4), Linear)
	other := b.dense(b.pool(conv), b.layer(name+".other", last, linear, ch, 2*ch, others), Linear)
	return []Value{step, other}
}

// chance adds layers that give one number for the whole board.
func (b *builder) chance(name string) []Value {
	ch, units := b.config.ValueChannels, b.config.ValueHidden
	conv := b.square(b.Trunk, b.matrix(name+".conv", 1, rectified, b.config.Channels, ch), ReLU)
	hidden := b.dense(conv, b.layer(name+".hidden", 1, rectified, ch, 64*ch, units), ReLU)
	return []Value{b.dense(hidden, b.matrix(name+".out", last, linear, units, 1), Linear)}
}

// summary returns a function that adds layers that give a few numbers for the whole board.
func summary(size int) func(b *builder, name string) []Value {
	return func(b *builder, name string) []Value {
		ch := b.config.ValueChannels
		conv := b.square(b.Trunk, b.matrix(name+".conv", 1, rectified, b.config.Channels, ch), ReLU)
		return []Value{b.dense(b.pool(conv), b.layer(name+".out", last, linear, ch, 2*ch, size), Linear)}
	}
}

// matrix declares a layer whose weight reads every channel once.
func (b *builder) matrix(name string, scale, variance float64, in, out int) int {
	return b.layer(name, scale, variance, in, in, out)
}
