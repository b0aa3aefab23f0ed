package arena

import "warren/internal/arena/rating"

// TestRecord is a sequential test of the first of two players and what it has
// decided, as the results keep it.
type TestRecord struct {
	Elo0    float64         `json:"elo0"`
	Elo1    float64         `json:"elo1"`
	Alpha   float64         `json:"alpha"`
	Beta    float64         `json:"beta"`
	Verdict rating.Decision `json:"verdict"`
	Pairs   [3]int          `json:"pairs"` // pairs that it counted, by the player's wins: none, one, both
}

// NewTestRecord returns the record of a test that has counted pairs.
func NewTestRecord(t rating.SPRT, verdict rating.Decision, pairs [3]int) *TestRecord {
	return &TestRecord{t.Elo0, t.Elo1, t.Alpha, t.Beta, verdict, pairs}
}

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
		t.decision = t.test.Decide(t.pairs)
		delete(t.played, t.next)
		delete(t.wins, t.next)
		t.next++
	}
}
