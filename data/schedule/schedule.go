// Package schedule has numbers that change with the games of a run: the visits of searches, the share of material in a
// target.
package schedule

// Number is the type of a value.
type Number interface{ int | float64 }

// ByGame goes from one number to another, linearly over the first games of a run. It depends on nothing but
// the number of the game, so a game can be played again.
type ByGame[T Number] struct {
	Initial T   // in game 0
	Final   T   // from game number Games on
	Games   int // 0 means that every game has Final
}

// At returns the value in the game with the given number. A fraction of an int is cut off.
func (v ByGame[T]) At(number uint64) T {
	if number >= uint64(v.Games) {
		return v.Final
	}
	whole := float64(v.Games)
	return T(float64(v.Final) + float64(v.Initial-v.Final)*(whole-float64(number))/whole)
}
