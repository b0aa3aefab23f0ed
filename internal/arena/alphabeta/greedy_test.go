package alphabeta

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"warren/game"
	"warren/game/tactics"
	"warren/internal/gametest"
)

func TestGreedyIsLegal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	turns := 0
	for n := range 4 {
		g := game.New()
		if n%2 == 1 {
			g = game.FromBoard(gametest.RandomBoard(rng, 3), game.Gold)
		}
		for !g.Result().Over() && g.Turns() < 15 {
			actions := Greedy(g, rng)
			mustBeTurn(t, g, actions)
			turns++
			// Called in the middle of a turn, it finishes the turn.
			if !g.InSetup() && len(actions) > 2 {
				g.Play(actions[0])
				actions = Greedy(g, rng)
				mustBeTurn(t, g, actions)
			}
			for _, a := range actions {
				g.Play(a)
			}
		}
	}
	if turns < 30 {
		t.Errorf("only %d turns", turns)
	}
}

func TestGreedyTakesTheBestCapture(t *testing.T) {
	g := position(t, game.Gold,
		"r.rrrrrr",
		"........",
		"...c..h.",
		"...E..M.",
		"........",
		"........",
		"........",
		"RRR..RRR")
	for seed := range uint64(4) {
		p := g.Clone()
		for _, a := range Greedy(g, rand.New(rand.NewPCG(seed, 1))) {
			p.Play(a)
		}
		if p.Board().Pieces(game.Silver, game.Horse)|p.Board().Pieces(game.Silver, game.Cat) != 0 {
			t.Errorf("seed %d: did not take both\n%s", seed, game.FormatDiagram(p.Board(), ""))
		}
	}
}

func TestGreedyStopsAGoal(t *testing.T) {
	g := position(t, game.Silver,
		".rr..rrr",
		"........",
		"R.......",
		"...e....",
		"........",
		"........",
		"........",
		"RRR..RRR")
	for seed := range uint64(2) {
		p := g.Clone()
		for _, a := range Greedy(g, rand.New(rand.NewPCG(seed, 1))) {
			p.Play(a)
		}
		if tactics.Winning(p) != nil {
			t.Errorf("seed %d: let the rabbit through\n%s", seed, game.FormatDiagram(p.Board(), ""))
		}
	}
}

func TestSetupsAreCompleteAndVaried(t *testing.T) {
	different := map[string]bool{}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g := game.New()
		// Someone else may have begun the setup.
		for range seed % 17 {
			legal := g.Legal(nil)
			g.Play(legal[rng.IntN(len(legal))])
		}
		for g.InSetup() {
			actions := Setup(g, rng)
			mustBeTurn(t, g, actions)
			for _, a := range actions {
				g.Play(a)
			}
		}
		if seed%17 == 0 {
			different[g.Board().String()] = true
		}
	}
	if len(different) < 8 {
		t.Errorf("12 seeds gave %d different setups", len(different))
	}
	for _, s := range setups {
		var n [game.NumKinds]int
		for _, letter := range []byte(s) {
			n[kindOf(letter)]++
		}
		for k, n := range n {
			if n != game.SetupCount(game.Kind(k)) {
				t.Errorf("%s: %d of kind %v", s, n, game.Kind(k))
			}
		}
	}
}

// The elephants face each other.
func TestSetupsMeet(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		g := game.New()
		west := map[game.Color]bool{}
		for _, side := range []game.Color{game.Gold, game.Silver} {
			for _, a := range Setup(g, rng) {
				g.Play(a)
			}
			west[side] = bits.TrailingZeros64(g.Board().Pieces(side, game.Elephant))%8 < 4
		}
		if west[game.Gold] != west[game.Silver] {
			t.Errorf("the elephants are apart:\n%v", g.Board())
		}
	}
}
