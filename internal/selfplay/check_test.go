package selfplay

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"warren/data"
	"warren/game"
	"warren/internal/eval"
)

func TestAgainGivesTheSameRecord(t *testing.T) {
	job := testJob(2, 3)
	games := playAll(t, job)
	for number, r := range games {
		again, err := Again(t.Context(), job, number, eval.Untrained())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encode(t, r), encode(t, again)) {
			t.Errorf("game %d differs when it is played again", number)
		}
	}
}

// forgedJob returns a job whose games have openings, full and fast searches, and weights by surprise.
func forgedJob() Job {
	job := testJob(2, 4)
	c := &job.Config
	c.RandomOpenings, c.RandomTurns, c.TurnLimit = 0.5, 6, 20
	c.FullFraction, c.SurpriseWeight, c.SetupPolicyWeight = 0.5, 0.5, 0.25
	return job
}

// accept returns the error of a record's validation, or else of the job's check.
func accept(job *Job, r *data.Record) error {
	if err := r.Validate(); err != nil {
		return err
	}
	return job.Check(r)
}

// copied returns a deep copy of a record.
func copied(r *data.Record) *data.Record {
	c := *r
	c.Decisions = slices.Clone(r.Decisions)
	for i := range c.Decisions {
		d := &c.Decisions[i]
		d.Visits, d.Policy = slices.Clone(d.Visits), slices.Clone(d.Policy)
	}
	return &c
}

