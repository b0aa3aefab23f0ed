package tactics

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
	"warren/internal/gametest"
)

// winsByBruteForce reports whether side wins within its turn. It tries every
// order of steps.
func winsByBruteForce(g *game.Game, side game.Color, seen map[uint64]bool) bool {
	if g.Side() != side || g.Result().Over() {
		return g.Result().Over() && g.Result().Winner == side
	}
	if seen[g.Hash()] {
		return false
	}
	seen[g.Hash()] = true
	mark := g.Mark()
	for _, a := range g.Legal(nil) {
		g.Play(a)
		won := winsByBruteForce(g, side, seen)
		g.Restore(mark)
		if won {
			return true
		}
	}
	return false
}

func TestWinningAgreesWithBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	won, near, cleared := 0, 0, 0
	for range 600 {
		g := game.FromBoard(gametest.RandomBoard(rng, 2+rng.IntN(5)), game.Color(rng.IntN(2)))
		for g.StepsLeft() > 1+rng.IntN(4) && !g.Result().Over() {
			legal := g.Legal(nil)
			g.Play(legal[rng.IntN(len(legal))])
		}
		if g.Result().Over() {
			continue
		}
		want := winsByBruteForce(g, g.Side(), map[uint64]bool{})
		got := Winning(g)
		if want != (got != nil) {
			t.Fatalf("%d steps left, won %t, found %v\n%s", g.StepsLeft(), want, got, game.FormatDiagram(g.Board(), g.TurnLabel()))
		}
		if MayGoal(g.Board(), g.Side(), g.StepsLeft(), g.Pullable()) {
			near++
		}
		if !want {
			continue
		}
		won++
		p := g.Clone()
		for i, a := range got {
			if p.Side() != g.Side() || !slices.Contains(p.Legal(nil), a) {
				t.Fatalf("action %d of %v is not legal in\n%s", i, got, game.FormatDiagram(g.Board(), g.TurnLabel()))
			}
			p.Play(a)
		}
		if r := p.Result(); !r.Over() || r.Winner != g.Side() {
			t.Fatalf("%v does not win\n%s", got, game.FormatDiagram(g.Board(), g.TurnLabel()))
		}
		if len(got) > 3 || len(got) == 3 && got[2] != game.Pass {
			cleared++
		}
	}
	t.Logf("%d wins, %d of them in three steps or four; the rabbits' way may be open in %d", won, cleared, near)
	if won < 60 || cleared < 12 {
		t.Errorf("%d wins, %d of three or four steps: too few to tell", won, cleared)
	}
}

func TestShortest(t *testing.T) {
	for position, want := range map[string]string{
		"g [              R         rM         E                           e]": "Rg7n",
		"g [                      R rM         E                           e]": "Rg6n Rg7n",
		"g [                        rM    R    E                           e]": "Rg5n Rg6n Rg7n",
		"g [                        rM         E          R                e]": "",
	} {
		board, side, err := game.ParsePosition(position)
		if err != nil {
			t.Fatal(err)
		}
		g := game.FromBoard(board, side)
		if got := game.FormatTurn(g, new(Finder).Shortest(g)); got != want {
			t.Errorf("%s: %q, want %q", position, got, want)
		}
	}
}

