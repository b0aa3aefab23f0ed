package selfplay

import (
	"bytes"
	"math"
	"testing"

	"warren/game"
	"warren/internal/eval"
)

// cornered says that who has a camel in the corner of file a is likely to win; no placement is preferred.
var cornered = &eval.Network{Hash: "cornered", Backend: eval.Func(func(int) (func(*eval.Batch) error, error) {
	return func(b *eval.Batch) error {
		for i := range b.Len() {
			g, priors := b.Position(i), b.Priors(i)
			for j := range priors {
				priors[j] = 1 / float32(len(priors))
			}
			value := float32(0.5)
			for side, corner := range map[game.Color]game.Square{game.Gold: 0, game.Silver: 56} {
				c, k, ok := g.Board().At(corner)
				switch camel := ok && c == side && k == game.Camel; {
				case camel && side == g.Side():
					value += 0.2
				case camel:
					value -= 0.2
				}
			}
			b.SetValue(i, value)
		}
		return nil
	}, nil
})}

// TestWholeSetupsAreDrawnByTheirEnds: a game's setups are sampled as a whole, and the values of complete positions make the policy target of
// each placement. The samples are its visits.
func TestWholeSetupsAreDrawnByTheirEnds(t *testing.T) {
	job := testJob(2, 3)
	c := &job.Config
	c.Setups, c.SetupVisits, c.SetupPolicyWeight, c.TurnLimit = WholeSetups, 30, 0.5, 4
	job.Search.PolicyTargetScale = 20
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
		for i, d := range r.Decisions[:game.Placements] {
			samples, camels, camel := uint32(0), uint32(0), float32(0)
			for _, v := range d.Visits {
				if samples += v.Count; v.Action == game.PlaceAction(game.Camel) {
					camels = v.Count
				}
			}
			for _, s := range d.Target(nil) {
				if s.Action == game.PlaceAction(game.Camel) {
					camel = s.Share
				}
			}
			switch choice := len(g.Legal(nil)) > 1; {
			case choice != d.Searched() || choice && (!d.Full || d.PolicyWeight != 0.5 || d.ValueWeight != 1):
				t.Errorf("game %d, placement %d: %+v", number, i, d)
			case len(d.Visits) == 1 && d.Policy != nil:
				t.Errorf("game %d, placement %d: the policy target %v of one sample is stored twice", number, i, d.Policy)
			case i%16 != 0:
			case samples != 30:
				t.Errorf("game %d, placement %d: %d samples, want 30", number, i, samples)
			case d.Action == game.PlaceAction(game.Camel):
				inCorner++
				weight := float64(camels) * math.Exp(20*0.2)
				if want := weight / (weight + 30 - float64(camels)); math.Abs(float64(camel)-want) > 1e-4 {
					t.Errorf("game %d, placement %d: the target of the camel is %g, want %g", number, i, camel, want)
				}
			}
			g.Play(d.Action)
		}
	}
	if inCorner < 20 { // of 24; 1/6 of the samples have it
		t.Errorf("%d of 24 setups have the camel in the corner", inCorner)
	}
}

// TestWholeSetupsDoNotDependOnWorkers, nor are they sampled where the opening is random. Each side has samples of its own,
// which are all the same at temperature 0.
func TestWholeSetupsDoNotDependOnWorkers(t *testing.T) {
	for _, temperature := range []float64{0, 1} {
		job := testJob(1, 1)
		c := &job.Config
		c.Setups, c.SetupVisits, c.SetupTemperature, c.RandomOpenings = WholeSetups, 6, temperature, 0.5
		want := playAll(t, job)
		c.Workers, c.GamesPerWorker = 2, 4
		opened := 0
		for number, r := range playAll(t, job) {
			if !bytes.Equal(encode(t, r), encode(t, want[number])) {
				t.Errorf("game %d differs", number)
			}
			if r.Opening > 0 {
				opened++
			}
			first, second := r.Decisions[0], r.Decisions[game.Placements/2]
			sampled := r.Opening == 0
			if first.Searched() != sampled || second.Searched() != sampled {
				t.Errorf("game %d with an opening of %d turns: %+v", number, r.Opening, first)
			}
			if sampled && (len(first.Visits) > 1) != (temperature > 0) {
				t.Errorf("game %d: temperature %g, samples %v", number, temperature, first.Visits)
			}
			same := true
			for i := range game.Placements / 2 {
				same = same && r.Decisions[i].Action == r.Decisions[i+game.Placements/2].Action
			}
			if same {
				t.Errorf("game %d: Silver has Gold's setup", number)
			}
		}
		if opened == 0 || opened == len(want) {
			t.Errorf("%d of %d games have a random opening", opened, len(want))
		}
	}
}
