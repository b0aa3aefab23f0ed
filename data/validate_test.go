package data

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warren/game"
)

func TestRandomGamesAreValid(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := randomRecord(rapid.Uint64().Draw(rt, "game"), rapid.SampledFrom([]int{0, 1, 20, 100}).Draw(rt, "limit"))
		if err := r.Validate(); err != nil {
			rt.Fatal(err)
		}
	})
}

func TestValidateRefuses(t *testing.T) {
	target := func(r *Record, first, second float32) {
		d := &r.Decisions[40]
		d.Policy = []Share{{d.Visits[0].Action, first}, {d.Visits[1].Action, second}}
	}
	finished := func(r *Record) { *r = *randomRecord(1, 0) }
	tests := []struct {
		name   string
		change func(r *Record)
		want   string
	}{
		{"no decisions", func(r *Record) { r.Decisions = nil }, "0 decisions"},
		{"illegal action", func(r *Record) { r.Decisions[5].Action = game.Pass }, "decision 5: action 256"},
		{"no such action", func(r *Record) { r.Decisions[5].Action = 9999 }, "decision 5: action 9999"},
		{"visit of an illegal action", func(r *Record) { r.Decisions[40].Visits[0].Action = 261 }, "decision 40: visited action 261 is not legal"},
		{"visit of no action", func(r *Record) { r.Decisions[40].Visits[0].Action = math.MaxUint16 }, "not legal"},
		{"no visits", func(r *Record) { r.Decisions[40].Visits[0].Count = 0 }, "has no visits"},
		{"repeated visit", func(r *Record) {
			d := &r.Decisions[40]
			d.Visits = append(d.Visits[:1:1], d.Visits...)
		}, "out of order"},
		{"value above 1", func(r *Record) { r.Decisions[40].Value = 1.5 }, "not a chance"},
		{"value NaN", func(r *Record) { r.Decisions[40].Value = float32(math.NaN()) }, "not a chance"},
		{"full search without visits", func(r *Record) { r.Decisions[0].Full = true }, "without visits"},
		{"value without visits", func(r *Record) { r.Decisions[0].Value = 0.5 }, "without visits"},
		{"policy weight without visits", func(r *Record) { r.Decisions[0].PolicyWeight = 1 }, "without visits"},
		{"value weight without visits", func(r *Record) { r.Decisions[0].ValueWeight = 1 }, "without visits"},
		{"negative policy weight", func(r *Record) { r.Decisions[40].PolicyWeight = -1 }, "weight -1"},
		{"policy weight NaN", func(r *Record) { r.Decisions[40].PolicyWeight = float32(math.NaN()) }, "weight NaN"},
		{"huge policy weight", func(r *Record) { r.Decisions[40].PolicyWeight = 3e38 }, "add up to 3.0000000"},
		{"more policy weight than decisions", func(r *Record) { r.Decisions[40].PolicyWeight = float32(len(r.Decisions) + 1) }, "add up to"},
		{"huge value weight", func(r *Record) { r.Decisions[40].ValueWeight = 3e38 }, "value weight 3e+38"},
		{"value weight above 1", func(r *Record) { r.Decisions[40].ValueWeight = math.Nextafter32(1, 2) }, "value weight 1.0000001"},
		{"negative value weight", func(r *Record) { r.Decisions[40].ValueWeight = -1 }, "value weight -1"},
		{"infinite value weight", func(r *Record) { r.Decisions[40].ValueWeight = float32(math.Inf(1)) }, "weight +Inf"},
		{"target on an illegal action", func(r *Record) { r.Decisions[40].Policy = []Share{{261, 1}} }, "target action 261 is not legal"},
		{"target without a share", func(r *Record) { target(r, 0, 1) }, "share of 0"},
		{"target NaN", func(r *Record) { target(r, float32(math.NaN()), 1) }, "share of NaN"},
		{"target above 1", func(r *Record) { target(r, 1.5, 0.5) }, "share of 1.5"},
		{"target not whole", func(r *Record) { target(r, 0.5, 0.25) }, "sums to 0.75"},
		{"target out of order", func(r *Record) { target(r, 0.5, 0.5); slices.Reverse(r.Decisions[40].Policy) }, "out of order"},
		{"unknown opening", func(r *Record) { r.Opening = -2 }, "opening of -2"},
		{"opening longer than the game", func(r *Record) { r.Opening = r.Turns + 1 }, "opening of"},
		{"search in the opening", func(r *Record) { r.Opening = 2 }, "decision 1: a search in turn 1"},
		{"negative generation", func(r *Record) { r.Generation = -1 }, "generation"},
		{"text not UTF-8", func(r *Record) { r.Run = "\xff" }, "UTF-8"},
		{"text too long", func(r *Record) { r.Settings = strings.Repeat("a", maxText+1) }, "too long"},
		{"turns", func(r *Record) { r.Turns++ }, "turns"},
		{"winner of no result", func(r *Record) { r.Result = game.Result{Winner: game.Silver} }, "winner without a result"},
		{"winner is nobody", func(r *Record) { r.Result.Winner = 2 }, "not a player"},
		{"no reason", func(r *Record) { r.Result.Reason = game.NumReasons }, "not over"},
		{"end that was none", func(r *Record) { r.Result.Reason = game.Goal }, "not over"},
		{"score", func(r *Record) {
			g := game.New()
			for _, d := range r.Decisions {
				g.Play(d.Action)
			}
			r.Result = game.Result{Winner: g.ScoreWinner().Other(), Reason: game.TurnLimit}
		}, "by the score"},
		{"wrong winner", func(r *Record) { finished(r); r.Result.Winner ^= 1 }, "won by"},
		{"wrong reason", func(r *Record) { finished(r); r.Result.Reason = game.Resignation }, "won by"},
		{"continues after the end", func(r *Record) {
			finished(r)
			r.Decisions = append(r.Decisions, Decision{Action: game.Pass})
		}, "not legal"},
		{"stops before the end", func(r *Record) {
			finished(r)
			r.Decisions = r.Decisions[:33]
			r.Turns = 0
		}, "not over"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := randomRecord(1, 60)
			tt.change(r)
			err := r.Validate()
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error is %v, want one about %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error has several lines: %v", err)
			}
		})
	}
}

func TestValidateScore(t *testing.T) {
	r := randomRecord(1, 150)
	g := game.New()
	for _, d := range r.Decisions {
		g.Play(d.Action)
	}
	r.Result = game.Result{Winner: g.ScoreWinner(), Reason: game.TurnLimit}
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
}

// A target needs no search: a proven win has none, for example.
func TestValidateTargetWithoutSearch(t *testing.T) {
	r := randomRecord(1, 60)
	d := &r.Decisions[0]
	d.Value, d.Policy, d.PolicyWeight, d.ValueWeight = 1, []Share{{d.Action, 1}}, 1, 1
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
	if r.Positions() != 60 {
		t.Errorf("%d positions, want 60", r.Positions())
	}
}