// MayWin counts a pull as the single step that it takes.
func TestMayWinByPull(t *testing.T) {
	for _, c := range [][2]string{
		{"g [c  d   h                          r      RD                    E]", "Eh1n Eh2n Dc3e"}, // captures the last rabbit
		{"g [cD     hRC                r  r                                 E]", "Eh1n Db8e"},      // clears the way to a goal
		{"g [                           rd    RrEM     R       R            R]", "Rh1n Rh2n Ed4s"}, // stops the pulled piece, the friend that it leaves and the one whose way it blocks
	} {
		board, side, err := game.ParsePosition(c[0])
		if err != nil {
			t.Fatal(err)
		}
		g := game.FromBoard(board, side)
		steps, err := game.ParseSteps(g, c[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range steps {
			g.Play(a)
		}
		if Winning(g) == nil || !new(Finder).MayWin(g) {
			t.Errorf("after %s: wins with %v, may win: %t", c[1], Winning(g), new(Finder).MayWin(g))
		}
	}
}

// MayWin denies a turn too short to capture the last two rabbits: a capture takes two steps, or one if it is
// by a pull that has begun.
func TestMayWinCountsCaptures(t *testing.T) {
	for steps, want := range map[string]bool{"": true, "Eh1n": false, "Eh1n Dd4e": false} {
		board, side, err := game.ParsePosition("g [h  c   d      r            r       D            R              E]")
		if err != nil {
			t.Fatal(err)
		}
		g := game.FromBoard(board, side)
		if steps != "" {
			actions, err := game.ParseSteps(g, steps)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range actions {
				g.Play(a)
			}
		}
		f := Finder{SkipImmobilization: true} // which may be possible here
		if got := f.MayWin(g); got != want {
			t.Errorf("after %q: may win: %t, want %t", steps, got, want)
		}
	}
}

// TestFinderKeepsToItsBudget: a finder never tries more steps than its budget, and
// its answer is right if it tried fewer.
func TestFinderKeepsToItsBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var f Finder
	won, lost, gaveUp := 0, 0, 0
	for range 2000 {
		g := game.FromBoard(gametest.RandomBoard(rng, 4), game.Color(rng.IntN(2)))
		if g.Result().Over() {
			continue
		}
		before, budget := g.Hash(), rng.Int64N(40)-1
		turn, spent := f.Winning(g, budget)
		switch want := Winning(g) != nil; {
		case spent > max(budget, 0):
			t.Fatalf("tried %d steps, may try %d", spent, budget)
		case g.Hash() != before:
			t.Fatal("the finder changed the game")
		case turn != nil && !want, turn == nil && spent < budget && want:
			t.Fatalf("won %t, found %v in %d of %d steps", want, turn, spent, budget)
		case turn != nil:
			won++
		case spent < budget:
			lost++
		default:
			gaveUp++
		}
	}
	if min(won, lost, gaveUp) < 30 {
		t.Errorf("%d wins, %d positions without one, %d given up: too few to tell", won, lost, gaveUp)
	}
}

// TestBudgetsLeaveNothingFalse: a finder that has given up still finds all that there is
// when it is asked again.
func TestBudgetsLeaveNothingFalse(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	finders := map[string]func(f *Finder, g *game.Game, budget int64) (found bool, spent int64){
		"Winning": func(f *Finder, g *game.Game, budget int64) (bool, int64) {
			turn, spent := f.Winning(g, budget)
			return turn != nil, spent
		},
		"Losing": (*Finder).Losing,
	}
	gaveUp := map[string]int{}
	for range 400 {
		g := game.FromBoard(raceBoard(rng), game.Color(rng.IntN(2)))
		for want := 1 + rng.IntN(2); g.StepsLeft() > want && !g.Result().Over(); {
			legal := g.Legal(nil)
			g.Play(legal[rng.IntN(len(legal))])
		}
		for name, find := range finders {
			const enough = 5000
			found, spent := find(new(Finder), g, enough)
			if !found || spent < 2 {
				continue
			}
			f := new(Finder)
			for range 3 {
				if early, _ := find(f, g, 1+rng.Int64N(spent)); !early {
					gaveUp[name]++
				}
			}
			if again, _ := find(f, g, enough); !again {
				t.Fatalf("%s finds nothing after it gave up\n%s", name, game.FormatDiagram(g.Board(), g.TurnLabel()))
			}
		}
	}
	if min(gaveUp["Winning"], gaveUp["Losing"]) < 30 {
		t.Errorf("gave up: %v: too few to tell", gaveUp)
	}
}
