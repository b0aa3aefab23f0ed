// Package selfplay plays many games at once and records them. It stands on the
// rules, the search and the game records; networks come to it, and finished
// games leave it, through small interfaces, so that neither has to be in the
// same process one day.
//
// Every core has one worker, and every worker has many games. In a round the
// worker asks the search of each of its games for one leaf, evaluates all of
// them as one batch, and hands the evaluations back. Batches are made across
// games, so no search has to guess what it would have learnt (no virtual loss).
//
// A worker that runs out of games is given half of another's: no core is idle
// while a game is unfinished.
//
// # Determinism
//
// The random numbers of a game come from the run's seed and the game's number
// alone, and an evaluation does not depend on its batch. So with a given
// network a game is the same, byte for byte, whatever the number of workers and
// whichever of them plays it.
package selfplay
