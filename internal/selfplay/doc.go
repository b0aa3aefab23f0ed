// Package selfplay plays many games at once and records them. Networks come in and
// finished games go out through two small interfaces, [Networks] and [Games], so
// either may be in another process.
//
// By default there is one worker per core, and each worker plays many games. In
// each round a worker takes one leaf from the search of each of its games,
// evaluates the leaves of each network as one batch, and returns the evaluations.
// Because a batch spans games, no search chooses a leaf before it knows the value
// of the last one, and no virtual loss is needed.
//
// A worker that runs out of games takes half of another worker's. No core is idle
// while several games are unfinished.
//
// # Determinism
//
// The random numbers of a game depend only on the run's seed and the game's
// number, and an evaluation does not depend on its batch. For a given network,
// settings and evaluation path, a game is therefore the same, byte for byte,
// whatever the number of workers and whichever of them plays it.
package selfplay
