package mcts

import (
	"encoding/json"
	"flag"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"warren/game"
)

var update = flag.Bool("update", false, "rewrite the trees in testdata/golden")

// crude is a hand-written evaluator. It counts pieces and how far the rabbits
// have come. Every number in it is exact in a float32.
func crude(g *game.Game, legal []game.Action, priors []float32) float32 {
	var sum float32
	for i, a := range legal {
		priors[i] = float32(1 + int(a)*37%11)
		sum += priors[i]
	}
	for i := range priors {
		priors[i] /= sum
	}
	b := g.Board()
	score := 4 * (bits.OnesCount64(b.Color(game.Gold)) - bits.OnesCount64(b.Color(game.Silver)))
	for r := range 8 {
		rank := uint64(0xff) << (8 * r)
		score += r * bits.OnesCount64(b.Pieces(game.Gold, game.Rabbit)&rank)
		score -= (7 - r) * bits.OnesCount64(b.Pieces(game.Silver, game.Rabbit)&rank)
	}
	gold := 0.5 + float32(min(max(score, -60), 60))/128
	return forGold(gold, g.Side())
}

// TestGolden compares whole trees with those in testdata/golden. After a change
// that is meant to change them, run go test -update and read the difference.
func TestGolden(t *testing.T) {
	games := positions(t)
	cases := []struct {
		name   string
		start  *game.Game
		change func(*Config)
	}{
		{"opening", game.New(), func(*Config) {}},
		{"gold", games[1], func(*Config) {}},
		{"silver", games[0], func(*Config) {}},
		{"urgency", games[2], func(c *Config) { c.RootFPUReduction, c.FPUReduction = 0, 0.3 }},
		{"noise", games[3], func(c *Config) { c.NoiseFraction = 0.25 }},
		{"endgame", games[len(games)-1], func(*Config) {}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			config := AlphaZeroConfig()
			c.change(&config)
			s := New(config, 200)
			s.Reset(c.start)
			s.Begin(200, rand.New(rand.NewPCG(7, 7)))
			run(s, 200, crude)
			got := dump(s, 0, 2)
			path := filepath.Join("testdata", "golden", c.name+".json")
			if *update {
				text, err := json.MarshalIndent(got, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, append(text, '\n'), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var want branch
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatalf("reading %s: %v", path, err)
			}
			if !same(got, want) {
				t.Errorf("the tree is not that of %s", path)
			}
		})
	}
}
