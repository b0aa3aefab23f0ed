package replay

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/data"
	"warren/game"
)

type worths = [game.NumKinds][setupClasses]float64

func randomWorths(rng *rand.Rand, size float64) (w worths) {
	for k := range w {
		for c := range w[k] {
			w[k][c] = size * rng.NormFloat64()
		}
	}
	return w
}

// TestSetupPolicyIsExact: the shares of all setups are proportional to exp(scale * worth), and sum to 1.
func TestSetupPolicyIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range []float64{0, 0.01, 0.5} {
		worth := randomWorths(rng, size)
		p := newSetupPolicy(worth)
		total := math.NaN() // logarithm of the sum over all setups
		for range 50 {
			g := game.New()
			share, sum := 0.0, 0.0
			for i := range setupSquares {
				legal := g.Legal(nil)
				a := legal[rng.IntN(len(legal))]
				all := 0.0
				for _, s := range p.target(g, nil) {
					if all += float64(s.Share); !slices.Contains(legal, s.Action) {
						t.Fatalf("placement %d: a share of %g for action %d, which is not legal", i, s.Share, s.Action)
					}
					if s.Action == a {
						share += math.Log(float64(s.Share))
					}
				}
				if math.Abs(all-1) > 1e-6 {
					t.Fatalf("the shares of placement %d sum to %g", i, all)
				}
				sum += setupScale * worth[a.Kind()][setupClass(i)]
				g.Play(a)
			}
			if size == 0.5 {
				continue // most shares are too small for a float32
			}
			if math.IsNaN(total) {
				total = sum - share
			}
			if math.Abs(sum-share-total) > 1e-3 {
				t.Fatalf("size %g: a setup of the weight %g has a share of %g, which makes the total %g instead of %g", size, sum, share, sum-share, total)
			}
		}
		if setups := math.Log(64864800); size == 0 && math.Abs(total-setups) > 1e-3 {
			t.Errorf("there are exp(%g) setups, want exp(%g)", total, setups)
		}
	}
}

// TestBetterSetupsAreLikelier: 1.25% more wins with the elephant in a corner make both corners e^2 times as likely as the other
// 14 squares.
func TestBetterSetupsAreLikelier(t *testing.T) {
	var worth worths
	worth[game.Elephant][setupClass(0)] = 0.0125
	want, got := math.Exp(2)/(2*math.Exp(2)+14), 0.0
	for _, s := range newSetupPolicy(worth).target(game.New(), nil) {
		if s.Action == game.PlaceAction(game.Elephant) {
			got += float64(s.Share)
		}
	}
	if math.Abs(got-want) > 1e-6 {
		t.Errorf("the elephant goes to a1 with %g, want %g", got, want)
	}
}

// TestSetupClass: two squares, mirror images of each other, are of the same class, and no others.
func TestSetupClass(t *testing.T) {
	for a := range setupSquares {
		for b := range setupSquares {
			mirrored := a/8 == b/8 && (a == b || a%8+b%8 == 7)
			if c, d := setupClass(a), setupClass(b); (c == d) != mirrored || c < 0 || c >= setupClasses {
				t.Errorf("squares %d and %d are of the classes %d and %d", a, b, c, d)
			}
		}
	}
}

// setupGame is a game whose setups were drawn at random and led to the chance that the worths give, which is that of turns 1
// to setupTurns. Later turns have another.
func setupGame(number uint64, worth *worths) *data.Record {
	rng := rand.New(rand.NewPCG(number, 7))
	r := &data.Record{Game: number}
	g := game.New()
	chance := 0.53
	for g.Turns() < setupTurns+3 && !g.Result().Over() {
		legal := g.Legal(nil)
		d := data.Decision{Action: legal[rng.IntN(len(legal))]}
		if g.InSetup() {
			d.PolicyWeight, d.ValueWeight = 0.5, 1
			worth := worth[d.Action.Kind()][setupClass(len(r.Decisions)%setupSquares)]
			if g.Side() == game.Silver {
				worth = -worth
			}
			chance += worth
		} else {
			d.Full, d.PolicyWeight, d.ValueWeight = true, 1, 1
			if d.Value = float32(chance); g.Turns() >= setupTurns {
				d.Value = 0.9
			}
			if g.Side() == game.Silver {
				d.Value = 1 - d.Value
			}
		}
		d.Visits = []data.Visit{{Action: d.Action, Count: 1}}
		r.Decisions = append(r.Decisions, d)
		g.Play(d.Action)
	}
	r.Turns, r.Result = int32(g.Turns()), g.Result()
	return r
}

