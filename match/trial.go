package match

import "warren/rating"

// trial runs a sequential test on the games of two players. Games may be added
// in any order. The trial counts pairs in the order of their numbers, so the
// decision does not depend on how long a game takes or on how many are played at
// once.
type trial struct {
	test     *rating.SPRT // nil: nothing is ever decided
	wins     map[int]int  // first player's wins in pairs not yet counted
	played   map[int]int  // games of these pairs
	next     int          // next pair to count
	pairs    [3]int       // pairs counted, by the first player's wins
	decision rating.Decision
}

// add takes the result of a game by its number.
func (t *trial) add(number int, won bool) {
	if t.test == nil || t.decision != rating.Undecided {
		return
	}
	if t.played == nil {
		t.wins, t.played = map[int]int{}, map[int]int{}
	}
	pair := number / 2
	t.played[pair]++
	if won {
		t.wins[pair]++
	}
	for t.played[t.next] == 2 && t.decision == rating.Undecided {
		t.pairs[t.wins[t.next]]++
		t.decision = t.test.Decide(t.pairs[:])
		delete(t.played, t.next)
		delete(t.wins, t.next)
		t.next++
	}
}
