// Package game holds the rules of Arimaa: the board, steps and turns, the
// setup, repetition and the ways a game ends, with the notation that people
// and other programs use for them.
//
// It is the lowest room of the house: it knows of nothing else in Warren, and
// everything else plays through it. An action is a single step (or a
// placement of the setup, or the pass that ends a turn early), and a [Game]
// offers only actions from which the turn can still be completed legally.
//
// Positions are four bitboards, so that generating the legal steps of a
// position and making one cost tens of nanoseconds and no allocation.
package game
