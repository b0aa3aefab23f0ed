package data

import (
	"testing"

	"warren/game"
)

// shuffled returns a game in which both sides step a rabbit to and fro and pass. The root value of
// each turn's step is the next of the given ones; the pass after it has the same. A negative value
// means that the turn is not searched.
func shuffled(t *testing.T, values ...float32) *Record {
	t.Helper()
	list, err := game.ParseMoveList("1g Ra1 Rb1 Rc1 Rd1 Re1 Rf1 Rg1 Rh1 Ha2 Db2 Dc2 Md2 Ee2 Cf2 Cg2 Hh2\n" +
		"1s ra8 rb8 rc8 rd8 re8 rf8 rg8 rh8 ha7 db7 dc7 md7 ee7 cf7 cg7 hh7\n" +
		"2g Ee2n\n2s ee7s\n3g Ee3n\n3s ee6s\n4g Md2n\n4s md7s\n5g Md3n\n5s md6s\n")
	if err != nil {
		t.Fatal(err)
	}
	r := &Record{Run: "shuffled"}
	g := game.New()
	for _, a := range list.Actions {
		d := Decision{Action: a}
		if !g.InSetup() {
			if g.Turns() == len(values) {
				break
			}
			if v := values[g.Turns()]; v >= 0 {
				d.Value, d.Visits, d.ValueWeight = v, []Visit{{a, 1}}, 1
			}
		}
		r.Decisions = append(r.Decisions, d)
		g.Play(a)
	}
	r.Turns = int32(g.Turns())
	return r
}

func TestResigner(t *testing.T) {
	const unknown = -1
	for name, test := range map[string]struct {
		values []float32
		side   game.Color
		turns  int
		ok     bool
	}{
		"nobody":                        {[]float32{0.5, 0.5, 0.3, 0.7}, 0, 0, false},
		"gold":                          {[]float32{0.15, 0.9, 0.5, 0.5}, game.Gold, 2, true},
		"silver":                        {[]float32{0.5, 0.125, 0.875, 0.5}, game.Silver, 3, true},
		"silver after the last turn":    {[]float32{0.5, 0.125, 0.875}, game.Silver, 3, true},
		"the loser is not to move":      {[]float32{0.9, 0.1}, 0, 0, false},
		"only one side says so":         {[]float32{0.01, 0.5, 0.5, 0.5}, 0, 0, false},
		"the last turn is not searched": {[]float32{unknown, 0.99, 0.5, 0.5}, 0, 0, false},
		"an older turn is":              {[]float32{0.01, 0.5, unknown, 0.99}, 0, 0, false},
		"exactly at the limit":          {[]float32{0.25, 0.75, 0.5, 0.5}, 0, 0, false},
	} {
		r := shuffled(t, test.values...)
		if side, turns, ok := r.Resigner(0.25); side != test.side || turns != test.turns || ok != test.ok {
			t.Errorf("%s: %v, %d, %t, want %v, %d, %t", name, side, turns, ok, test.side, test.turns, test.ok)
		}
	}
}

// Chance is the mean over a turn's searches, and is unknown within a turn.
func TestOutlook(t *testing.T) {
	r := shuffled(t, 0.25, 0.5, 0.5)
	r.Decisions[33].Value = 0.75 // Gold's pass
	var o Outlook
	g := game.New()
	known := 0
	for i := range r.Decisions {
		chance, ok := o.Chance(g)
		if ok != (!g.InSetup() && g.StepsLeft() == 4 && g.Turns() >= 2) {
			t.Errorf("decision %d: known %t", i, ok)
		}
		if ok {
			if known++; chance != 0.5 {
				t.Errorf("decision %d: chance %v", i, chance)
			}
		}
		o.Add(g, &r.Decisions[i])
		g.Play(r.Decisions[i].Action)
	}
	if known == 0 {
		t.Error("no chance was known")
	}
}
