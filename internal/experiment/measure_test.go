package experiment

import (
	"os"
	"path/filepath"
	"testing"

	"warren/internal/arena"
	"warren/internal/eval"
	"warren/internal/metrics"
	"warren/internal/nettest"
)

// A network among the reference players searches by the default settings.
func TestPanelSearches(t *testing.T) {
	names := referenceNames()
	names.Network = func(path, _ string) (*eval.Network, error) {
		return &eval.Network{Backend: eval.Uniform{}, Hash: "h1", Origin: eval.Origin{Path: path}}, nil
	}
	e, err := names.Parse("net:a.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	want := arena.DefaultSearch()
	want.Visits, want.Temperature, want.TemperatureTurns = 48, 1, 4
	if searcher := e.Player.(*arena.Searcher); searcher.SearchSettings != want {
		t.Errorf("it searches with %+v, want %+v", searcher.SearchSettings, want)
	}
}

func TestMilestones(t *testing.T) {
	published := metrics.Series(series(10), "total/minutes")
	for at, want := range map[float64]int{0.05: 0, 0.35: 3, 1: 10} {
		if got := newest(published, at, 10); got != want {
			t.Errorf("at %g of the budget generation %d is the newest, want %d", at, got, want)
		}
	}
	if got := newest(published, 1, 5); got != 10 {
		t.Errorf("generation %d is the newest at the end of a run that took longer", got)
	}
}

// A run's player is its newest network that the gatekeeper accepted, with the search of the run's own matches.
func TestPlayerOfARun(t *testing.T) {
	p := plan(t, "a", "b:match.visits=5")
	w, r := &worker{dir: dir(t.TempDir()), plan: &p}, Run{"b", 1}
	var hashes []string
	for g := range 4 {
		n := nettest.New(t, p.Variants[1].Settings.Network, uint64(g))
		nettest.Save(t, w.dir.network(r, g), n, nil)
		hashes = append(hashes, n.Hash())
	}
	lines, err := metrics.OpenLines(w.dir.metrics(r))
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	for i, p := range series(3) {
		p.Values = append(p.Values, metrics.Value{Name: "gatekeeper/accepted", Value: []float64{1, 1, 0}[i]})
		if err := lines.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	e, err := w.network(r, 1)
	if err != nil {
		t.Fatal(err)
	}
	player := e.Player.(*arena.Searcher)
	if want := p.Variants[1].Settings.MatchSearch(); player.SearchSettings != want || want.Visits != 5 {
		t.Errorf("it searches with %+v, want %+v", player.SearchSettings, want)
	}
	if e.Name() != "b-1" || e.Network.Hash != hashes[2] {
		t.Errorf("%s plays with %s, want %s of %q", e.Name(), e.Network.Hash, hashes[2], hashes)
	}
}

// The results are by the names of the winners, not by their color, and without games that are in the log twice.
func TestResults(t *testing.T) {
	log := `{"game":{"gold":"a","silver":"b","pair":0,"winner":"gold","reason":"goal"}}
{"game":{"gold":"b","silver":"a","pair":0,"winner":"silver","reason":"goal"}}
{"game":{"gold":"a","silver":"b","pair":0,"winner":"gold","reason":"goal"}}
{"game":{"gold":"a","silver":"b","pair":1,"winner":"silver","reason":"goal"}}
`
	path := t.TempDir()
	if err := os.WriteFile(filepath.Join(path, arena.GamesFile), []byte(log), 0o666); err != nil {
		t.Fatal(err)
	}
	all, err := readResults(path)
	if a, b := all[[2]string{"a", "b"}], all[[2]string{"b", "a"}]; err != nil || a != (count{2, 3}) || b != (count{1, 3}) {
		t.Errorf("a has won %+v, b %+v, %v", a, b, err)
	}
}
