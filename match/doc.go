// Package match lets players play against each other: networks and random games
// behind a search, hand-written players, outside engines. It stands on the rules
// and the search; the training loop and cmd/evaluate stand on it.
//
// Games come in pairs. Both games of a pair have the same seed and opening and
// the colours exchanged, so neither a lucky opening nor a colour favours a
// player. [Play] plays a match of two; a [Tournament] is games among several,
// rated on one scale, and can be interrupted and gone on with. [Names] reads
// players as people name them.
package match
