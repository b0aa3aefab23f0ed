package observe

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"warren/data"
	"warren/game"
	"warren/internal/learn"
	"warren/internal/metrics"
)

func TestStatus(t *testing.T) {
	var s Status
	for _, v := range s.Now(0).Counts {
		if v.Name == "evals" {
			t.Error("where nothing has been evaluated, a rate of evaluations is shown")
		}
	}
	s.Observe(&GameBegan{Game: 0})
	s.Observe(&GameBegan{Game: 9})
	s.Observe(&Evaluated{Positions: 2})
	if now := s.Now(0); !slices.Equal(now.Values, []metrics.Value{{Name: "games in progress", Value: 2}}) {
		t.Errorf("before the first game ends it says %+v", now)
	}
	won := &data.Record{Result: game.Result{Winner: game.Silver, Reason: game.Goal}, Turns: 30, Decisions: make([]data.Decision, 5)}
	stopped := &data.Record{Opening: 3, Turns: 50, Decisions: make([]data.Decision, 7)}
	for _, e := range []Event{
		&GameBegan{Game: 1}, &GameBegan{Game: 2}, &GameBegan{Game: 3},
		&Evaluated{Positions: 6}, &Evaluated{Positions: 5},
		&GameEnded{Record: won}, &GameEnded{Record: stopped},
		&Published{Generation: 4},
		&Learned{Step: 9, Losses: learn.Losses{{Head: "policy", Mean: 2, Weight: 3}, {Head: "value", Mean: 0.5}}},
		&MatchBegan{Against: "greedy"},
		&MatchPlayed{Games: 3, Total: 20},
	} {
		s.Observe(e)
	}
	want := Totals{Evaluations: 13, Begun: 5, Ended: Ended{Games: 2, Turns: 80, Wins: [2]uint64{0, 1}}, Openings: Ended{Games: 1, Turns: 50}}
	want.Reasons[game.Goal], want.Reasons[game.Ongoing], want.Openings.Reasons[game.Ongoing] = 1, 1, 1
	if got := s.Totals(); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
	setup := Ended{Games: 1, Turns: 30, Wins: [2]uint64{0, 1}}
	setup.Reasons[game.Goal] = 1
	if got := want.fromSetup(); got != setup {
		t.Errorf("of these from the setup %+v, want %+v", got, setup)
	}
	now := s.Now(0.25)
	if now.Title != "generation 4 against greedy, 3 of 20 games" || now.Done != 0.25 || now.Total != 1 {
		t.Errorf("it says %+v", now)
	}
	values := map[string]float64{}
	for _, v := range append(now.Counts, now.Values...) {
		values[v.Name] = v.Value
	}
	for name, want := range map[string]float64{"games": 2, "evals": 13, "policy loss": 2, "turns/game": 30, "goal%": 100} {
		if values[name] != want {
			t.Errorf("%s is %g, want %g", name, values[name], want)
		}
	}
	if _, ok := values["games in progress"]; ok {
		t.Error("the games in progress are shown although games have ended")
	}
	if _, ok := values["value loss"]; ok {
		t.Error("a loss without weight is shown")
	}
	if now = s.Now(1); now.Done != 3 || now.Total != 20 || len(now.Counts) != 0 {
		t.Errorf("where only the match is left it says %+v", now)
	}
	s.Observe(&MatchEnded{})
	if title := s.Now(1).Title; title != "generation 4" {
		t.Errorf("after the match it says %q", title)
	}
	s.Observe(&Published{Generation: 5, Stage: 2, Stages: 3})
	if title := s.Now(1).Title; title != "stage 2 of 3, generation 5" {
		t.Errorf("in a run of stages it says %q", title)
	}
	s.Observe(&Learned{Window: 0.356})
	if title := s.Now(1).Title; title != "stage 2 of 3, generation 5, learning the window, 35%" {
		t.Errorf("while its network grows it says %q", title)
	}
	s.Observe(&Learned{Waits: 0.128})
	if title := s.Now(1).Title; title != "stage 2 of 3, generation 5, games wait for the learner, 12%" {
		t.Errorf("while games wait for the learner it says %q", title)
	}
	s.Observe(&Published{Generation: 6})
	if title := s.Now(1).Title; title != "generation 6" {
		t.Errorf("after the network has grown it says %q", title)
	}
	if play := s.SelfPlay(10, 40); play.Done != 12 || play.Total != 40 || len(play.Values) != 1 || play.Values[0].Value != 30 {
		t.Errorf("self-play alone is %+v", play)
	}
}

// failing is a sink that takes one point.
type failing struct{ points []metrics.Point }

func (f *failing) Write(p metrics.Point) error {
	if len(f.points) > 0 {
		return errors.New("disk full")
	}
	f.points = append(f.points, p)
	return nil
}

func (f *failing) Close() error { return nil }

func TestSeriesKeepsItsFirstError(t *testing.T) {
	var sink failing
	s := NewSeries(&sink)
	both := Tee(Nobody, s)
	for step := range int64(3) {
		both.Observe(&GameBegan{})
		both.Observe(&Measured{metrics.Point{Step: step}})
		if err := s.Err(); step == 0 && err != nil || step > 0 && (err == nil || !strings.Contains(err.Error(), "disk full")) {
			t.Errorf("after point %d the error is %v", step, err)
		}
	}
	if len(sink.points) != 1 || s.Close() != nil {
		t.Errorf("%d points were written", len(sink.points))
	}
}
