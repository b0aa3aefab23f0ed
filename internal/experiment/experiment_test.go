package experiment

import (
	"log/slog"
	"maps"
	"slices"
	"testing"
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
	if err := x.Run(t.Context()); err != nil {
		t.Error(err)
	}
	expect(6, "4 4")
}
