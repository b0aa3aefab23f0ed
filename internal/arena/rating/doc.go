// Package rating estimates the strength of players from the results of their
// games. It fits ratings on the Elo scale, with confidence intervals. It chooses the
// pairings whose games narrow the intervals most, and knows when none does. It also
// provides a sequential test that ends a match between two players as soon as the
// result is clear.
//
// The package knows nothing about games, and players are just numbers. Package
// arena, which uses it, gives them names.
//
// The fit assumes that games are independent. Two games with the same opening and
// the colours exchanged are not quite independent: if the opening or the colour
// favours one side, each player wins one of the two more often than chance would
// have it. The intervals are then slightly too wide, not too narrow. The sequential
// test counts whole pairs and does not need this assumption.
package rating
