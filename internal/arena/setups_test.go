package arena

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/arena/alphabeta"
	"warren/internal/eval"
)

// setupsOf returns the setups of a player for both sides.
func setupsOf(t *testing.T, p Player, seed uint64) []game.Action {
	t.Helper()
	g := game.New()
	seat, err := p.Sit(t.Context(), seed)
	if err != nil {
		t.Fatal(err)
	}
	var all []game.Action
	for g.InSetup() {
		a, err := seat.Act(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(g.Legal(nil), a) {
			t.Fatalf("placement %d is %d, which is not legal", len(all), a)
		}
		g.Play(a)
		all = append(all, a)
	}
	return all
}

// TestUsualSetups: a network that sets up as usual does so as the hand-written players do, and differs from game to game.
func TestUsualSetups(t *testing.T) {
	p := searcher("usual", 2)
	p.Setups = UsualSetups
	usual := map[string]bool{}
	for seed := range uint64(200) {
		usual[text(alphabeta.Setup(game.New(), rand.New(rand.NewPCG(seed, 9))))] = true
	}
	own := map[string]bool{}
	for seed := range uint64(20) {
		gold := text(setupsOf(t, p, seed)[:16])
		if own[gold] = true; !usual[gold] {
			t.Errorf("seed %d: not a usual setup", seed)
		}
	}
	if len(own) < 5 {
		t.Errorf("%d different setups in 20 games", len(own))
	}
}

func text(actions []game.Action) string {
	var b strings.Builder
	for _, a := range actions {
		b.WriteRune(rune(a))
	}
	return b.String()
}

// TestWholeSetups: unless told otherwise, a network sets up by its policy alone, at the player's temperature.
func TestWholeSetups(t *testing.T) {
	for _, temperature := range []float64{0, 1} {
		p := searcher("whole", 16)
		p.Setups, p.Temperature, p.Backend = DefaultSearch().Setups, temperature, eval.Func(elephantsFirst)
		first, different := 0, map[string]bool{}
		for seed := range uint64(50) {
			all := setupsOf(t, p, seed)
			for side := range 2 {
				setup := all[16*side : 16*side+16]
				if different[text(setup)] = true; setup[0] == game.PlaceAction(game.Elephant) {
					first++
				}
			}
		}
		// 1/3 of the shares is the elephant's, and the others are equal.
		if len(different) < 99 || temperature == 0 && first != 100 || temperature == 1 && (first < 18 || first > 50) {
			t.Errorf("temperature %g: the elephant comes first in %d of 100 setups, of which %d are different", temperature, first, len(different))
		}
	}
}

// elephantsFirst is an evaluator that prefers strong pieces, and thinks that every position is even.
func elephantsFirst(batch int) (func(*eval.Batch) error, error) {
	evaluate, err := even(batch)
	return func(b *eval.Batch) error {
		if err := evaluate(b); err != nil {
			return err
		}
		for i := range b.Len() {
			if !b.Position(i).InSetup() {
				continue
			}
			sum, priors := float32(0), b.Priors(i)
			for j, a := range b.Position(i).Legal(nil) {
				if priors[j] = 1; a == game.PlaceAction(game.Elephant) {
					priors[j] = 2.5
				}
				sum += priors[j]
			}
			for j := range priors {
				priors[j] /= sum
			}
		}
		return nil
	}, err
}
