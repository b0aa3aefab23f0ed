// Package alphabeta is Warren's hand-written opponent: an alpha-beta search over
// steps with an evaluation written by people, and a greedy player that does not
// search replies. Self-taught networks are measured against them; nothing is
// learnt from them.
//
// The package stands on the rules and on tactics; match seats its players.
//
// A search with a limit of nodes is exact and deterministic: the same position
// and limits give the same turn on every machine, whatever was searched before.
package alphabeta
