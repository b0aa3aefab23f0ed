package think

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/eval/evaltest"
)

// TestSetup: a setup is drawn for each side, and another device takes the place of a lost one.
func TestSetup(t *testing.T) {
	d := &evaltest.Device{Backend: hashed(nil), Name: "fake", Best: 24, Depth: 2, Fault: func(batch int) error {
		if batch > 3 {
			return fmt.Errorf("unplugged: %w", eval.ErrLost)
		}
		return nil
	}}
	config := onDevice(eval.Merge(d), func(eval.Backend, error) (eval.Backend, error) { return hashed(nil), nil })
	e, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	g := game.New()
	for range 2 {
		placements, err := e.Setup(t.Context(), g, 1, rand.New(rand.NewPCG(1, 2)))
		if err != nil || len(placements) != game.Placements/2 {
			t.Fatalf("%v, %v", placements, err)
		}
		for _, a := range placements {
			if !slices.Contains(g.Legal(nil), a) {
				t.Fatalf("%v: %d is not legal", placements, a)
			}
			g.Play(a)
		}
	}
	// The temperature counts: at 0 most of these would be the same.
	drawn := map[string]bool{}
	for seed := range uint64(4) {
		placements, err := e.Setup(t.Context(), game.New(), 1, rand.New(rand.NewPCG(seed, 2)))
		if err != nil {
			t.Fatal(err)
		}
		drawn[fmt.Sprint(placements)] = true
	}
	if len(drawn) < 4 {
		t.Errorf("%d different setups of 4", len(drawn))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Setup(ctx, game.New(), 1, rand.New(rand.NewPCG(1, 2))); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context has ended: %v", err)
	}
}
