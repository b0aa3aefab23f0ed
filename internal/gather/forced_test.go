package gather

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"warren/game"
	"warren/game/tactics"
	"warren/internal/gametest"
)

var update = flag.Bool("update", false, "add 20 new positions to testdata/forced.txt")

// attackBoard returns a board with the attacker's pieces far forward and the other
// side's anywhere.
func attackBoard(rng *rand.Rand) (b game.Board, attacker game.Color) {
	attacker = game.Color(rng.IntN(2))
	far := uint64(0xffffffff00000000)
	if attacker == game.Silver {
		far = ^far
	}
	put := func(c game.Color, k game.Kind, on uint64) {
		for {
			if s := game.Square(rng.IntN(64)); on&^(b.Occupied()|game.Traps|game.GoalRank(c))>>s&1 != 0 {
				b.Put(s, c, k)
				return
			}
		}
	}
	for range 1 + rng.IntN(3) {
		put(attacker, game.Rabbit, far)
		put(attacker.Other(), game.Rabbit, ^uint64(0))
	}
	for range rng.IntN(3) {
		put(attacker, game.Rabbit, ^far)
		put(attacker.Other(), game.Rabbit, ^uint64(0))
	}
	for _, k := range rng.Perm(5)[:rng.IntN(6)] {
		put(attacker, game.Cat+game.Kind(k), far)
	}
	for _, k := range rng.Perm(5)[:rng.IntN(6)] {
		put(attacker.Other(), game.Cat+game.Kind(k), ^uint64(0))
	}
	return b, attacker
}

// TestUpdateForced adds generated positions to testdata/forced.txt if asked to.
// They are attacks and random boards that are not won within the turn. It tries
// every turn until one leaves the opponent lost. Positions that exceed the budget
// are skipped.
func TestUpdateForced(t *testing.T) {
	if !*update {
		t.Skip("only with -update")
	}
	out, err := os.OpenFile("testdata/forced.txt", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	rng := rand.New(rand.NewPCG(rand.Uint64(), 0))
	var f tactics.Finder
	for found := 0; found < 20; {
		b, side := attackBoard(rng)
		if rng.IntN(20) == 0 {
			b, side = gametest.RandomBoard(rng, 2+rng.IntN(5)), game.Color(rng.IntN(2))
		}
		g := game.FromBoard(b, side)
		if !g.Result().Over() && tactics.Winning(g) == nil {
			if turn, _ := f.Forcing(g, 1e6); turn != nil {
				found++
				fmt.Fprintln(out, game.FormatPosition(&b, side))
			}
		}
	}
}

// TestForcedByBruteForce checks the positions of the file with the fewest pieces by
// trying every turn and every reply: after some turn, every reply lets the side to
// move win.
func TestForcedByBruteForce(t *testing.T) {
	checked := 0
	for _, g := range forcedPositions(t) {
		if pieces(g.Board()) > 9 || testing.Short() && checked == 3 {
			continue
		}
		var f tactics.Finder
		turn, _ := f.Forcing(g, tactics.Unbounded)
		after := g.Clone()
		for _, a := range turn {
			after.Play(a)
		}
		if after.Side() == g.Side() || tactics.Winning(g) != nil {
			t.Fatalf("%v is no turn that forces a goal", turn)
		}
		if !allRepliesLose(after, g.Side(), &f, map[uint64]bool{}) {
			t.Fatalf("there is a defence after %s in\n%s", game.FormatTurn(g, turn), game.FormatDiagram(g.Board(), g.TurnLabel()))
		}
		checked++
	}
	t.Logf("%d positions checked", checked)
	if checked < 3 {
		t.Error("too few positions to tell")
	}
}

func pieces(b *game.Board) (n int) {
	for set := b.Occupied(); set != 0; set &= set - 1 {
		n++
	}
	return n
}

// allRepliesLose reports whether winner wins next turn after every reply.
func allRepliesLose(g *game.Game, winner game.Color, f *tactics.Finder, seen map[uint64]bool) bool {
	if r := g.Result(); r.Over() {
		return r.Winner == winner
	}
	if g.Side() == winner {
		turn, _ := f.Winning(g, tactics.Unbounded)
		return turn != nil
	}
	if seen[g.Hash()] {
		return true
	}
	seen[g.Hash()] = true
	mark := g.Mark()
	for _, a := range g.Legal(nil) {
		g.Play(a)
		lost := allRepliesLose(g, winner, f, seen)
		g.Restore(mark)
		if !lost {
			return false
		}
	}
	return true
}
