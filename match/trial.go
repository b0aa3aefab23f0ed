package match

import "warren/rating"

// trial carries out a sequential test on the games of two players, in whatever
// order they end. It looks at the pairs in the order of their numbers, so that
// neither how long a game takes nor how many are played at once has a part in
// the decision.
type trial struct {
	test     *rating.SPRT // nil: nothing is ever decided
	wins     map[int]int  // first player's, in pairs that are not counted yet
	played   map[int]int  // games of these pairs
	next     int          // pair to be counted
	pairs    [3]int       // counted, by the first player's wins
	decision rating.Decision
}

// add takes a finished game.
func (t *trial) add(g *Game) {
	if t.test == nil || t.decision != rating.Undecided {
		return
	}
	if t.played == nil {
		t.wins, t.played = map[int]int{}, map[int]int{}
	}
	pair := g.Number / 2
	t.played[pair]++
	if g.Won() {
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
