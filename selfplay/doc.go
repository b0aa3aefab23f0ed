// Package selfplay plays many games at once and records them. It stands on the
// rules, the search, the driver of searches and the game records. Networks come to
// it and finished games leave it through small interfaces, so neither has to be in
// the same process.
//
// Every core has one worker, and every worker has many games. In each round the
// worker takes one leaf from the search of each of its games, has all leaves
// evaluated as one batch, and returns the evaluations. Because a batch is made
// across games, no search has to choose a leaf before it knows the value of the
// last one (no virtual loss).
//
// A worker that runs out of games takes half of another worker's, so no core is
// idle while several games are unfinished.
//
// # Determinism
//
// The random numbers of a game depend only on the run's seed and the game's
// number, and an evaluation does not depend on its batch. So, with a given network,
// settings and evaluation path, a game is the same byte for byte, whatever the
// number of workers and whichever of them plays it.
package selfplay
