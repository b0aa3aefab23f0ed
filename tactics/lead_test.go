package tactics

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
)

// In random games, every step found begins a capture that takes no more actions than the shortest, and
// a capture within three actions is hardly ever missed.
func TestLeading(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	var c Captures
	var lengths [5]int
	found, missed := 0, 0
	for range 12 {
		g := game.New()
		for g.Turns() < 40 && !g.Result().Over() {
			legal := g.Legal(nil)
			if !g.InSetup() {
				before, hash := *g.Board(), g.Hash()
				got := slices.Clone(c.Leading(g, legal))
				if *g.Board() != before || g.Hash() != hash {
					t.Fatal("the game has changed")
				}
				var want []int
				n := 1
				for ; n <= min(3, g.StepsLeft()) && len(want) == 0; n++ {
					for i, a := range legal {
						if captures(g, a, n) {
							want = append(want, i)
						}
					}
				}
				lengths[min(n, 4)]++
				switch {
				case len(want) == 0: // whatever was found is longer
				case len(got) == 0:
					missed += len(want)
				default:
					for _, i := range got {
						if !slices.Contains(want, i) {
							t.Fatalf("%v begins no shortest capture in\n%v", legal[i], g.Board())
						}
					}
					found += len(got)
					missed += len(want) - len(got)
				}
			}
			g.Play(legal[rng.IntN(len(legal))])
		}
	}
	t.Logf("lengths %v, %d steps found, %d missed", lengths, found, missed)
	if found < 200 || missed > found/50 {
		t.Errorf("%d steps found, %d missed", found, missed)
	}
}

// captures reports whether the action a can be followed so that an enemy piece is captured in n actions
// of the turn, a included.
func captures(g *game.Game, a game.Action, n int) bool {
	side := g.Side()
	h := g.Clone()
	h.Play(a)
	if bits.OnesCount64(h.Board().Color(side.Other())) < bits.OnesCount64(g.Board().Color(side.Other())) {
		return a.IsStep()
	}
	if n == 1 || h.Side() != side {
		return false
	}
	for _, b := range h.Legal(nil) {
		if captures(h, b, n-1) {
			return true
		}
	}
	return false
}

func BenchmarkLeading(b *testing.B) {
	rng := rand.New(rand.NewPCG(12, 1))
	var c Captures
	var games []*game.Game
	for range 20 {
		g := game.New()
		for g.Turns() < 40 && !g.Result().Over() {
			legal := g.Legal(nil)
			if !g.InSetup() {
				games = append(games, g.Clone())
			}
			g.Play(legal[rng.IntN(len(legal))])
		}
	}
	b.ResetTimer()
	n := 0
	for i := range b.N {
		g := games[i%len(games)]
		if len(c.Leading(g, g.Legal(nil))) > 0 {
			n++
		}
	}
	b.ReportMetric(float64(n)/float64(b.N), "found")
}
