package experiment

import (
	"testing"

	"warren/eval"
	"warren/match"
)

// A network of the panel that searches over turns searches them by the default
// settings.
func TestPanelSearchesTurns(t *testing.T) {
	names := panelNames()
	names.Network = func(path, _ string) (*eval.Network, error) {
		return &eval.Network{Backend: eval.Uniform{}, Hash: "h1", Origin: eval.Origin{Path: path}}, nil
	}
	for text, unit := range map[string]string{"net:a.safetensors": "step", "net:a.safetensors,unit=turn": "turn"} {
		e, err := names.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		want := match.DefaultSearch()
		want.Unit, want.Visits, want.Temperature, want.TemperatureTurns = unit, 48, 1, 4
		if searcher := e.Player.(*match.Searcher); searcher.SearchSettings != want {
			t.Errorf("%s searches with %+v, want %+v", text, searcher.SearchSettings, want)
		}
	}
}
