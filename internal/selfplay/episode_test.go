package selfplay

import (
	"testing"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/gather"
	"warren/internal/observe"
	"warren/mcts"
)

// The actions of a position are listed once, and not again at every simulation.
func TestActionsAreListedOnce(t *testing.T) {
	job := testJob(1, 1)
	network := networkOn(eval.Uniform{})
	rules := job.rules(0)
	e := begin(&job, rules, 1, network, mcts.New(rules.Search, rules.Config.maxVisits()), observe.Nobody)
	var leaves gather.Leaves
	s, err := network.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	simulate := func() {
		if !e.next(&leaves) {
			t.Fatal("the game is over")
		}
		if err := leaves.Evaluate(s); err != nil {
			t.Fatal(err)
		}
		leaves.Return()
	}
	for e.game().InSetup() || e.search.Simulations() > 1 {
		simulate()
	}
	of, first := e.game().Hash(), e.legal[0]
	e.legal[0] = game.Pass
	simulate()
	if e.game().Hash() != of || e.search.Simulations() != 2 {
		t.Fatal("that was not one simulation")
	}
	if e.legal[0] != game.Pass {
		t.Errorf("%v is listed again", first)
	}
}
