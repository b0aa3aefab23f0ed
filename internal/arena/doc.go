// Package arena lets players play each other: networks behind a search, random
// games behind a search, hand-written players and external engines. It is built on
// the rules and the search. The training run and warren evaluate are built on it.
//
// Games come in pairs. Both games of a pair have the same seed and opening, with
// the colours exchanged, so neither a lucky opening nor a colour favours a player.
// A [Tournament] of two players or more rates them on one scale, keeps its games, and
// continues after an interruption. A [Tally] counts games, and counts apart those that
// the official score decided.
//
// [Names] reads players as people name them. Each kind of player has one entry in
// a table (kinds.go), apart from the player's own code.
package arena