// TestForgedGamesAreRefused changes an honest game by one number each time. What is refused
// is said in one line.
func TestForgedGamesAreRefused(t *testing.T) {
	job := forgedJob()
	games := playAll(t, job)
	var honest *data.Record // with every kind of decision, and stopped
	var forced int          // a decision of it with a single legal action
	for _, number := range []uint64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11} {
		r := games[number]
		if err := accept(&job, r); err != nil {
			t.Fatalf("game %d: %v", number, err)
		}
		if i := find(r, func(g *game.Game, _ *data.Decision) bool { return len(g.Legal(nil)) == 1 && !g.InSetup() }); i >= 0 && r.Opening == 0 && r.Result.Reason == game.TurnLimit {
			honest, forced = r, i
		}
	}
	if honest == nil {
		t.Fatal("no game has all that is forged here")
	}
	placement := 0
	step := func(full bool) int {
		return find(honest, func(g *game.Game, d *data.Decision) bool {
			return d.Full == full && d.Searched() && !g.InSetup() && len(g.Legal(nil)) > 5
		})
	}
	full, fast := step(true), step(false)
	for _, test := range []struct {
		want  string
		forge func(r *data.Record)
	}{
		{"value weight 3e+38", func(r *data.Record) { r.Decisions[full].ValueWeight = 3e38 }},
		{"value weight 1.0000001", func(r *data.Record) { r.Decisions[fast].ValueWeight = math.Nextafter32(1, 2) }},
		{"the value weight is 0, must be 1", func(r *data.Record) { r.Decisions[full].ValueWeight = 0 }},
		{"weight NaN", func(r *data.Record) { r.Decisions[full].ValueWeight = float32(math.NaN()) }},
		{"weight -1", func(r *data.Record) { r.Decisions[full].ValueWeight = -1 }},
		{"add up to +Inf", func(r *data.Record) { r.Decisions[full].PolicyWeight = float32(math.Inf(1)) }},
		{"add up to 3.0000000", func(r *data.Record) { r.Decisions[full].PolicyWeight = 3e38 }},
		{"its policy weights add up to", func(r *data.Record) { r.Decisions[full].PolicyWeight += 0.001 }},
		{"the policy weight is 0.49", func(r *data.Record) { r.Decisions[full].PolicyWeight = 0.49 }},
		{"weight NaN", func(r *data.Record) { r.Decisions[full].PolicyWeight = float32(math.NaN()) }},
		{"a policy target of weight 1 without a full search", func(r *data.Record) { r.Decisions[fast].PolicyWeight = 1 }},
		{"a policy target of weight 0 without a full search", func(r *data.Record) {
			r.Decisions[fast].Policy = []data.Share{{Action: r.Decisions[fast].Action, Share: 1}}
		}},
		{"the policy weight of a placement is 1, must be 0.25", func(r *data.Record) { r.Decisions[placement].PolicyWeight = 1 }},
		{"root value 2", func(r *data.Record) { r.Decisions[full].Value = 2 }},
		{"root value NaN", func(r *data.Record) { r.Decisions[full].Value = float32(math.NaN()) }},
		{"the policy target sums to 5", func(r *data.Record) { r.Decisions[full].Policy = shares(t, honest, full, 1, 1, 1, 1, 1) }},
		{"a share of -1", func(r *data.Record) { r.Decisions[full].Policy = shares(t, honest, full, -1, 2) }},
		{"it has 10000", func(r *data.Record) { r.Decisions[full].Visits[0].Count = 1_000_000 }},
		{"it has 14 visits, and the settings allow 12", func(r *data.Record) {
			s := shares(t, honest, full, 0.5, 0.5)
			r.Decisions[full].Visits = []data.Visit{{Action: s[0].Action, Count: 7}, {Action: s[1].Action, Count: 7}}
		}},
		{"a search where only one action is legal", func(r *data.Record) {
			d := &r.Decisions[forced]
			d.Value, d.ValueWeight, d.Visits = 1, 1, []data.Visit{{Action: d.Action, Count: 1}}
		}},
		{"a root value or a weight without visits", func(r *data.Record) { r.Decisions[forced].ValueWeight = 1 }},
		{"a policy target of weight 0 without a full search", func(r *data.Record) {
			r.Decisions[forced].Policy = []data.Share{{Action: r.Decisions[forced].Action, Share: 1}}
		}},
		{"its opening has 3 turns, and its number gives 0", func(r *data.Record) {
			r.Opening = 3
			for i := range r.Decisions[:len(r.Decisions)/2] {
				r.Decisions[i] = data.Decision{Action: r.Decisions[i].Action}
			}
		}},
		{"its opening has -1 turns", func(r *data.Record) { r.Opening = data.UnknownOpening }},
		{"it ends after 19 turns, and the settings let it continue", func(r *data.Record) { cut(r, 19, r.Result.Reason) }},
		{"it ends after 5 turns, and the settings let it continue", func(r *data.Record) { cut(r, 5, game.Resignation) }},
		{"its result is gold by ongoing, and the settings make it", func(r *data.Record) { r.Result = game.Result{} }},
		{"its result is gold by time, and the settings make it", func(r *data.Record) { r.Result = game.Result{Reason: game.Time} }},
		{"comes after the end of the game, in turn 21", func(r *data.Record) {
			d := data.Decision{Action: replayed(r).Legal(nil)[0]}
			r.Decisions = append(r.Decisions, d)
			r.Result.Winner = replayed(r).ScoreWinner()
		}},
		{"is not a name of at most 64 letters", func(r *data.Record) { r.EvalPath = strings.Repeat("x", 65) }},
		{"is not a name of at most 64 letters", func(r *data.Record) { r.EvalPath = "avx 512" }},
		{"is not a name of at most 64 letters", func(r *data.Record) { r.EvalPath = "avx\n512" }},
		{"is not a name of at most 64 letters", func(r *data.Record) { r.EvalPath = "avx\x1b[2J" }},
		{"it is of the run \"other\"", func(r *data.Record) { r.Run = "other" }},
		{"it is of the run \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\" with", func(r *data.Record) { r.Run = strings.Repeat("x", 5000) }},
		{"with seed 6", func(r *data.Record) { r.Seed++ }},
		{"it was played under the settings \"t\"", func(r *data.Record) { r.Settings = "t" }},
	} {
		r := copied(honest)
		test.forge(r)
		err := accept(&job, r)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 300 {
			t.Errorf("want %q, got %v", test.want, err)
		}
	}
}

// TestWeightIsNotMoved: without surprise weighting the policy weights of full searches cannot be shared out.
func TestWeightIsNotMoved(t *testing.T) {
	job := testJob(1, 4)
	job.Count, job.Config.FullFraction = 1, 1
	r := playAll(t, job)[0]
	d := r.Decisions[game.Placements:]
	d[0].PolicyWeight, d[1].PolicyWeight = 2, 0
	if err := accept(&job, r); err == nil || !strings.Contains(err.Error(), "decision 32: the policy weight is 2") {
		t.Errorf("of two searches one has the weight of both: %v", err)
	}
}

