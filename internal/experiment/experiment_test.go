package experiment

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"warren/internal/arena"
	"warren/internal/metrics"
)

// Matches are played on one core as soon as the runs of a seed are over. The last run's end stops them, and they
// continue on all cores.
func TestOrderOfWork(t *testing.T) {
	program := shell(t, `if [ $1 = train ]
then mkdir -p "$2/runs/$3-$4"; echo '{"minutes":1}' >"$2/runs/$3-$4/finished.json"
else echo "{\"what\":\"$3 $GOMAXPROCS\",\"games\":1}"
fi`)
	p := plan(t, "a", "b")
	p.Seeds = 3
	x, err := Open(t.TempDir(), p, program, 4, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	next := func() func() {
		t.Helper()
		job := x.next(t.Context())
		if job == nil {
			t.Fatal("there is no job")
		}
		return job
	}
	expect := func(over int, played ...string) {
		t.Helper()
		if got := slices.Sorted(maps.Keys(x.matches)); x.over != over || !slices.Equal(got, played) {
			t.Fatalf("%d runs are over, and matches were played by %q; want %d and %q", x.over, got, over, played)
		}
		clear(x.matches)
	}
	next()()
	next()()
	expect(2)
	next()()
	expect(2, "1 1")
	next()()
	next()()
	stopped := next()
	next()()
	next()()
	stopped()
	expect(6)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if complete, err := x.Run(ctx); complete || err != nil {
		t.Errorf("stopped before the end: complete %t, %v", complete, err)
	}
	if complete, err := x.Run(t.Context()); !complete || err != nil {
		t.Errorf("complete %t, %v", complete, err)
	}
	expect(6, "4 4")
}

// An experiment that is continued is as far as it was: its runs that are not over count from the beginning, and so do
// the games that were played.
func TestContinuedExperimentIsAsFar(t *testing.T) {
	path, p := t.TempDir(), plan(t, "a", "b")
	p.Budget = 10 * time.Minute
	program := shell(t, `echo '{"done":0.75}'; exit 1`)
	open := func() *Experiment {
		t.Helper()
		x, err := Open(path, p, program, 1, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	if err := open().Close(); err != nil {
		t.Fatal(err)
	}
	d, r := dir(path), Run{Variant: "a", Seed: 1}
	log := filepath.Join(d.matches(0.5), arena.GamesFile)
	for _, of := range []string{d.run(r), d.matches(0.5)} {
		if err := os.MkdirAll(of, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	game := `{"game":{"gold":"a-1","silver":"b-1","pair":0,"winner":"gold","reason":"goal"}}` + "\n"
	if err := os.WriteFile(log, []byte(game), 0o666); err != nil {
		t.Fatal(err)
	}
	lines, err := metrics.OpenLines(d.metrics(r))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range series(5) {
		if err := lines.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := lines.Close(); err != nil {
		t.Fatal(err)
	}
	x := open()
	defer x.Close()
	expect := func(when string, runs float64) {
		t.Helper()
		if s, want := x.Status(), runs*600+cost; s.Done != want || s.Title != "0 of 4 runs trained" {
			t.Errorf("%s: %+v, want %g done", when, s, want)
		}
	}
	expect("at the start", 0.5)
	job := x.next(t.Context())
	expect("when a run has begun", 0.5)
	if now := x.now()[r]; now != (state{"training", 0.5}) {
		t.Errorf("the run is %+v", now)
	}
	job()
	expect("when it has failed", 1) // it is given up
}
