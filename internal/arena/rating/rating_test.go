package rating

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func fit(t *testing.T, r *Results, anchor int) *Ratings {
	t.Helper()
	out, err := Fit(r, anchor)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestElo(t *testing.T) {
	if got := Difference(0.76); math.Abs(got-200.24) > 0.01 {
		t.Errorf("76%% are %.2f Elo, want 200.24", got)
	}
	if got := Chance(Difference(0.3)); math.Abs(got-0.3) > 1e-12 {
		t.Errorf("a chance of 0.3 comes back as %v", got)
	}
}

func TestTwoPlayers(t *testing.T) {
	r := NewResults(2)
	r.Add(0, 1, 760)
	r.Add(1, 0, 240)
	got := fit(t, r, 1)
	// The difference and the standard deviation by the textbook formulas.
	want, sd := Difference(0.76), scale/math.Sqrt(1000*0.76*0.24)
	if d, m := got.Between(0, 1); math.Abs(d-want) > 0.5 || math.Abs(m-1.96*sd) > 0.5 {
		t.Errorf("%.2f +- %.2f, want %.2f +- %.2f", d, m, want, 1.96*sd)
	}
	if got.Elo[1] != 0 || got.Margin(1) != 0 || got.Widest() != got.Margin(0) {
		t.Errorf("anchored at 1: %v, margin %v", got.Elo, got.Margin(1))
	}
	mean := fit(t, r, Mean)
	if math.Abs(mean.Elo[0]+mean.Elo[1]) > 1e-6 || math.Abs(mean.Margin(0)-got.Margin(0)/2) > 0.01 {
		t.Errorf("relative to the mean: %v +- %v", mean.Elo, mean.Margin(0))
	}
}

// TestMaximum compares the maximum of the likelihood times Jeffreys's prior with the result
// of a search without derivatives.
func TestMaximum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 5 {
		r := NewResults(4)
		for i := range 4 {
			for j := range 4 {
				if i != j {
					r.Add(i, j, float64(rng.IntN(12)))
				}
			}
		}
		got := fit(t, r, Mean)
		posterior := func(elo []float64) float64 {
			sum := 0.0
			info := mat.NewSymDense(3, nil) // about the distances from the last player
			for i := range elo {
				for j := range elo {
					if i == j {
						continue
					}
					p := Chance(elo[i] - elo[j])
					sum += r.Wins(i, j) * math.Log(p)
					if i < 3 {
						info.SetSym(i, i, info.At(i, i)+r.Games(i, j)*p*(1-p))
						if j < 3 {
							info.SetSym(i, j, -r.Games(i, j)*p*(1-p))
						}
					}
				}
			}
			var cholesky mat.Cholesky
			if !cholesky.Factorize(info) {
				t.Fatal("no information")
			}
			return sum + cholesky.LogDet()/2
		}
		elo := make([]float64, 4)
		for width := 800.0; width > 0.01; width /= 2 {
			for moved := true; moved; {
				moved = false
				for i := range elo {
					for _, d := range []float64{-width, width} {
						before := posterior(elo)
						elo[i] += d
						if posterior(elo) > before {
							moved = true
						} else {
							elo[i] -= d
						}
					}
				}
			}
		}
		for i := range elo {
			if math.Abs(elo[i]-elo[0]-got.Elo[i]+got.Elo[0]) > 0.1 {
				t.Fatalf("%v, by search %v", got.Elo, elo)
			}
		}
	}
}

