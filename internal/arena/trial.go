package arena

import (
	"fmt"

	"warren/internal/arena/rating"
)

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

// String returns the verdict in a line. Of a test that has decided, a second line says what that means for the interval.
func (t *TestRecord) String() string {
	text := fmt.Sprintf("Sequential test of %g against %g Elo: %v.\n", t.Elo0, t.Elo1, t.Verdict)
	if t.Verdict != rating.Undecided {
		text += "The interval is for a fixed number of games; a test that stops early exaggerates the difference.\n"
	}
	return text
}

// mostCopies is how many pairs of games in a row may be copies of earlier ones before a test ends undecided. Hardly
// any game is new by then, and without a new one it would play on for ever.
const mostCopies = 100

// trial runs a sequential test on the games of two players. Games may be added
// in any order. The trial counts pairs in the order of their numbers, so the
// decision does not depend on how long a game takes or on how many are played at
// once. A pair of which both games are copies of games in earlier pairs is not
// counted: players that do not draw their turns would let a test decide by one
// pair played again and again.
type trial struct {
	test     *rating.SPRT         // nil: nothing is ever decided
	waiting  map[int]*waitingPair // pairs that are not complete, or come after one
	next     int                  // the pair to look at next
	known    known                // the games of the pairs before it
	copies   int                  // pairs since the last one that counted
	pairs    [3]int               // pairs counted, by the first player's wins
	decision rating.Decision
}

// waitingPair is what has been played of a pair.
type waitingPair struct {
	wins  int // the first player's
	games []trace
}

// over reports whether the test has ended.
func (t *trial) over() bool { return t.decision != rating.Undecided || t.copies >= mostCopies }

// add takes the result of a game by its number.
func (t *trial) add(number int, won bool, game trace) {
	if t.test == nil || t.over() {
		return
	}
	if t.waiting == nil {
		t.waiting, t.known = map[int]*waitingPair{}, known{}
	}
	p := t.waiting[number/2]
	if p == nil {
		p = &waitingPair{}
		t.waiting[number/2] = p
	}
	p.games = append(p.games, game)
	if won {
		p.wins++
	}
	for p := t.waiting[t.next]; p != nil && len(p.games) == 2 && !t.over(); p = t.waiting[t.next] {
		t.count(p)
		delete(t.waiting, t.next)
		t.next++
	}
}

// count counts a pair, unless it tells nothing new.
func (t *trial) count(p *waitingPair) {
	if t.known[p.games[0]] && t.known[p.games[1]] {
		t.copies++
		return
	}
	for _, g := range p.games {
		t.known[g] = true
	}
	t.copies = 0
	t.pairs[p.wins]++
	t.decision = t.test.Decide(t.pairs)
}
