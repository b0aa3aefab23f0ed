package alphabeta

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
)

// position returns a game on a board drawn rank by rank, from the eighth.
func position(t *testing.T, side game.Color, ranks ...string) *game.Game {
	t.Helper()
	text := ""
	for _, r := range ranks {
		text += r
	}
	b, err := game.ParseBoard(text)
	if err != nil {
		t.Fatal(err)
	}
	return game.FromBoard(b, side)
}

// randomBoard returns a board that a game might come to: the given number of
// officers a side at most, none on a trap, and no rabbit on its goal.
func randomBoard(rng *rand.Rand, officers int) (b game.Board) {
	for c := game.Gold; c <= game.Silver; c++ {
		put := func(k game.Kind) {
			for {
				s := game.Square(rng.IntN(64))
				bit := uint64(1) << s
				if (b.Occupied()|game.Traps)&bit == 0 && (k != game.Rabbit || goalRank(c)&bit == 0) {
					b.Put(s, c, k)
					return
				}
			}
		}
		for range 1 + rng.IntN(8) {
			put(game.Rabbit)
		}
		left := officers
		for k := game.Cat; k <= game.Elephant; k++ {
			for range game.SetupCount(k) {
				if left > 0 && rng.IntN(3) > 0 {
					put(k)
					left--
				}
			}
		}
	}
	return b
}

// walk plays random games, from the setup and from random boards, and shows
// every state of them.
func walk(seed uint64, games, turns int, see func(g *game.Game)) {
	rng := rand.New(rand.NewPCG(seed, 7))
	for n := range games {
		g := game.New()
		if n%2 == 1 {
			g = game.FromBoard(randomBoard(rng, 4), game.Color(rng.IntN(2)))
		}
		for !g.Result().Over() && g.Turns() < turns {
			see(g)
			legal := g.Legal(nil)
			g.Play(legal[rng.IntN(len(legal))])
		}
	}
}

// mustBeTurn fails unless actions are legal and end the turn of g, or the game.
func mustBeTurn(t *testing.T, g *game.Game, actions []game.Action) {
	t.Helper()
	p := g.Clone()
	for i, a := range actions {
		if p.Side() != g.Side() || !slices.Contains(p.Legal(nil), a) {
			t.Fatalf("action %d of %v is not legal in\n%s", i, actions, game.FormatDiagram(g.Board(), g.TurnLabel()))
		}
		p.Play(a)
	}
	if p.Side() == g.Side() && !p.Result().Over() {
		t.Fatalf("%v does not finish the turn of\n%s", actions, game.FormatDiagram(g.Board(), g.TurnLabel()))
	}
}

// movers returns the pieces of c that are not frozen and have a free square
// beside them.
func movers(b *game.Board, c game.Color) uint64 {
	return b.Color(c) &^ b.Frozen(c) & neighbors(^b.Occupied())
}
