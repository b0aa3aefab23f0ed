package tactics

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"warren/game"
	"warren/internal/gametest"
)

// crampedBoard returns a board on which one side has few pieces with little room,
// because the other side's pieces stand around them.
func crampedBoard(rng *rand.Rand) (b game.Board) {
	few := game.Color(rng.IntN(2))
	corner := uint64(1) << rng.IntN(64)
	region := corner
	for range 2 + rng.IntN(3) {
		region |= game.Neighbors(region)
	}
	put := func(c game.Color, k game.Kind, on uint64) {
		for on &^= b.Occupied(); on != 0; {
			s := game.Square(rng.IntN(64))
			if bit := uint64(1) << s; on&bit != 0 && (k != game.Rabbit || (game.GoalRank(c)|game.GoalRank(c.Other()))&bit == 0) {
				b.Put(s, c, k)
				return
			}
			if k == game.Rabbit && on&^(game.GoalRank(c)|game.GoalRank(c.Other())) == 0 {
				return
			}
		}
	}
	for range 3 + rng.IntN(3) { // more than can be captured in a turn
		put(few, game.Rabbit, region)
	}
	for k := game.Cat; k <= game.Elephant; k++ {
		if rng.IntN(4) == 0 {
			put(few, k, region)
		}
	}
	many := few.Other()
	for k := game.Elephant; k > game.Rabbit; k-- {
		for range game.SetupCount(k) {
			put(many, k, region|game.Neighbors(region))
		}
	}
	for range 8 {
		put(many, game.Rabbit, game.Neighbors(region)|region)
	}
	for traps := game.Traps; traps != 0; traps &= traps - 1 {
		trap := traps & -traps
		if c, _, ok := b.At(game.Square(bits.TrailingZeros64(trap))); ok && b.Color(c)&game.Neighbors(trap) == 0 {
			b.Remove(game.Square(bits.TrailingZeros64(trap)))
		}
	}
	return b
}

// A step that touches no deciding square makes no immobilization possible.
func TestDecidingMovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 11))
	kept, left := 0, 0
	for i := range 6000 {
		b := crampedBoard(rng)
		if i%2 == 0 {
			b = gametest.RandomBoard(rng, rng.IntN(9))
		}
		for traps := game.Traps; traps != 0; traps &= traps - 1 {
			trap, c := traps&-traps, game.Color(rng.IntN(2))
			if game.Neighbors(trap)&b.Color(c) != 0 {
				b.Put(game.Square(bits.TrailingZeros64(trap)), c, game.Kind(rng.IntN(game.NumKinds)))
			}
		}
		side, steps := game.Color(rng.IntN(2)), rng.IntN(4)
		before, may := mayStop(&b, side, steps)
		if may {
			continue
		}
		squares := decidingMovers(&b, side)
		g := game.FromBoard(b, side)
		mark := g.Mark()
		for _, a := range g.Legal(nil) {
			if (squares>>a.From()|squares>>a.To())&1 != 0 {
				kept++
				continue
			}
			left++
			g.Play(a)
			after, _ := mayStop(g.Board(), side, steps)
			if after != before || g.Pullable() != 0 || mayImmobilize(g.Board(), side, steps, 0) {
				t.Fatalf("%v may immobilize in %d steps after %v %v: %#x can step, %#x could, %#x can be pulled\n%v",
					side, steps, a.From(), a.Direction(), after, before, g.Pullable(), &b)
			}
			g.Restore(mark)
		}
	}
	if kept < 1000 || left < 1000 {
		t.Errorf("%d steps may matter, and %d do not: too few to tell", kept, left)
	}
}

// TestImmobilizationAgreesWithBruteForce: mayImmobilize denies no win, and as many positions as it did
// when this was written.
func TestImmobilizationAgreesWithBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	won, denied := [5]int{}, 0
	most := 0
	for range 4000 {
		g := game.FromBoard(crampedBoard(rng), game.Color(rng.IntN(2)))
		for want := 1 + rng.IntN(4); g.StepsLeft() > want && !g.Result().Over(); {
			legal := g.Legal(nil)
			g.Play(legal[rng.IntN(len(legal))])
		}
		if g.Result().Over() {
			continue
		}
		side, left := g.Side(), g.StepsLeft()
		want := winsByBruteForce(g, side, map[uint64]bool{})
		if got := Winning(g); want != (got != nil) {
			t.Fatalf("%d steps left, won %t, found %v\n%s", left, want, got, game.FormatDiagram(g.Board(), g.TurnLabel()))
		}
		may := mayImmobilize(g.Board(), side, left, g.Pullable())
		if !may {
			denied++
		}
		if want && may && !MayGoal(g.Board(), side, left, g.Pullable()) {
			won[left]++
			most = max(most, bits.OnesCount64(movers(g.Board(), side.Other())))
		}
	}
	t.Logf("wins that are no goals, by steps left: %v, of up to %d movers; %d positions told to have none", won, most, denied)
	if min(won[1], won[2], won[3], won[4]) < 10 {
		t.Errorf("wins that are no goals, by steps left: %v: too few to tell", won)
	}
	if denied < 1719 {
		t.Errorf("%d positions are told to have no win, want at least 1,719", denied)
	}
}
