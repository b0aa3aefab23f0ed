package net_test

import (
	"fmt"
	"math"

	"warren/game"
	"warren/net"
)

// Turn the policy's logits into the priors of the legal actions, which sum to 1. These
// logits are made up: a network would give them.
func ExamplePolicyIndex() {
	logits := make([]float32, game.NumActions)
	logits[game.PlaceAction(game.Rabbit)] = 2
	logits[game.PlaceAction(game.Elephant)] = 1

	g := game.New()
	legal := g.Legal(nil)
	priors, sum := make([]float64, len(legal)), 0.0
	for i, a := range legal {
		priors[i] = math.Exp(float64(logits[net.PolicyIndex(a, g.Side())]))
		sum += priors[i]
	}
	for i, a := range legal {
		fmt.Printf("%v %.2f\n", a.Kind(), priors[i]/sum)
	}
	// Output:
	// rabbit 0.52
	// cat 0.07
	// dog 0.07
	// horse 0.07
	// camel 0.07
	// elephant 0.19
}
