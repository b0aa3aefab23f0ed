package selfplay

import (
	"bytes"
	"strings"
	"testing"

	"warren/data"
	"warren/eval"
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
		if err := job.Check(r); err != nil {
			t.Errorf("game %d: %v", number, err)
		}
	}
}

func TestCheckNamesWhatTheJobCannotMake(t *testing.T) {
	job := testJob(1, 1)
	job.Count = 1
	good := playAll(t, job)[0]
	for want, change := range map[string]func(r *data.Record){
		"run":      func(r *data.Record) { r.Run = "other" },
		"seed":     func(r *data.Record) { r.Seed++ },
		"settings": func(r *data.Record) { r.Settings = "t" },
		"opening":  func(r *data.Record) { r.Opening = 1 },
		"limit":    func(r *data.Record) { r.Turns = 41 },
		"visits": func(r *data.Record) {
			d := r.Decisions[0]
			d.Visits = []data.Visit{{Action: d.Action, Count: 100}}
			r.Decisions = append([]data.Decision{d}, r.Decisions[1:]...)
		},
	} {
		r := *good
		change(&r)
		if err := job.Check(&r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
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
