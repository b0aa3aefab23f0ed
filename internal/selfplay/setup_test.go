package selfplay

import (
	"bytes"
	"strings"
	"testing"

	"warren/data"
	"warren/game"
	"warren/internal/eval"
)

// cornered prefers camels, and gives the side to move a chance of 0.7 once its camel stands on file a of its last rank.
var cornered = &eval.Network{Hash: "cornered", Backend: eval.Func(func(int) (func(*eval.Batch) error, error) {
	return func(b *eval.Batch) error {
		for i := range b.Len() {
			g, priors := b.Position(i), b.Priors(i)
			for j, a := range g.Legal(nil) {
				if priors[j] = 0.1 / float32(len(priors)-1); a == game.PlaceAction(game.Camel) {
					priors[j] = 0.9
				}
			}
			value := float32(0.5)
			if c, k, ok := g.Board().At([2]game.Square{0, 56}[g.Side()]); ok && c == g.Side() && k == game.Camel {
				value = 0.7
			}
			b.SetValue(i, value)
		}
		return nil
	}, nil
})}

// TestSetupsAreDrawn: a game's setups are drawn from the policy. A placement has one visit, the value of the position
// before it, and no policy target.
func TestSetupsAreDrawn(t *testing.T) {
	job := testJob(2, 3)
	c := &job.Config
	c.SetupPolicyWeight, c.TurnLimit = 0.5, 4
	games, err := playOn(t, job, cornered)
	if err != nil {
		t.Fatal(err)
	}
	inCorner := 0
	for number, r := range games {
		if err := accept(&job, r); err != nil {
			t.Errorf("game %d: %v", number, err)
		}
		g := game.New()
		corner := false
		for i, d := range r.Decisions[:game.Placements] {
			value := float32(0.5)
			if i%16 > 0 && corner {
				value = 0.7
			}
			switch choice := len(g.Legal(nil)) > 1; {
			case choice != d.Searched() || choice != d.Drawn():
				t.Errorf("game %d, placement %d: %+v", number, i, d)
			case choice && (d.Visits[0].Action != d.Action || d.PolicyWeight != 0.5 || d.ValueWeight != 1 || d.Value != value):
				t.Errorf("game %d, placement %d: %+v, want the value %g", number, i, d, value)
			}
			if i%16 == 0 {
				if corner = d.Action == game.PlaceAction(game.Camel); corner {
					inCorner++
				}
			}
			g.Play(d.Action)
		}
	}
	if inCorner < 17 || inCorner == 24 { // 9 of 10
		t.Errorf("%d of 24 setups have the camel in the corner", inCorner)
	}
}

// TestForgedSetupsAreRefused: a placement that is drawn teaches no more than the settings say.
func TestForgedSetupsAreRefused(t *testing.T) {
	job := testJob(1, 1)
	job.Config.SetupPolicyWeight, job.Config.TurnLimit = 0.5, 4
	for number, r := range playAll(t, job) {
		for want, forge := range map[string]func(d *data.Decision){
			"a search for a placement, which":                      func(d *data.Decision) { d.Full = true },
			"a search for a placement, which ":                     func(d *data.Decision) { d.Visits[0].Count = 2 },
			"a search for a placement, which is":                   func(d *data.Decision) { d.Policy = []data.Share{{Action: d.Action, Share: 1}} },
			"the policy weight of a placement is 1, must be 0.5":   func(d *data.Decision) { d.PolicyWeight = 1 },
			"the policy weight of a placement is 0.2, must be 0.5": func(d *data.Decision) { d.PolicyWeight = 0.2 },
		} {
			forged := copied(r)
			forge(&forged.Decisions[3])
			if err := accept(&job, forged); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("game %d: %v, want %q", number, err, want)
			}
		}
	}
}

// TestSetupsDoNotDependOnWorkers, nor are they drawn where the opening is random. Each side has one of its own.
func TestSetupsDoNotDependOnWorkers(t *testing.T) {
	job := testJob(1, 1)
	c := &job.Config
	c.RandomOpenings = 0.5
	want := playAll(t, job)
	c.Workers, c.GamesPerWorker = 2, 4
	opened := 0
	setups := map[string]bool{}
	for number, r := range playAll(t, job) {
		if !bytes.Equal(encode(t, r), encode(t, want[number])) {
			t.Errorf("game %d differs", number)
		}
		first, second := r.Decisions[0], r.Decisions[game.Placements/2]
		drawn := r.Opening == 0
		if first.Searched() != drawn || second.Searched() != drawn {
			t.Errorf("game %d with an opening of %d turns: %+v", number, r.Opening, first)
		}
		if !drawn {
			opened++
			continue
		}
		for side := range 2 {
			var setup []byte
			for _, d := range r.Decisions[16*side : 16*side+16] {
				setup = append(setup, byte(d.Action.Kind()))
			}
			setups[string(setup)] = true
		}
	}
	if opened == 0 || opened == len(want) {
		t.Errorf("%d of %d games have a random opening", opened, len(want))
	}
	if n := 2 * (len(want) - opened); len(setups) < n-1 {
		t.Errorf("%d different setups of %d", len(setups), n)
	}
}
