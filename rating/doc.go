// Package rating is the mathematics of who is stronger, and how sure one can be
// of it: ratings on the Elo scale by maximum likelihood with their intervals,
// which pairing to play next to learn most, and the sequential test that ends a
// match of two as soon as it has said enough.
//
// It knows nothing of games or players, which are numbers here; package match
// gives them names, and stands on it.
//
// Games are taken as independent of each other. Two games with one opening and
// the colours exchanged are not quite that: where the opening or the colour
// favours a side, one is won and one is lost more often than chance has it, and
// the intervals are then a little too wide, not too narrow. The sequential test
// counts whole pairs and needs no such excuse.
package rating
