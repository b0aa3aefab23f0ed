package replay

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the order in which games come, a window that is filled holds in the end what it would hold if each had been
// inserted in its place. Meanwhile no game moves others, or filling a large window would take a time quadratic in its games.
func TestFilledWindow(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		bound := rapid.IntRange(1, 150).Draw(rt, "bound")
		inserted, filled := NewWindow(bound, outcomes()), NewWindow(bound, outcomes())
		begins := rapid.IntRange(0, 5).Draw(rt, "begins")
		for i := range rapid.IntRange(5, 60).Draw(rt, "games") {
			if i == begins {
				filled.fill()
			}
			arrival, number := rapid.Uint64Range(0, 9).Draw(rt, "arrival"), rapid.Uint64Range(0, 15).Draw(rt, "game")
			r := fakeRecord(number, 0, int(number*7)%25)
			before := slices.Clone(filled.games)
			inserted.Add(arrival, r)
			filled.Add(arrival, r)
			if n := len(before); i >= begins && len(filled.games) > n && !slices.Equal(filled.games[:n], before) {
				rt.Fatalf("game %d moves others", i)
			}
			if n := filled.Positions(); n > bound+bound/16 && filled.Games() > 1 {
				rt.Fatalf("%d positions in a window of %d", n, bound)
			}
		}
		filled.settle()
		if got, want := filled.keys(), inserted.keys(); !slices.Equal(got, want) {
			rt.Fatalf("it holds %v, want %v", got, want)
		}
		if filled.anyGone != inserted.anyGone || filled.gone != inserted.gone || filled.sums != inserted.sums || !maps.Equal(filled.held, inserted.held) {
			rt.Fatalf("it is %+v, want %+v", filled, inserted)
		}
		for i := range filled.Positions() {
			p, j := filled.at(i)
			if q, k := inserted.at(i); p.key != q.key || j != k {
				rt.Fatalf("position %d is number %d of %v, want number %d of %v", i, j, p.key, k, q.key)
			}
		}
	})
}
