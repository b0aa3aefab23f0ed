// Package alphabeta provides Warren's hand-written opponents: an alpha-beta
// search over steps with an evaluation written by people, and a greedy player
// that does not search replies. Self-taught networks are measured against them.
// Nothing is learned from them.
//
// The package builds on the rules and on tactics. Package arena makes players
// of it.
//
// A search with a node limit is exact and deterministic: the same position and
// limits give the same turn on every machine, regardless of earlier searches.
package alphabeta
