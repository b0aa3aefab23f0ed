package mcts

import (
	"bufio"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"warren/game"
)

// parse returns a game in which side (g or s) is to move. It takes 64 squares
// from a8 to h1, with dots for empty ones and optional blanks between ranks.
func parse(t testing.TB, side, squares string) *game.Game {
	t.Helper()
	squares = strings.Join(strings.Fields(squares), "")
	if len(squares) != 64 {
		t.Fatalf("a board of %d squares: %s", len(squares), squares)
	}
	var b game.Board
	for i, r := range squares {
		if k := strings.IndexRune("RCDHME", r); k >= 0 {
			b.Put(game.Square(i^56), game.Gold, game.Kind(k))
		} else if k := strings.IndexRune("rcdhme", r); k >= 0 {
			b.Put(game.Square(i^56), game.Silver, game.Kind(k))
		}
	}
	if side == "s" {
		return game.FromBoard(b, game.Silver)
	}
	return game.FromBoard(b, game.Gold)
}

// positions returns the turn starts in testdata/positions.txt, taken from
// games between people.
func positions(t testing.TB) (games []*game.Game) {
	t.Helper()
	f, err := os.Open("testdata/positions.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		side, squares, _ := strings.Cut(in.Text(), " ")
		games = append(games, parse(t, side, squares))
	}
	return games
}

// randomGame returns a game after the given number of random actions, or the
// last position before its end if it ends sooner.
func randomGame(rng *rand.Rand, actions int) *game.Game {
	g, before := game.New(), game.New()
	var legal []game.Action
	for ; actions > 0; actions-- {
		before.CopyFrom(g)
		legal = g.Legal(legal[:0])
		g.Play(legal[rng.IntN(len(legal))])
		if g.Result().Over() {
			return before
		}
	}
	return g
}

// An evaluator fills in priors and returns the value for the side to move.
type evaluator func(g *game.Game, legal []game.Action, priors []float32) float32

// uniform prefers no action and gives both players an even chance.
func uniform(_ *game.Game, legal []game.Action, priors []float32) float32 {
	for i := range priors {
		priors[i] = 1 / float32(len(legal))
	}
	return 0.5
}

// hashed is a fixed function of the position that looks like noise.
func hashed(g *game.Game, legal []game.Action, priors []float32) float32 {
	key := g.EvalKey()
	rng := rand.NewPCG(key, key)
	var sum float32
	for i := range priors {
		priors[i] = 1 + float32(rng.Uint64()>>56)
		sum += priors[i]
	}
	for i := range priors {
		priors[i] /= sum
	}
	return float32(rng.Uint64()>>40) / (1 << 24)
}

// run completes simulations until the root of s has n, and returns the number
// of evaluations.
func run(s *Search, n int, evaluate evaluator) (evaluations int) {
	var priors [game.NumActions]float32
	for s.Simulations() < n {
		switch leaf, status := s.Select(); status {
		case Evaluate:
			p := priors[:len(leaf.Legal)]
			s.Expand(leaf, Evaluation{Priors: p, Value: evaluate(leaf.Game, leaf.Legal, p)})
			evaluations++
		case Wait:
			panic("Wait with nothing in flight")
		}
	}
	return evaluations
}
