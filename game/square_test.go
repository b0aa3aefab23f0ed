package game

import "testing"

// TestStepsBetweenSquares compares the bitboards of steps with files and ranks.
func TestStepsBetweenSquares(t *testing.T) {
	for from := Square(0); from < 64; from++ {
		var next uint64
		var rabbits [2]uint64
		for to := Square(0); to < 64; to++ {
			files, ranks := to.File()-from.File(), to.Rank()-from.Rank()
			if files*files+ranks*ranks != 1 {
				continue
			}
			next |= 1 << to
			if ranks >= 0 {
				rabbits[Gold] |= 1 << to
			}
			if ranks <= 0 {
				rabbits[Silver] |= 1 << to
			}
		}
		if got := Neighbors(1 << from); got != next {
			t.Errorf("next to %v: %x, want %x", from, got, next)
		}
		for c, want := range rabbits {
			if got := RabbitSteps(1<<from, Color(c)); got != want {
				t.Errorf("a rabbit of %v's on %v: %x, want %x", Color(c), from, got, want)
			}
			if goal := GoalRank(Color(c))>>from&1 != 0; goal != (from.Rank() == [2]int{7, 0}[c]) {
				t.Errorf("%v in %v's goal rank: %t", from, Color(c), goal)
			}
		}
	}
}
