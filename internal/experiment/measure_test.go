package experiment

import (
	"testing"

	"warren/internal/arena"
	"warren/internal/eval"
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
