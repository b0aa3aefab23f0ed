package alphabeta

import (
	"math/rand/v2"
	"testing"

	"warren/game"
)

// winsByBruteForce tries every order of the turn's steps.
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
		g := game.FromBoard(randomBoard(rng, 2+rng.IntN(5)), game.Color(rng.IntN(2)))
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
		if goalWithin(g.Board(), g.Side(), g.StepsLeft(), g.Pullable()) {
			near++
		}
		if !want {
			continue
		}
		won++
		mustBeTurn(t, g, got)
		p := g.Clone()
		for _, a := range got {
			p.Play(a)
		}
		if r := p.Result(); !r.Over() || r.Winner != g.Side() {
			t.Fatalf("%v does not win\n%s", got, game.FormatDiagram(g.Board(), g.TurnLabel()))
		}
		if stepsOf(got) > 2 {
			cleared++
		}
	}
	t.Logf("%d wins, %d of them in three steps or four; the rabbits' way may be open in %d", won, cleared, near)
	if won < 60 || cleared < 12 {
		t.Errorf("%d wins, %d of three or four steps: too few to tell", won, cleared)
	}
}
