package tactics

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
	"warren/internal/gametest"
)

// TestThreatHoldsWhereItsZoneDoes: a turn that reaches the goal still does after changes
// beyond the zone of its threat.
func TestThreatHoldsWhereItsZoneDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	n := 20_000
	if testing.Short() {
		n = 8000
	}
	var f Finder
	goals, changes := 0, 0
	for range n {
		b := gametest.RandomBoard(rng, 16)
		g := game.FromBoard(b, game.Color(rng.IntN(2)))
		if g.Result().Over() {
			continue
		}
		turn, _ := f.Winning(g, Unbounded)
		if turn == nil {
			continue
		}
		threat := newThreat(g.Board(), turn, f.reason)
		if !threat.holds(g.Board()) {
			t.Fatal("the threat does not hold in its own game")
		}
		if threat.zone == ^uint64(0) {
			continue
		}
		goals++
		for s := game.Square(0); s < 64; s++ {
			if threat.zone>>s&1 != 0 {
				continue
			}
			other := *g.Board()
			if other.Occupied()>>s&1 != 0 {
				other.Remove(s)
			} else {
				other.Put(s, game.Color(rng.IntN(2)), game.Cat+game.Kind(rng.IntN(5)))
			}
			h := game.FromBoard(other, g.Side())
			if unsupported(&other) || !threat.holds(&other) || h.Result().Over() {
				continue
			}
			changes++
			if !wins(h, turn, g.Side()) {
				t.Fatalf("%s wins from\n%sbut not after a change of %v\n%s", game.FormatTurn(g, turn), game.FormatDiagram(g.Board(), g.TurnLabel()), s, game.FormatDiagram(&other, g.TurnLabel()))
			}
		}
	}
	if goals < n/100 || changes < 10*goals {
		t.Errorf("%d goals and %d changes: too few to tell", goals, changes)
	}
}

// unsupported reports whether a piece stands on a trap without a friendly piece next to it.
func unsupported(b *game.Board) bool {
	for c := game.Gold; c <= game.Silver; c++ {
		for traps := b.Color(c) & game.Traps; traps != 0; traps &= traps - 1 {
			if game.Neighbors(traps&-traps)&b.Color(c) == 0 {
				return true
			}
		}
	}
	return false
}

// wins reports whether the actions are legal and win for the side.
func wins(g *game.Game, turn []game.Action, side game.Color) bool {
	for _, a := range turn {
		if g.Result().Over() || !slices.Contains(g.Legal(nil), a) {
			return false
		}
		g.Play(a)
	}
	return g.Result().Over() && g.Result().Winner == side
}
