package mcts

import (
	"testing"

	"warren/game"
)

// The value of the root is a chance, whatever the rounding of the sums it is made of, also
// once the tree has gone over to the other side.
func TestValueIsAChance(t *testing.T) {
	config := AlphaZeroConfig()
	config.DrawPenalty = 0.5
	s := New(config, 20000)
	for _, gold := range []float32{0, 1e-6, 1 - 1e-6, 1} {
		for _, stopped := range []float32{0.1, 0.3, 0.7} {
			g := game.New()
			for g.InSetup() {
				g.Play(g.Legal(nil)[0])
			}
			s.Reset(g)
			for range 12 {
				for range 600 {
					leaf, status := s.Select()
					if status != Evaluate {
						continue
					}
					e := Evaluation{Priors: make([]float32, len(leaf.Legal)), Stopped: stopped}
					uniform(leaf.Game, leaf.Legal, e.Priors)
					e.Value = forGold(gold, leaf.Game.Side())
					s.Expand(leaf, e)
					if v := s.Value(); !(v >= 0 && v <= 1) {
						t.Fatalf("after %d simulations, all worth %v to Gold, the root is worth %v", s.Simulations(), gold, v)
					}
				}
				s.Advance(s.PV(nil)[0])
			}
		}
	}
}
