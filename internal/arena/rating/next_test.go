package rating

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

func TestNextSpendsGamesWell(t *testing.T) {
	truth := []float64{0, 500, 1000, 1500, 2000}
	rng := rand.New(rand.NewPCG(2, 2))
	var pairings []Pairing
	for i := range truth {
		for j := range i {
			pairings = append(pairings, Pairing{A: i, B: j, Cost: 1})
		}
	}
	play := func(r *Results, p Pairing, games int) {
		for range games {
			if rng.Float64() < Chance(truth[p.A]-truth[p.B]) {
				r.Add(p.A, p.B, 1)
			} else {
				r.Add(p.B, p.A, 1)
			}
		}
	}
	const until = 100
	r := NewResults(len(truth))
	spent := 0
	for {
		got := fit(t, r, Mean)
		next := got.Next(pairings, nil, 2, until, 16)
		if len(next) == 0 {
			if got.Widest() > until {
				t.Fatalf("nothing to play at margin %v", got.Widest())
			}
			break
		}
		for _, k := range next {
			play(r, pairings[k], 2)
			spent += 2
		}
		if spent > 20000 {
			t.Fatal("the intervals do not get narrower")
		}
	}
	even := NewResults(len(truth))
	games := 0
	for {
		for _, p := range pairings {
			play(even, p, 4)
			games += 4
		}
		if fit(t, even, Mean).Widest() <= until {
			break
		}
	}
	if spent > games*3/4 {
		t.Errorf("%d games by choice, %d by rounds", spent, games)
	}
	if r.Games(4, 0) > float64(spent)/10 {
		t.Errorf("%v of %d games between the first and the last", r.Games(3, 0), spent)
	}
	// An expensive pairing is avoided.
	cheap := fit(t, r, Mean).Next([]Pairing{{A: 1, B: 2, Cost: 100}, {A: 2, B: 3, Cost: 1}}, nil, 2, 1, 1)
	if len(cheap) != 1 || cheap[0] != 1 {
		t.Errorf("chose %v", cheap)
	}
}

// A pairing that is playing already counts as if it had been chosen.
func TestNextKnowsWhatIsPlayed(t *testing.T) {
	pairings := []Pairing{{A: 0, B: 1, Cost: 1}, {A: 0, B: 2, Cost: 1}, {A: 1, B: 2, Cost: 1}}
	r := NewResults(3)
	for _, p := range pairings {
		r.Add(p.A, p.B, 5)
		r.Add(p.B, p.A, 5)
	}
	ratings := fit(t, r, Mean)
	order := ratings.Next(pairings, nil, 2, 50, 2)
	if len(order) != 2 || order[0] == order[1] {
		t.Fatalf("chose %v", order)
	}
	next := ratings.Next(pairings, []Pairing{pairings[order[0]]}, 2, 50, 1)
	if len(next) != 1 || next[0] != order[1] {
		t.Errorf("chose %v while pairing %d is playing, want %d", next, order[0], order[1])
	}
}

func TestGamesLeftIsAGoodGuess(t *testing.T) {
	r := NewResults(2)
	r.Add(0, 1, 10)
	r.Add(1, 0, 10)
	games, cost := fit(t, r, 0).GamesLeft([]Pairing{{0, 1, 3}}, 40)
	// +-40 takes (1.96*2*scale/40)^2 games at even chances, of which 20 are played.
	if want := math.Pow(1.96*2*scale/40, 2) - 20; math.Abs(float64(games)-want) > 32 || cost != 3*float64(games) {
		t.Errorf("%d games at cost %v, want %.0f games", games, cost, want)
	}
	games, _ = fit(t, r, 0).GamesLeft([]Pairing{{0, 1, 3}}, 1)
	if want := math.Pow(1.96*2*scale, 2) - 20; math.Abs(float64(games)/want-1) > 0.01 {
		t.Errorf("%d games until +-1, want %.0f", games, want)
	}
}