// TestSetupsAreLearnedFromWhatTheyLedTo: the regression finds what pieces on squares are worth. What it finds is the policy
// target of a placement that was drawn.
func TestSetupsAreLearnedFromWhatTheyLedTo(t *testing.T) {
	worth := randomWorths(rand.New(rand.NewPCG(2, 2)), 0.005)
	w := NewWindow(1_000_000, Config{})
	for number := range uint64(4000) {
		w.Add(0, setupGame(number, &worth))
	}
	if bias := float64(w.sums.chances[setupTerms-1]) * setupUnit / 4000; math.Abs(bias-0.03) > 0.01 {
		t.Errorf("Gold's chance is one half and %g, want 0.03", bias)
	}
	found := w.sums.worth()
	for a := range game.NumKinds {
		for b := range game.NumKinds {
			for c := range setupClasses {
				for d := range setupClasses { // what the exchange of two pieces is worth
					want := worth[a][c] + worth[b][d] - worth[a][d] - worth[b][c]
					got := found[a][c] + found[b][d] - found[a][d] - found[b][c]
					if math.Abs(got-want) > 0.002+0.3*math.Abs(want) { // setupPrior makes it smaller
						t.Fatalf("kinds %d and %d on squares of classes %d and %d instead of %d and %d: %g, want %g", a, b, c, d, d, c, got, want)
					}
				}
			}
		}
	}
	samples := make([]Sample, 4000)
	if err := w.Draw(rand.New(rand.NewPCG(3, 3)), samples); err != nil {
		t.Fatal(err)
	}
	p, drawn := newSetupPolicy(found), 0
	for i := range samples {
		s := &samples[i]
		s.Fill()
		want := []data.Share{{Action: s.source.actions[s.source.plies[s.index]], Share: 1}}
		if s.Game.InSetup() {
			drawn++
			want = p.target(s.Game, nil)
		}
		if fmt.Sprint(s.Policy) != fmt.Sprint(want) {
			t.Fatalf("the policy target of a sample is %v, want %v", s.Policy, want)
		}
	}
	if drawn == 0 {
		t.Error("no placement is among the samples")
	}
}

// TestReplyToASetup: Silver's first placement is the reply to Gold's setup. Where it was drawn, the target is the policy of
// setups, also if Gold's was searched.
func TestReplyToASetup(t *testing.T) {
	worth := randomWorths(rand.New(rand.NewPCG(5, 5)), 0.01)
	for _, searched := range []bool{false, true} {
		w := NewWindow(100_000, Config{})
		for number := range uint64(50) {
			r := setupGame(number, &worth)
			for i := range setupSquares {
				r.Decisions[i].Full = searched
			}
			w.Add(0, r)
		}
		samples := make([]Sample, 1000)
		if err := w.Sample(rand.New(rand.NewPCG(1, 1)), samples); err != nil {
			t.Fatal(err)
		}
		want := make([]float32, game.NumActions)
		for _, s := range newSetupPolicy(w.sums.worth()).target(game.New(), nil) {
			want[s.Action] = s.Share
		}
		values, replies := make([]float32, game.NumActions), 0
		for i := range samples {
			s := &samples[i]
			if !s.Game.InSetup() || s.Game.Side() != game.Gold {
				continue
			}
			replies++
			if weight := s.Target(FindTarget("reply"), values); weight != 0.5 || !slices.Equal(values, want) {
				t.Fatalf("Gold's setup is searched: %t. The reply has the weight %g and the shares %v, want %v", searched, weight, values[game.Pass+1:], want[game.Pass+1:])
			}
		}
		if replies == 0 {
			t.Error("no placement of Gold's is among the samples")
		}
	}
}

// TestWorthOfOneGame: the chance of a game is the mean of the root values of its first 16 turns. Of n games that are all the
// same, with the terms t and the chance c, the ridge regression is t*n*c / (n*|t|^2 + prior). The terms here are read from
// the board.
func TestWorthOfOneGame(t *testing.T) {
	worth := randomWorths(rand.New(rand.NewPCG(6, 6)), 0.01)
	r := setupGame(3, &worth)
	rng, g := rand.New(rand.NewPCG(7, 7)), game.New()
	sum, n := 0.0, 0.0
	for i := range r.Decisions {
		d := &r.Decisions[i]
		if d.Value = rng.Float32(); i >= game.Placements && g.Turns() < 16 {
			gold := float64(d.Value)
			if g.Side() == game.Silver {
				gold = 1 - gold
			}
			sum, n = sum+gold, n+1
		}
		g.Play(d.Action)
	}
	p := pack(r, key{}, valueTarget{})
	chance := sum/n - 0.5
	if got := float64(p.setup) * setupUnit; math.Abs(got-chance) > 1e-6 {
		t.Errorf("Gold's chance is one half and %g, want %g", got, chance)
	}
	g = game.New()
	for _, d := range r.Decisions[:game.Placements] {
		g.Play(d.Action)
	}
	var terms worths
	for s := game.Square(0); s < 64; s++ {
		if color, kind, ok := g.Board().At(s); ok {
			rank, sign := s.Rank(), 1.0
			if color == game.Silver {
				rank, sign = 7-rank, -1
			}
			terms[kind][4*rank+min(s.File(), 7-s.File())] += sign
		}
	}
	size := 1.0 // the constant's
	for _, classes := range terms {
		for _, term := range classes {
			size += term * term
		}
	}
	for _, n := range []float64{0, 1, 1e6, 1e9} {
		var s setupSums
		s.add(p, int64(n))
		for k, classes := range s.worth() {
			for c, got := range classes {
				if want := terms[k][c] * n * chance / (n*size + setupPrior); math.Abs(got-want) > 1e-7 {
					t.Fatalf("after %g games kind %d on class %d is worth %g, want %g", n, k, c, got, want)
				}
			}
		}
	}
}

