package tactics

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
	"warren/internal/gametest"
)

// longest is the length of the longest captures that Find promises to look for.
const longest = 3

// The steps found are those that begin the shortest captures, in random games and in real ones.
func TestCapturesFind(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	var c Captures
	var positions, found [longest + 2]int // by the steps of the shortest capture, the last for none
	compare := func(g *game.Game) {
		if g.InSetup() || g.Result().Over() {
			return
		}
		legal := g.Legal(nil)
		before, hash := *g.Board(), g.Hash()
		got := slices.Clone(c.Find(g, legal))
		if *g.Board() != before || g.Hash() != hash {
			t.Fatal("the game has changed")
		}
		want, n := shortest(g, legal)
		if !slices.Equal(got, want) {
			t.Fatalf("found %v, want %v of %v\n%s", got, want, legal, game.FormatDiagram(g.Board(), g.TurnLabel()))
		}
		positions[n]++
		found[n] += len(got)
	}
	for range 8 {
		g := game.New()
		for g.Turns() < 50 && !g.Result().Over() {
			compare(g)
			legal := g.Legal(nil)
			g.Play(legal[rng.IntN(len(legal))])
		}
	}
	for _, m := range gametest.Archive(t) {
		g := game.New()
		for i, action := range m.Actions {
			g.Play(action)
			if i%61 == 0 {
				compare(g)
			}
		}
	}
	t.Logf("positions %v, steps found %v", positions, found)
	for n := 1; n < len(positions); n++ {
		if positions[n] < 50 {
			t.Errorf("%d positions with captures of %d steps", positions[n], n)
		}
	}
}

// shortest returns the steps that begin the shortest captures by playing everything, and their length.
func shortest(g *game.Game, legal []game.Action) (steps []int, n int) {
	for n = 1; n <= min(longest, g.StepsLeft()); n++ {
		for i, a := range legal {
			if captures(g, a, n) {
				steps = append(steps, i)
			}
		}
		if len(steps) > 0 {
			return steps, n
		}
	}
	return nil, longest + 1
}

// captures reports whether the action a can be followed so that an enemy piece is captured in n actions
// of the turn, a included.
func captures(g *game.Game, a game.Action, n int) bool {
	side := g.Side()
	h := g.Clone()
	h.Play(a)
	if bits.OnesCount64(h.Board().Color(side.Other())) < bits.OnesCount64(g.Board().Color(side.Other())) {
		return a.IsStep()
	}
	if n == 1 || h.Side() != side {
		return false
	}
	for _, b := range h.Legal(nil) {
		if captures(h, b, n-1) {
			return true
		}
	}
	return false
}
