// Package schedule has numbers that change in the course of a run: the visits of searches, the share of
// material in a target, the learning rate.
package schedule

// Number is the type of a value.
type Number interface{ int | float64 }

// Value goes from one number to another.
type Value[T Number] struct{ Initial, Final T }

// At returns the value when a part of the way is left: Initial if that is the whole way, Final if it is
// nothing. A fraction of an int is cut off.
func (v Value[T]) At(left, whole float64) T {
	return T(float64(v.Final) + float64(v.Initial-v.Final)*left/whole)
}

// ByGame goes from one number to another, linearly over the first games of a run. It depends on nothing but
// the number of the game, so a game can be played again.
type ByGame[T Number] struct {
	Initial T   // in game 0
	Final   T   // from game number Games on
	Games   int // 0 means that every game has Final
}

// At returns the value in the game with the given number.
func (v ByGame[T]) At(number uint64) T {
	if number >= uint64(v.Games) {
		return v.Final
	}
	whole := float64(v.Games)
	return Value[T]{v.Initial, v.Final}.At(whole-float64(number), whole)
}