// At the ratings of random tournaments, some of them ladders, the posterior rises along
// no player, and the margins are those that the inverse of the information gives.
func TestGradientAndMargins(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for n := 2; n < 40; n += 3 {
		r := NewResults(n)
		for i := range n {
			for j := range i {
				if j < 2 || i-j == 1 || rng.IntN(n) == 0 {
					r.Add(i, j, float64(1+rng.IntN(12)))
					r.Add(j, i, float64(rng.IntN(12)))
				}
			}
		}
		anchor := rng.IntN(n+1) - 1
		got := fit(t, r, anchor)
		// The constant in every place makes the matrix invertible, and changes nothing for
		// differences.
		info := mat.NewSymDense(n, nil)
		for i := range n {
			diagonal := 1e-6
			for j := range n {
				p := Chance(got.Elo[i] - got.Elo[j])
				w := r.Games(i, j) * p * (1 - p) / (scale * scale)
				diagonal += w
				if i < j {
					info.SetSym(i, j, 1e-6-w)
				}
			}
			info.SetSym(i, i, diagonal)
		}
		var cholesky mat.Cholesky
		var c mat.SymDense
		if !cholesky.Factorize(info) || cholesky.InverseTo(&c) != nil {
			t.Fatal("no inverse")
		}
		draws := 0.0
		for i := range n {
			gradient := 0.0
			for j := range n {
				p := Chance(got.Elo[i] - got.Elo[j])
				games := r.Games(i, j)
				drawn := games * p * (1 - p) / (scale * scale) * (c.At(i, i) + c.At(j, j) - 2*c.At(i, j))
				gradient += r.Wins(i, j) + drawn/2 - (games+drawn)*p
				draws += drawn / 2
			}
			if math.Abs(gradient) > 1e-6 {
				t.Errorf("%d players: the posterior still rises along player %d: %v", n, i, gradient)
			}
		}
		if math.Abs(draws-float64(n-1)) > 1e-6 {
			t.Errorf("%d players: the prior amounts to %v draws", n, draws)
		}
		want := mat.NewVecDense(n, nil)
		for i := range n {
			difference := mat.NewVecDense(n, nil)
			for k := range n {
				if anchor == Mean {
					difference.SetVec(k, -1/float64(n))
				}
			}
			if anchor != Mean {
				difference.SetVec(anchor, -1)
			}
			difference.SetVec(i, difference.AtVec(i)+1)
			want.MulVec(&c, difference)
			margin := z95 * math.Sqrt(mat.Dot(difference, want))
			if math.Abs(got.Margin(i)-margin) > 1e-6*(1+margin) {
				t.Errorf("%d players, anchor %d: the margin of %d is %v, want %v", n, anchor, i, got.Margin(i), margin)
			}
			for j := range n {
				if i == j {
					continue
				}
				sd := math.Sqrt(c.At(i, i) + c.At(j, j) - 2*c.At(i, j))
				if _, m := got.Between(i, j); math.Abs(m-z95*sd) > 1e-6*m {
					t.Errorf("%d players: the margin between %d and %d is %v, want %v", n, i, j, m, z95*sd)
				}
			}
		}
	}
}

// TestCoverage simulates many tournaments between players with known ratings. About
// 95% of the intervals must contain the true rating, relative to the mean and
// relative to a player.
func TestCoverage(t *testing.T) {
	truth := []float64{-260, -90, 0, 120, 230}
	rng := rand.New(rand.NewPCG(5, 5))
	const tournaments = 800
	for _, anchor := range []int{Mean, 0} {
		held, total := 0, 0
		order := 0.0 // sum of Superiority(3, 2)
		for range tournaments {
			r := NewResults(len(truth))
			for i := range truth {
				for j := range i {
					for range 40 {
						if rng.Float64() < Chance(truth[i]-truth[j]) {
							r.Add(i, j, 1)
						} else {
							r.Add(j, i, 1)
						}
					}
				}
			}
			got := fit(t, r, anchor)
			for i := range truth {
				want := truth[i]
				if anchor != Mean {
					want -= truth[anchor]
				}
				if i == anchor {
					continue
				}
				total++
				if math.Abs(got.Elo[i]-want) <= got.Margin(i) {
					held++
				}
			}
			order += got.Superiority(3, 2)
		}
		if rate := float64(held) / float64(total); rate < 0.935 || rate > 0.965 {
			t.Errorf("anchor %d: %.2f%% of the intervals contain the true rating, want 95%%", anchor, 100*rate)
		}
		if order /= tournaments; order < 0.95 {
			t.Errorf("mean superiority of a player 120 Elo stronger: %v", order)
		}
	}
}

func TestSuperiority(t *testing.T) {
	r := NewResults(2)
	r.Add(0, 1, 60)
	r.Add(1, 0, 40)
	got := fit(t, r, Mean)
	// The usual formula of match tables: Phi((wins-losses)/sqrt(wins+losses)).
	if s := got.Superiority(0, 1); math.Abs(s-0.977) > 0.003 || math.Abs(s+got.Superiority(1, 0)-1) > 1e-9 {
		t.Errorf("60 to 40 gives %v", s)
	}
}

// Wins returns the number of games that i won against j.
func (r *Results) Wins(i, j int) float64 {
	for _, s := range r.scores[i] {
		if s.opponent == j {
			return s.wins
		}
	}
	return 0
}

// Games returns the number of games that i and j played against each other.
func (r *Results) Games(i, j int) float64 { return r.Wins(i, j) + r.Wins(j, i) }

// Widest returns the largest margin of any player.
func (r *Ratings) Widest() float64 {
	widest := 0.0
	for i := range r.Elo {
		widest = max(widest, r.Margin(i))
	}
	return widest
}

func TestFormat(t *testing.T) {
	for elo, want := range map[float64]string{0: "+0", -0.4: "+0", -0.6: "-1", 0.6: "+1", 123.4: "+123", math.Inf(1): "+Inf"} {
		if got := Format(elo); got != want {
			t.Errorf("%g: %s, want %s", elo, got, want)
		}
	}
}
