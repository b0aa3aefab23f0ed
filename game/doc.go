// Package game implements the rules of Arimaa: the board, steps and turns, the
// setup, repetition and the ways a game ends. It also reads and writes the
// notation that people and other programs use.
//
// It imports no other package of Warren, and every package that plays uses it.
// An action is a single step, a placement of the setup, or the pass that ends a
// turn early. A [Game] offers only actions from which the turn can still be
// completed legally.
//
// A position is stored as four bitboards. Generating a legal step and making it
// takes tens of nanoseconds and allocates nothing.
package game
