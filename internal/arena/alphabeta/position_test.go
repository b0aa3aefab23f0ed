package alphabeta

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
	"warren/internal/gametest"
)

// position returns a game on a board given rank by rank, from the eighth down.
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

// walk plays random games from the setup and from random boards. It calls see
// with every state.
func walk(seed uint64, games, turns int, see func(g *game.Game)) {
	rng := rand.New(rand.NewPCG(seed, 7))
	for n := range games {
		g := game.New()
		if n%2 == 1 {
			g = game.FromBoard(gametest.RandomBoard(rng, 4), game.Color(rng.IntN(2)))
		}
		for !g.Result().Over() && g.Turns() < turns {
			see(g)
			legal := g.Legal(nil)
			g.Play(legal[rng.IntN(len(legal))])
		}
	}
}

// mustBeTurn fails unless the actions are legal and end the turn or the game.
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
