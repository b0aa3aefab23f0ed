// Package net defines the policy and value network: its input ([Encode]), its
// architecture ([Config], [Head], [Network]) and its files ([Save], [Load]).
// Running and training networks is not part of the library: [warren/net/onnx]
// writes a model that other programs run.
//
// All of this follows from one list: the network as a program of operations
// ([Program]), made from the settings, trunk and heads alike. Tensors are
// stored with channels last: an activation is [position][square][channel], a
// 3x3 convolution's weight [3][3][in][out], a dense layer's weight [in][out].
//
// The network sees every position from the mover's side of the board: the
// player to move is at the bottom. The policy's 263 logits stand for actions in
// that frame ([PolicyIndex]). A value is the mover's chance to win, from 0 to 1.
//
// The package knows the rules ([warren/game]). It knows nothing about searches,
// game records or training schedules.
package net
