package tactics

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"warren/game"
	"warren/internal/gametest"
)

// mayGoal is MayGoal as its comment defines it: all squares of every step are kept, for each
// side on the board as it is.
func mayGoal(b *game.Board, c game.Color, steps int, pullable uint64) bool {
	all, occupied, goal := b.Color(c), b.Occupied(), game.GoalRank(c)
	enemy := occupied &^ all &^ pullable
	freezing := game.Neighbors((enemy | pullable) &^ b.Pieces(c.Other(), game.Rabbit))
	for rabbits := b.Pieces(c, game.Rabbit); rabbits != 0; rabbits &= rabbits - 1 {
		rabbit := rabbits & -rabbits
		own := all &^ rabbit
		empty, warm := ^occupied|rabbit, game.Neighbors(own)
		cold, deadly := freezing&^warm, game.Traps&^warm
		spread := func(from uint64) uint64 { return game.RabbitSteps(from, c) }
		var alone, helped, cleared [8]uint64 // after n steps at n+3
		alone[3] = rabbit
		for n := 3; n <= 3+steps; n++ {
			if n > 3 {
				alone[n] = spread(alone[n-1]&^cold) & empty &^ deadly
				helped[n] = alone[n-1]&cold | (spread(alone[n-2]&^cold)&deadly|spread(helped[n-1]))&empty
				cleared[n] = spread(alone[n-2]|cleared[n-2]|helped[n-1])&(own|pullable) |
					spread(alone[n-3]|cleared[n-3]|helped[n-2])&enemy | spread(cleared[n-1])&empty
			}
			if (alone[n]|helped[n]|cleared[n])&goal != 0 {
				return true
			}
		}
	}
	return false
}

func TestMayGoalByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 4))
	yes := 0
	const boards = 20000
	for range boards {
		b := gametest.RandomBoard(rng, rng.IntN(9))
		c := game.Color(rng.IntN(2))
		steps, pullable := rng.IntN(5), b.Color(c.Other())&rng.Uint64()&rng.Uint64()&rng.Uint64()
		got, want := MayGoal(&b, c, steps, pullable), mayGoal(&b, c, steps, pullable)
		if got != want {
			t.Fatalf("%v with %d steps, pullable %#x: %t, want %t\n%v", c, steps, pullable, got, want, &b)
		}
		if got {
			yes++
		}
	}
	if yes < boards/10 || yes > boards*9/10 {
		t.Errorf("%d of %d boards may have a goal: too one-sided a test", yes, boards)
	}
}

// A step that touches no deciding square makes no goal possible.
func TestDecidingSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 11))
	var legal []game.Action
	kept, left := 0, 0
	for range 40000 {
		b := gametest.RandomBoard(rng, rng.IntN(9))
		for traps := game.Traps; traps != 0; traps &= traps - 1 {
			trap, c := traps&-traps, game.Color(rng.IntN(2))
			if rng.IntN(2) == 0 && game.Neighbors(trap)&b.Color(c) != 0 {
				b.Put(game.Square(bits.TrailingZeros64(trap)), c, game.Kind(rng.IntN(game.NumKinds)))
			}
		}
		side, steps := game.Color(rng.IntN(2)), rng.IntN(4)
		if MayGoal(&b, side, steps, 0) {
			continue
		}
		squares := deciding(&b, side, steps)
		g := game.FromBoard(b, side)
		legal = g.Legal(legal[:0])
		mark := g.Mark()
		for _, a := range legal {
			if (squares>>a.From()|squares>>a.To())&1 != 0 {
				kept++
				continue
			}
			left++
			g.Play(a)
			if MayGoal(g.Board(), side, steps, g.Pullable()) {
				t.Fatalf("%v may have a goal in %d steps after %v %v\n%v", side, steps, a.From(), a.Direction(), &b)
			}
			g.Restore(mark)
		}
	}
	if left < kept {
		t.Errorf("%d steps do not matter, and %d may: the squares are too many", left, kept)
	}
}
