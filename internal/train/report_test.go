package train

import (
	"testing"

	"warren/game"
	"warren/internal/observe"
)

// A game without a result counts in the length and among the ends, but not as one that a side has failed to win.
func TestShareOfWinsIsOfDecidedGames(t *testing.T) {
	var e observe.Ended
	e.Games, e.Turns = 10, 500
	e.Wins[game.Gold], e.Wins[game.Silver] = 3, 1
	e.Reasons[game.Goal], e.Reasons[game.Ongoing] = 4, 6
	got := map[string]float64{}
	p := &point{}
	p.ended("games", e)
	for _, v := range p.Values {
		got[v.Name] = v.Value
	}
	for name, want := range map[string]float64{
		"games/turns": 50, "games/gold_wins": 0.75, "games/end_goal": 0.4, "games/end_no_result": 0.6,
	} {
		if got[name] != want {
			t.Errorf("%s is %g, want %g", name, got[name], want)
		}
	}
	p = &point{}
	if p.ended("none", observe.Ended{}); len(p.Values) > 0 {
		t.Errorf("of no games there is %v", p.Values)
	}
}
