// Package match lets players play against each other: a network behind its
// search, the random player, and later other engines. It stands on the rules
// and the search; the training loop and cmd/evaluate stand on it.
//
// A match is pairs of games. Both games of a pair have the same seed and the
// colours exchanged, so neither a lucky opening nor a colour favours a player.
package match
