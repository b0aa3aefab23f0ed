package train

import (
	"testing"

	"warren/game"
	"warren/game/tactics"
)

// The probe positions are what their names say.
func TestProbes(t *testing.T) {
	for _, c := range probes {
		board, err := game.ParseBoard(c.board)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		g := game.FromBoard(board, game.Gold)
		if g.Result().Over() {
			t.Errorf("%s is over: %v", c.name, g.Result())
		}
		if wins := tactics.Winning(g) != nil; wins != (c.name == "goal_now") {
			t.Errorf("%s: a win within the turn: %t", c.name, wins)
		}
		if lost, _ := new(tactics.Finder).Losing(g, tactics.Unbounded); lost != (c.name == "lost") {
			t.Errorf("%s: lost whatever Gold does: %t", c.name, lost)
		}
		if c.step == "" {
			continue
		}
		steps, err := game.ParseSteps(g, c.step)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		g.Play(steps[0])
		g.Play(game.Pass)
		if r := g.Result(); r.Reason != game.Goal || r.Winner != game.Gold {
			t.Errorf("%s: after %s the result is %v", c.name, c.step, r)
		}
	}
}
