package arena

import (
	"math/rand/v2"
	"strings"
	"testing"

	"warren/internal/arena/rating"
)

// A test counts pairs of which a game is new, in whatever order the games end, and ends if there are no more.
func TestTestCountsNoCopies(t *testing.T) {
	trace := func(moves string) trace { return traceOf(&Played{}, moves) }
	test := &rating.SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05}
	for _, c := range []struct {
		name  string
		games func(pair int) (first, second string)
		most  int // pairs played
		want  [3]int
		next  int // pairs until it ends
	}{
		{"one pair", func(int) (string, string) { return "a", "b" }, 1000, [3]int{0, 0, 1}, 1 + mostCopies},
		{"one game, played twice", func(int) (string, string) { return "a", "a" }, 1000, [3]int{0, 0, 1}, 1 + mostCopies},
		{"old games in new pairs", func(pair int) (string, string) {
			return string(rune('a' + pair%10)), string(rune('A' + pair/10%10))
		}, 1000, [3]int{0, 0, 10 + 9}, 91 + mostCopies},
		{"a new game in each", func(pair int) (string, string) { return "a", string(rune(pair)) }, 20, [3]int{0, 0, 20}, 20},
		{"a new pair in time", func(pair int) (string, string) {
			if pair == mostCopies {
				return "c", "d"
			}
			return "a", "b"
		}, 1000, [3]int{0, 0, 2}, 2*mostCopies + 1},
	} {
		inOrder := make([]int, 2*c.most)
		for number := range inOrder {
			inOrder[number] = number
		}
		for _, order := range [][]int{inOrder, rand.New(rand.NewPCG(1, 1)).Perm(2 * c.most)} {
			x := trial{test: test}
			for _, number := range order {
				first, second := c.games(number / 2)
				if number%2 == 1 {
					first = second
				}
				x.add(number, true, trace(first))
			}
			if x.pairs != c.want || x.next != c.next || x.decision != rating.Undecided {
				t.Errorf("%s: %v of %d pairs count, want %v of %d: %v", c.name, x.pairs, x.next, c.want, c.next, x.decision)
			}
		}
	}
}

// Of a test that has decided, the text says that it exaggerates.
func TestVerdictSaysWhatTheIntervalIsFor(t *testing.T) {
	for verdict, said := range map[rating.Decision]bool{rating.Undecided: false, rating.AcceptElo0: true, rating.AcceptElo1: true} {
		text := (&TestRecord{Elo1: 50, Verdict: verdict}).String()
		if !strings.HasPrefix(text, "Sequential test of 0 against 50 Elo: "+verdict.String()+".\n") || strings.Contains(text, "exaggerates") != said {
			t.Errorf("%v: %s", verdict, text)
		}
	}
}
