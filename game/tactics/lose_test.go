package tactics

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"warren/game"
	"warren/internal/gametest"
)

// losesByBruteForce tries every completion of side's turn.
func losesByBruteForce(g *game.Game, side game.Color, f *Finder, seen map[uint64]bool) bool {
	if r := g.Result(); r.Over() {
		return r.Winner != side
	}
	if g.Side() != side {
		turn, _ := f.Winning(g, Unbounded)
		return turn != nil
	}
	if lost, ok := seen[g.Hash()]; ok {
		return lost
	}
	mark, lost := g.Mark(), true
	for _, a := range g.Legal(nil) {
		g.Play(a)
		lost = losesByBruteForce(g, side, f, seen)
		g.Restore(mark)
		if !lost {
			break
		}
	}
	seen[g.Hash()] = lost
	return lost
}

// raceBoard returns a board on which goals are near.
func raceBoard(rng *rand.Rand) (b game.Board) {
	for c := game.Gold; c <= game.Silver; c++ {
		zone := goalZone(c, 5) &^ game.GoalRank(c)
		for n := 1 + rng.IntN(3); n > 0; {
			if s := game.Square(rng.IntN(64)); zone&^game.Traps&^b.Occupied()>>s&1 != 0 {
				b.Put(s, c, game.Rabbit)
				n--
			}
		}
		for n := rng.IntN(5); n > 0; n-- {
			if s := game.Square(rng.IntN(64)); (b.Occupied()|game.Traps)>>s&1 == 0 {
				b.Put(s, c, game.Cat+game.Kind(rng.IntN(5)))
			}
		}
	}
	return b
}

// TestLosingAgreesWithBruteForce: what is said to be lost is lost in every line,
// and where the opponent threatens something no lost position is missed.
func TestLosingAgreesWithBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var f, brute Finder
	n := 1500
	if testing.Short() {
		n = 500
	}
	found, missed, searched := [5]int{}, 0, 0
	var slow, quick time.Duration
	for range n {
		b := raceBoard(rng)
		if rng.IntN(4) == 0 {
			b = gametest.RandomBoard(rng, 2+rng.IntN(5))
		}
		g := game.FromBoard(b, game.Color(rng.IntN(2)))
		for want := 1 + rng.IntN(4); g.StepsLeft() > want && !g.Result().Over(); {
			legal := g.Legal(nil)
			g.Play(legal[rng.IntN(len(legal))])
		}
		if g.Result().Over() {
			continue
		}
		before := g.Hash()
		begin := time.Now()
		got, spent := f.Losing(g, Unbounded)
		quick += time.Since(begin)
		if g.Hash() != before {
			t.Fatal("the finder changed the game")
		}
		begin = time.Now()
		want := losesByBruteForce(g, g.Side(), &brute, map[uint64]bool{})
		slow += time.Since(begin)
		switch {
		case got && !want, !got && want && spent > 0:
			t.Fatalf("%d steps left: lost %t, said %t\n%s", g.StepsLeft(), want, got, game.FormatDiagram(g.Board(), g.TurnLabel()))
		case got:
			found[g.StepsLeft()]++
		case want:
			missed++
		case spent > 0:
			searched++
		}
	}
	t.Logf("lost, by steps left: %v; %d lost without a threat, not found; a defence found in %d; %v, by brute force %v", found, missed, searched, quick, slow)
	if min(found[1], found[2], found[3], found[4]) < n/100 || searched < n/20 {
		t.Errorf("lost, by steps left: %v; a defence found in %d: too few to tell", found, searched)
	}
}

// TestLosingKeepsToItsBudget: within a budget nothing false is said.
func TestLosingKeepsToItsBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	var f Finder
	losing := func(g *game.Game) bool {
		lost, _ := new(Finder).Losing(g, Unbounded)
		return lost
	}
	lost, gaveUp := 0, 0
	for range 1000 {
		g := game.FromBoard(raceBoard(rng), game.Color(rng.IntN(2)))
		budget := rng.Int64N(3000)
		switch got, spent := f.Losing(g, budget); {
		case spent > budget:
			t.Fatalf("made %d steps, may make %d", spent, budget)
		case got && !losing(g):
			t.Fatalf("said to be lost in %d of %d steps\n%s", spent, budget, game.FormatDiagram(g.Board(), g.TurnLabel()))
		case got:
			lost++
		case spent == budget && losing(g):
			gaveUp++
		}
	}
	if min(lost, gaveUp) < 10 {
		t.Errorf("%d lost, %d given up: too few to tell", lost, gaveUp)
	}
}

// TestLosingTheLastRabbits: rabbits that are frozen beside traps can be pushed into them,
// two in one turn. If they are the last, the game is lost, though no goal is near.
func TestLosingTheLastRabbits(t *testing.T) {
	for _, c := range []struct {
		second, first string // rank
		lost          bool
	}{
		{"..R..R..", "..m..e..", true},
		{"..R.....", "..m..e..", true},
		{"..R..R.R", "..m..e..", false}, // one is safe
		{"..R..RD.", "..m..e..", false}, // one is defended
	} {
		board, side, err := game.ParsePosition("g [r......D" + strings.Repeat("........", 5) + c.second + c.first + "]")
		if err != nil {
			t.Fatal(err)
		}
		g := game.FromBoard(board, side)
		if got, _ := new(Finder).Losing(g, Unbounded); got != c.lost {
			t.Errorf("lost %t, want %t\n%s", got, c.lost, game.FormatDiagram(g.Board(), g.TurnLabel()))
		}
	}
}

// With its last step Gold pulls the horse from the trap that Silver's rabbit must cross. Nothing that the rabbit's run
// depends on is a step from a piece of Gold.
func TestLosingSeesPulls(t *testing.T) {
	board, side, err := game.ParsePosition("g [       e                  r                hE                 R ]")
	if err != nil {
		t.Fatal(err)
	}
	for steps, want := range map[string]bool{"Rg1n Rg2n Ee3e": false, "Rg1n Ee3n Ee4e": true} {
		g := game.FromBoard(board, side)
		actions, err := game.ParseSteps(g, steps)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range actions {
			g.Play(a)
		}
		if lost, _ := new(Finder).Losing(g, Unbounded); lost != want {
			t.Errorf("after %s: lost %t, want %t", steps, lost, want)
		}
	}
}
