package net

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
)

// TestBitsAreTheEncoding compares the two encodings in the states of random games, which
// have setups, pushes, pulls and repetitions.
func TestBitsAreTheEncoding(t *testing.T) {
	want, got := make([]float32, InputSize), make([]float32, InputSize)
	rng := rand.New(rand.NewPCG(1, 2))
	var legal []game.Action
	var seen [NumPlanes]bool
	var b Bits
	for range 20 {
		g := game.New()
		for range 400 {
			if legal = g.Legal(legal[:0]); len(legal) == 0 {
				break
			}
			Encode(g, want)
			EncodeBits(g, &b)
			b.Expand(got)
			for i, v := range got {
				seen[i%NumPlanes] = seen[i%NumPlanes] || v != 0
			}
			if !slices.Equal(got, want) {
				t.Fatalf("they differ for\n%s", game.FormatDiagram(g.Board(), g.TurnLabel()))
			}
			g.Play(legal[rng.IntN(len(legal))])
		}
	}
	for p, ok := range seen[:numPlanesUsed] {
		// Random play hardly repeats positions; checkPlanes compares those, too.
		if !ok && p != planeRepeated && p != planeEndTwice && p != planeEndThrice {
			t.Errorf("plane %d was always empty", p)
		}
	}
}
