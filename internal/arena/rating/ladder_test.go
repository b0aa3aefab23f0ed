package rating

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rungs returns a ladder on which each player won games of its games against the one
// below.
func rungs(length, won, games int) *Results {
	r := NewResults(length + 1)
	for i := 1; i <= length; i++ {
		r.Add(i, i-1, float64(won))
		r.Add(i-1, i, float64(games-won))
	}
	return r
}

// The prior is a drawn game for each rung, so a rung is the same height on every
// ladder.
func TestHeightOfLadder(t *testing.T) {
	for _, length := range []int{1, 5, 80, 200} {
		for _, c := range []struct{ won, games int }{{12, 20}, {60, 100}, {600, 1000}} {
			got := fit(t, rungs(length, c.won, c.games), 0)
			n, p := float64(c.games), (float64(c.won)+0.5)/float64(c.games+1)
			elo := float64(length) * Difference(p)
			margin := z95 * scale * math.Sqrt(float64(length)/(n*p*(1-p)))
			if math.Abs(got.Elo[length]-elo) > 1e-3 || math.Abs(got.Margin(length)-margin) > 1e-3 {
				t.Errorf("%d rungs of %d to %d: %.2f +- %.2f, want %.2f +- %.2f",
					length, c.won, c.games-c.won, got.Elo[length], got.Margin(length), elo, margin)
			}
		}
	}
}

// TestLadderCoverage simulates ladders on which each player is up to 250 Elo stronger
// than the one below. About 95% of the intervals must contain the true difference of
// neighbours, and the true distance from the lowest player. The likeliest ratings fail:
// they exaggerate every rung a little, and the highest of 200 by a standard deviation.
func TestLadderCoverage(t *testing.T) {
	ladders, tolerance := 250, 0.02
	if testing.Short() {
		ladders, tolerance = 100, 0.04 // the errors of a ladder's players are alike
	}
	for _, length := range []int{5, 20, 80, 200} {
		rng := rand.New(rand.NewPCG(7, uint64(length)))
		var neighbours, distances, heights held
		for range ladders {
			truth := make([]float64, length+1)
			r, decided := NewResults(length+1), make([]bool, length+2)
			for i := 1; i <= length; i++ {
				truth[i] = truth[i-1] + 250*rng.Float64()
				won, games := 0, []int{20, 40, 100}[rng.IntN(3)]
				for range games {
					if rng.Float64() < Chance(truth[i]-truth[i-1]) {
						won++
					}
				}
				r.Add(i, i-1, float64(won))
				r.Add(i-1, i, float64(games-won))
				decided[i] = won > 0 && won < games
			}
			got := fit(t, r, 0)
			for i := 1; i <= length; i++ {
				if decided[i] {
					difference, margin := got.Between(i, i-1)
					neighbours.add(difference-truth[i]+truth[i-1], margin)
				}
				if decided[i] || decided[i+1] { // it won and lost
					distances.add(got.Elo[i]-truth[i], got.Margin(i))
				}
			}
			heights.add(got.Elo[length]-truth[length], got.Margin(length))
		}
		if math.Abs(neighbours.share()-0.95) > tolerance || math.Abs(distances.share()-0.95) > tolerance {
			t.Errorf("%d rungs: %.1f%% of the intervals between neighbours and %.1f%% of those from the lowest player hold, want 95%%",
				length, 100*neighbours.share(), 100*distances.share())
		}
		// The mean error of the height is 0, within three standard deviations.
		if bias, most := heights.errors/heights.all, 3*heights.margins/heights.all/z95/math.Sqrt(heights.all); math.Abs(bias) > most {
			t.Errorf("%d rungs: the highest player is rated %.0f too high on average, which is more than %.0f", length, bias, most)
		}
		t.Logf("%d rungs: neighbours %.1f%%, distances %.1f%%, mean error of the height %.1f of %.1f", length,
			100*neighbours.share(), 100*distances.share(), heights.errors/heights.all, heights.margins/heights.all/z95)
	}
}

// held counts intervals.
type held struct{ hold, all, errors, margins float64 }

func (h *held) add(err, margin float64) {
	h.all++
	h.errors += err
	h.margins += margin
	if math.Abs(err) <= margin {
		h.hold++
	}
}

func (h *held) share() float64 { return h.hold / h.all }

// A player who won or lost every game has a finite rating, and another win hardly
// changes it.
func TestWonEverything(t *testing.T) {
	r := NewResults(3)
	r.Add(0, 1, 50)
	r.Add(1, 0, 50)
	r.Add(2, 0, 100)
	got := fit(t, r, 0)
	if want := Difference(100.5 / 101); math.Abs(got.Elo[2]-want) > 1e-6 || math.Abs(got.Elo[1]) > 1e-6 {
		t.Errorf("ratings %v, want 0, 0, %v", got.Elo, want)
	}
	if s := got.Superiority(2, 0); s < 0.99 {
		t.Errorf("100 wins of 100 give a superiority of %v", s)
	}
	r.Add(2, 0, 1)
	if after := fit(t, r, 0); after.Elo[2] <= got.Elo[2] || after.Elo[2] > got.Elo[2]+2 {
		t.Errorf("with 101 wins %v, with 100 %v", after.Elo[2], got.Elo[2])
	}
	if _, err := Fit(NewResults(0), Mean); err == nil {
		t.Error("no players gave no error")
	}
	if _, err := Fit(r, 3); err == nil {
		t.Error("an anchor out of range gave no error")
	}
}

// Players whom no game connects are rated as groups, each with its mean at 0. The
// distance between groups is unknown; within a group nothing changes.
func TestUnconnected(t *testing.T) {
	r := NewResults(5)
	r.Add(0, 1, 60)
	r.Add(1, 0, 40)
	r.Add(2, 3, 75) // 4 has not played
	r.Add(3, 2, 25)
	got := fit(t, r, Mean)
	if d := Difference(60.5 / 101); math.Abs(got.Elo[0]-d/2) > 1e-6 || math.Abs(got.Elo[1]+d/2) > 1e-6 || math.Abs(got.Elo[4]) > 1e-6 {
		t.Errorf("ratings %v", got.Elo)
	}
	p := 60.5 / 101
	own := z95 * scale / math.Sqrt(100*p*(1-p))
	if _, m := got.Between(0, 1); math.Abs(m-own) > 1e-6 {
		t.Errorf("within a group +-%v, want %v", m, own)
	}
	// By hand: the two groups' means are independent.
	p = 75.5 / 101
	other := z95 * scale / math.Sqrt(100*p*(1-p))
	means := z95 * unconnected * math.Sqrt2
	if _, m := got.Between(0, 2); math.Abs(m-math.Sqrt(own*own/4+other*other/4+means*means)) > 1e-6 {
		t.Errorf("between groups +-%v", m)
	}
	if m, want := got.Margin(4), z95*unconnected*math.Sqrt(0.16+0.16+0.64); math.Abs(m-want) > 1e-6 {
		t.Errorf("from the mean of all, a player without games has +-%v, want %v", m, want)
	}
	if anchored := fit(t, r, 1); math.Abs(anchored.Margin(0)-own) > 1e-6 || anchored.Elo[1] != 0 || anchored.Margin(1) != 0 {
		t.Errorf("anchored in its group: %v, +-%v", anchored.Elo, anchored.Margin(0))
	}
}