// TestFewGamesSayLittle: what one game has shown is not taken for a rule.
func TestFewGamesSayLittle(t *testing.T) {
	var worth worths
	w := NewWindow(1000, Config{})
	r := setupGame(1, &worth)
	for i := range r.Decisions[game.Placements:] {
		d := &r.Decisions[game.Placements+i]
		if d.Value = 1; i/4%2 == 1 {
			d.Value = 0
		}
	}
	if w.Add(0, r); w.sums == (setupSums{}) {
		t.Fatal("the game is not learned")
	}
	for k, classes := range w.sums.worth() {
		for c, worth := range classes {
			if math.Abs(worth) > 0.01 {
				t.Errorf("kind %d on class %d is worth %g after one game", k, c, worth)
			}
		}
	}
}

// TestSetupsOfWhichNothingIsLearned: random openings, and games without a searched turn. A placement that was searched keeps
// its target.
func TestSetupsOfWhichNothingIsLearned(t *testing.T) {
	var worth worths
	for name, change := range map[string]func(r *data.Record){
		"a random opening": func(r *data.Record) { r.Opening = 1 },
		"an unknown one":   func(r *data.Record) { r.Opening = data.UnknownOpening },
		"no search":        func(r *data.Record) { clearSearches(r.Decisions[game.Placements:]) },
		"an early end":     func(r *data.Record) { r.Decisions = r.Decisions[:game.Placements-1] },
	} {
		w := NewWindow(1000, Config{})
		r := setupGame(1, &worth)
		change(r)
		if !w.Add(0, r) || w.sums != (setupSums{}) {
			t.Errorf("%s: its setups are learned", name)
		}
	}
	w := NewWindow(1000, Config{})
	r := setupGame(1, &worth)
	clearSearches(r.Decisions[game.Placements:])
	for i := range r.Decisions[:game.Placements] {
		r.Decisions[i].Full = true
	}
	w.Add(0, r)
	samples := make([]Sample, 20)
	if err := w.Draw(rand.New(rand.NewPCG(1, 1)), samples); err != nil {
		t.Fatal(err)
	}
	for i := range samples {
		if samples[i].Fill(); len(samples[i].Policy) != 1 || samples[i].Policy[0].Share != 1 {
			t.Errorf("a placement with one visit has the target %v", samples[i].Policy)
		}
	}
}

func clearSearches(decisions []data.Decision) {
	for i := range decisions {
		decisions[i] = data.Decision{Action: decisions[i].Action}
	}
}

// TestHeldOutSetups: the target of setups in held-out games is the one that training games teach.
func TestHeldOutSetups(t *testing.T) {
	worth := randomWorths(rand.New(rand.NewPCG(5, 5)), 0.01)
	p := NewWindows(Config{WindowPositions: 1_000_000, HeldOutFraction: 0.3})
	for number := range uint64(40) {
		p.Add(number, setupGame(number, &worth))
	}
	samples := make([]Sample, 200)
	if err := p.HeldOut.Draw(rand.New(rand.NewPCG(6, 6)), samples); err != nil {
		t.Fatal(err)
	}
	setups := 0
	for i := range samples {
		if s := &samples[i]; s.setups != nil {
			setups++
			if s.setups != p.Train.setupPolicy() {
				t.Fatal("another target than in training")
			}
		}
	}
	if setups == 0 {
		t.Error("no setups were drawn")
	}
}

// TestSetupsLeaveTheWindow: what is learned of setups depends only on the games that the window holds.
func TestSetupsLeaveTheWindow(t *testing.T) {
	worth := randomWorths(rand.New(rand.NewPCG(4, 4)), 0.01)
	small, all := NewWindow(2000, Config{}), NewWindow(1_000_000, Config{})
	for number := range uint64(60) {
		small.Add(number, setupGame(number, &worth))
	}
	small.Add(100, setupGame(59, &worth)) // again, with a higher arrival number
	held := uint64(small.Games())
	for number := 60 - held; number < 60; number++ {
		all.Add(0, setupGame(number, &worth))
	}
	if held > 30 || small.sums != all.sums {
		t.Errorf("%d games have other sums than without those that have left", held)
	}
	before := small.setupPolicy()
	if small.setupPolicy() != before {
		t.Error("a window that has not changed computes its policy of setups again")
	}
	if small.Add(101, setupGame(61, &worth)); small.setupPolicy() == before {
		t.Error("the policy of setups is that of a window before it changed")
	}
}
