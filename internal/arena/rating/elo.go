package rating

import (
	"fmt"
	"math"
)

// scale is the number of Elo points in one unit of log odds.
const scale = 400 / math.Ln10

// Chance returns the chance, 0 to 1, to win against a player who is rated lower by
// difference Elo points. For a difference of 200 it is 0.76.
func Chance(difference float64) float64 { return 1 / (1 + math.Exp(-difference/scale)) }

// Difference returns the difference in Elo points that corresponds to a chance to
// win. It is the inverse of [Chance], and is infinite for chances of 0 and 1.
func Difference(chance float64) float64 { return scale * math.Log(chance/(1-chance)) }

// Format writes a rating or a difference between two as a whole number with its sign, which is + for 0.
func Format(elo float64) string { return fmt.Sprintf("%+.0f", math.Round(elo)+0 /* not -0 */) }