// TestVisitsAreBoundedByTheNumber: the visits grow with a game's number, and a fast search has no more.
func TestVisitsAreBoundedByTheNumber(t *testing.T) {
	job := testJob(1, 4)
	job.Count, job.Config.Visits, job.Config.FastVisits = 1, VisitsConfig{4, 12, 1000}, 7
	r := playAll(t, job)[0]
	d := &r.Decisions[game.Placements]
	d.Visits = d.Visits[:1]
	for over, refused := range []bool{false, true} {
		d.Visits[0].Count = uint32(4 + over)
		if err := accept(&job, r); (err != nil) != refused {
			t.Errorf("%d visits: %v", d.Visits[0].Count, err)
		}
	}
}

// TestRefutedActionsAddVisits: where proofs take back the visits of lost actions, a search may have one more for every
// legal action.
func TestRefutedActionsAddVisits(t *testing.T) {
	for _, kept := range []struct{ proofs, lost bool }{{false, false}, {true, false}, {true, true}} {
		job := testJob(1, 4)
		job.Search.Proofs, job.Search.LostVisits = kept.proofs, kept.lost
		c := &job.Config
		job.Count, c.Visits, c.FastVisits = 1, VisitsConfig{4, 4, 0}, 4
		r := playAll(t, job)[0]
		i := find(r, func(g *game.Game, d *data.Decision) bool { return !g.InSetup() && d.Searched() })
		legal := 0
		find(r, func(g *game.Game, d *data.Decision) bool {
			legal = len(g.Legal(nil))
			return d == &r.Decisions[i]
		})
		most := 4
		if kept.proofs && !kept.lost {
			most += legal
		}
		d := &r.Decisions[i]
		d.Visits = d.Visits[:1]
		for over, refused := range []bool{false, true} {
			d.Visits[0].Count = uint32(most + over)
			if err := accept(&job, r); (err != nil) != refused {
				t.Errorf("proofs %v, lost visits %v, %d legal actions: %d visits: %v", kept.proofs, kept.lost, legal, d.Visits[0].Count, err)
			}
		}
	}
}

// find returns the first decision of a record that is wanted in its position, or -1.
func find(r *data.Record, wanted func(g *game.Game, d *data.Decision) bool) int {
	g := game.New()
	for i := range r.Decisions {
		if wanted(g, &r.Decisions[i]) {
			return i
		}
		g.Play(r.Decisions[i].Action)
	}
	return -1
}

// replayed returns the game after the last decision of a record.
func replayed(r *data.Record) *game.Game {
	g := game.New()
	for _, d := range r.Decisions {
		g.Play(d.Action)
	}
	return g
}

// shares gives shares to the first legal actions of a decision, in ascending order.
func shares(t *testing.T, r *data.Record, at int, parts ...float32) (list []data.Share) {
	t.Helper()
	before := *r
	before.Decisions = r.Decisions[:at]
	legal := replayed(&before).Legal(nil)
	slices.Sort(legal)
	for i, p := range parts {
		list = append(list, data.Share{Action: legal[i], Share: p})
	}
	return list
}

// cut ends a game after a number of turns.
func cut(r *data.Record, turns int, reason game.Reason) {
	n := find(r, func(g *game.Game, _ *data.Decision) bool { return g.Turns() == turns })
	r.Decisions, r.Turns = r.Decisions[:n], int32(turns)
	r.Result = game.Result{Winner: replayed(r).ScoreWinner(), Reason: reason}
}

// Numbers may come one after the other from elsewhere, with pauses.
func TestNextSaysWhichNumbersArePlayed(t *testing.T) {
	job := testJob(2, 2)
	given := 0
	numbers := []uint64{7, 3, 900, 12}
	job.Next = func() (uint64, bool) {
		if given == len(numbers) {
			return 0, false
		}
		given++
		return numbers[given-1], true
	}
	games := playAll(t, job)
	for _, n := range numbers {
		if games[n] == nil {
			t.Errorf("game %d was not played", n)
		}
	}
	if len(games) != len(numbers) {
		t.Errorf("%d games, want %d", len(games), len(numbers))
	}
}