// More games of a pair that stands at 1,527 to 0 cannot narrow anything. Those of the
// others still can.
func TestNextLeavesDecidedPairings(t *testing.T) {
	pairings := []Pairing{{A: 0, B: 1, Cost: 0.01}, {A: 1, B: 2, Cost: 1}, {A: 0, B: 2, Cost: 0.01}}
	r := NewResults(3)
	r.Add(0, 1, 1527)
	r.Add(1, 2, 5)
	r.Add(2, 1, 5)
	ratings := fit(t, r, Mean)
	if next := ratings.Next(pairings, pairings[:1], 2, 40, 3); !reflect.DeepEqual(next, []int{1, 1, 1}) {
		t.Errorf("chose %v, want the second pairing only", next)
	}
	if apart := ratings.Apart(pairings); !reflect.DeepEqual(apart, [][]int{{0}, {1, 2}}) {
		t.Errorf("apart are %v", apart)
	}
	if got, want := ratings.Reducible(pairings), z95*scale/math.Sqrt(2.5)/2; math.Abs(got-want) > 1e-3 {
		t.Errorf("games can still narrow +-%v, want +-%v", got, want)
	}
	r.Add(1, 2, 200)
	r.Add(2, 1, 200)
	ratings = fit(t, r, Mean)
	if next := ratings.Next(pairings, nil, 2, 40, 1); len(next) > 0 || ratings.Widest() < 100 {
		t.Errorf("chose %v at +-%v", next, ratings.Widest())
	}
	if games, _ := ratings.GamesLeft(pairings, 40); games != 0 {
		t.Errorf("%d games are left", games)
	}
}

// What is still unknown in one group does not make the games of another worth playing.
func TestNextKeepsToGroups(t *testing.T) {
	r := NewResults(4)
	for _, won := range [][3]int{{0, 1, 200}, {1, 0, 200}, {2, 3, 5}, {3, 2, 5}, {0, 2, 1000}, {1, 3, 600}} {
		r.Add(won[0], won[1], float64(won[2]))
	}
	pairings := []Pairing{{A: 0, B: 1, Cost: 1e-9}, {A: 2, B: 3, Cost: 1}, {A: 0, B: 2, Cost: 1}, {A: 1, B: 3, Cost: 1}}
	if next := fit(t, r, Mean).Next(pairings, nil, 2, 40, 1); !reflect.DeepEqual(next, []int{1}) {
		t.Errorf("chose %v", next)
	}
}

// Where one player has won every game so far, the estimate counts the games until the
// pairing is left out, not those to narrow it, which would be tens of thousands.
func TestGamesLeftUntilDecided(t *testing.T) {
	pairings := []Pairing{{A: 0, B: 1, Cost: 2}, {A: 1, B: 2, Cost: 1}, {A: 0, B: 2, Cost: 3}}
	r := NewResults(3)
	r.Add(0, 1, 150)
	r.Add(1, 2, 200)
	r.Add(2, 1, 200)
	ratings := fit(t, r, Mean)
	games, cost := ratings.GamesLeft(pairings, 40)
	// A margin of m is an information of (1.96/m)^2. A game adds p(1-p)/scale^2, until the lower end of the interval is
	// where a player wins 98%.
	difference, margin := ratings.Between(0, 1)
	p, least := 1/(1+math.Exp(-difference/scale)), difference-scale*math.Log(0.98/0.02)
	want := 1.96 * 1.96 * (math.Pow(least, -2) - math.Pow(margin, -2)) / (p * (1 - p) / (scale * scale))
	if least < 40 || math.Abs(float64(games)/want-1) > 0.05 || math.Abs(cost-2*float64(games)) > 2 {
		t.Errorf("%d games at cost %v are left, want %g", games, cost, want)
	}
	r.Add(0, 1, 1000)
	if games, _ := fit(t, r, Mean).GamesLeft(pairings, 40); games != 0 {
		t.Errorf("%d games are left of a decided pairing", games)
	}
}

// A tournament ends although one player wins every game from all others, and another
// wins all but one in a hundred.
func TestNextEnds(t *testing.T) {
	truth := []float64{0, 60, 900, 5000}
	rng := rand.New(rand.NewPCG(4, 4))
	var pairings []Pairing
	for i := range truth {
		for j := range i {
			pairings = append(pairings, Pairing{A: i, B: j, Cost: 1})
		}
	}
	for _, anchor := range []int{Mean, 0} {
		r, spent := NewResults(len(truth)), 0
		for {
			ratings := fit(t, r, anchor)
			next := ratings.Next(pairings, nil, 2, 50, 8)
			if len(next) == 0 {
				if got := ratings.Apart(pairings); len(got) != 3 || len(got[2]) != 2 {
					t.Errorf("apart are %v", got)
				}
				if _, m := ratings.Between(0, 1); ratings.Reducible(pairings) > 50 || m > 100 {
					t.Errorf("ended at +-%v, and +-%v between equals", ratings.Reducible(pairings), m)
				}
				break
			}
			for _, k := range next {
				for range 2 {
					spent++
					if p := pairings[k]; rng.Float64() < Chance(truth[p.A]-truth[p.B]) {
						r.Add(p.A, p.B, 1)
					} else {
						r.Add(p.B, p.A, 1)
					}
				}
			}
			if spent > 6000 {
				t.Fatalf("no end: %v +-%v", ratings.Elo, ratings.Reducible(pairings))
			}
		}
		t.Logf("%d games", spent)
	}
}
