// Package rating is the mathematics of playing strength: ratings on the Elo scale
// by maximum likelihood, their intervals, the choice of the pairing to play next,
// and the sequential test that ends a match of two once the result is clear.
//
// Players are numbers here. The package knows nothing of games; package match,
// which is built on it, gives the players names.
//
// Games are taken to be independent. Two games with the same opening and exchanged
// colours are not quite independent: if the opening or the colour favours a side,
// winning one and losing the other is more frequent than by chance. The intervals
// are then slightly too wide, not too narrow. The sequential test counts whole
// pairs, so this does not affect it.
package rating
