// Package alphabeta is Warren's hand-written opponent: an alpha-beta search over
// steps with an evaluation that people wrote, and a greedy player without any
// search of replies. They are what a network that taught itself is measured
// against, and nothing is learnt from them.
//
// The package stands on the rules alone; match seats its players.
//
// A search with a limit of nodes is exact and deterministic: the same position
// and limits give the same turn on every machine. Nothing is carried over from
// one turn to the next.
package alphabeta
