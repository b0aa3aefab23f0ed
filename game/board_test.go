package game_test

import (
	"math/rand/v2"
	"testing"

	"warren/game"
	"warren/internal/gametest"
)

// Sets of pieces agree with what stands on each square.
func TestSetsOfPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for range 200 {
		b, o := gametest.RandomBoard(rng, 8), gametest.RandomBoard(rng, 8)
		for s := range game.Square(64) {
			c, k, ok := b.At(s)
			for than := game.Rabbit; than <= game.Elephant; than++ {
				if got, want := b.Stronger(than)>>s&1 != 0, ok && k > than; got != want {
					t.Fatalf("%v on %v is stronger than kind %d: %t\n%v", k, s, than, got, &b)
				}
				for side := game.Gold; side <= game.Silver; side++ {
					if got, want := b.Pieces(side, than)>>s&1 != 0, ok && k == than && c == side; got != want {
						t.Fatalf("%v has kind %d on %v: %t\n%v", side, than, s, got, &b)
					}
				}
			}
			c2, k2, ok2 := o.At(s)
			if got, want := b.Differs(&o)>>s&1 != 0, c != c2 || k != k2 || ok != ok2; got != want {
				t.Fatalf("the boards differ on %v: %t\n%v\n%v", s, got, &b, &o)
			}
		}
	}
}
