package observe

import (
	"math"
	"testing"

	"warren/data"
	"warren/game"
	"warren/mcts"
)

// sample is a game in which Gold's dog steps into a trap, and in which both turns
// have one step.
func sample(t *testing.T) *data.Record {
	t.Helper()
	list, err := game.ParseMoveList("1g Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Ha2 Db2 Dc2 Md2 Ee2 Cf2 Cg2 Hh2\n" +
		"1s ra8 rb8 rc8 rd8 re8 rf8 rg8 rh8 ha7 db7 dc7 md7 ee7 cf7 cg7 hh7\n2g Dc2n Dc3x\n2s ee7s\n")
	if err != nil {
		t.Fatal(err)
	}
	r := &data.Record{Turns: 2}
	for i, a := range list.Actions {
		d := data.Decision{Action: a, Value: 0.5, Visits: []data.Visit{{Action: a, Count: 1}}}
		switch {
		case a.IsPlacement(): // drawn
			d.PolicyWeight = 1
		case i%2 == 0: // full, with the visits as the target
			d.Full, d.PolicyWeight = true, 1
			d.Visits = []data.Visit{{Action: 0, Count: 2}, {Action: 1, Count: 2}}
		case i == 33: // full, with another target
			d.Full, d.PolicyWeight = true, 1
			d.Policy = []data.Share{{Action: 0, Share: 0.25}, {Action: 1, Share: 0.75}}
		}
		r.Decisions = append(r.Decisions, d)
	}
	return r
}

func TestSearches(t *testing.T) {
	var s Searches
	r := sample(t)
	s.Observe(&GameEnded{Record: r})
	got := s.Totals()
	if got.Searched != 4 || got.Full != 3 || got.Targets != 3 || got.Games != 1 || got.Captures != 1 || got.Turns != 2 || got.Passes != 2 {
		t.Errorf("counted %+v", got)
	}
	if want := 2*math.Log(2) - 0.25*math.Log(0.25) - 0.75*math.Log(0.75); math.Abs(got.TargetEntropy-want) > 1e-9 {
		t.Errorf("the entropy is %g, want %g", got.TargetEntropy, want)
	}
	opened := *r
	opened.Opening = 2
	s.Observe(&GameEnded{Record: &opened})
	if since := s.Totals().Less(got); since.Searched != 4 || since.Turns != 0 || since.Games != 0 || since.Captures != 0 {
		t.Errorf("of the game with a random opening it counts %+v", since)
	}

	g := game.New()
	for i := range r.Decisions[:33] {
		act := &Acted{Before: g, Decision: &r.Decisions[i], Root: []mcts.ActionStats{{Prior: 0.5}, {Prior: 0.5}, {Prior: 0}}}
		s.Observe(act)
		g.Play(r.Decisions[i].Action)
	}
	if got := s.Totals(); got.Priors != 1 || math.Abs(got.PriorEntropy-math.Log(2)) > 1e-6 {
		t.Errorf("of the priors it counts %d with %g", got.Priors, got.PriorEntropy)
	}
}
