package rating

import "math"

// scale is the number of Elo points in one unit of log odds.
const scale = 400 / math.Ln10

// Chance returns the chance to win against a player rated lower by difference:
// 0.76 for 200.
func Chance(difference float64) float64 { return 1 / (1 + math.Exp(-difference/scale)) }

// Difference returns the difference in rating that corresponds to a chance to win.
// It is infinite at 0 and 1.
func Difference(chance float64) float64 { return scale * math.Log(chance/(1-chance)) }
