package experiment

import (
	"testing"

	"warren/internal/arena"
	"warren/internal/eval"
	"warren/internal/metrics"
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
