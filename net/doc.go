// Package net is what the policy and value network is: what it sees (Encode),
// what it is made of (Config, Head, Network), and how it is kept (Save, Load).
// Package eval runs it, package learn trains it.
//
// One description of the architecture, the ordered list of parameters and the
// table of heads that Config yields, is the source of all of these. Tensors lie
// in memory with channels last: an activation is [position][square][channel], a
// 3x3 convolution's weight [3][3][in][out], a dense layer's weight [in][out].
//
// Everything is seen from the mover's side of the board. The player to move
// sees herself at the bottom, the policy's 263 logits name actions in that
// frame, and a value is her chance to win, from 0 to 1.
//
// The package knows the rules (package game) and nothing of search, game
// records or training schedules.
package net
