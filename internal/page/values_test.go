package page

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"warren/internal/metrics"
	"warren/internal/nettest"
	"warren/net"
	"warren/net/bundled"
)

// Every answer with values says whether they are chances to win.
func TestMixedValues(t *testing.T) {
	dir := fixture(t)
	const moves = "1g " + goldSetup + "\n1s " + silverSetup
	configure := func(settings string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(settings), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		settings string
		want     bool
	}{
		{"data: {material_weight: 0}", false},
		{"data: {material_weight: 0.45}", true},
		{"data: {lead_weight: 0.45}", true}, // as earlier versions wrote it
		{"loop:\n  duration: 30m\ndata:\n  # a comment\n  material_weight: 0.1\n  no_result: \"nothing\"\nunknown: 1\n", true},
		{"data: {material_weight: {initial: 0.45, final: 0.45, games: 0}}", true},
		{"data: {material_weight: {initial: 0.45, final: 0, games: 10}}", true},
		{"data: {material_weight: {initial: 0.45, final: 0, games: 0}}", false},
		{"data: {material_weight: [1]}", false},
		{"seed: 1", false}, // the default of material_weight is 0
		{"data: [", false},
	} {
		configure(c.settings)
		s := serverOf(t, Config{Runs: []string{dir}, Network: filepath.Join(dir, "networks", "gen-00001.safetensors")})
		st := s.begin(t, map[string]string{"player": "random", "adviser": "0/1", "side": "gold", "moves": moves})
		for _, request := range []struct {
			method, path string
			body         any
		}{
			{"GET", "/api/runs/0/series", nil},
			{"GET", "/api/runs/0/games/12", nil},
			{"POST", "/api/analyse", map[string]string{"moves": moves, "network": "0/1"}},
			{"POST", "/api/analyse", map[string]string{"moves": moves, "network": given}},
			{"POST", "/api/search", map[string]any{"actions": []int{}, "network": "0/1", "visits": 2}},
			{"POST", "/api/play/" + st.ID + "/evaluate", nil},
			{"POST", "/api/play/" + st.ID + "/hint", nil},
		} {
			var answer struct{ Mixed bool }
			if code := s.ask(t, request.method, request.path, request.body, &answer); code != http.StatusOK || answer.Mixed != c.want {
				t.Errorf("%s: %s says %v, want %v; code %d", c.settings, request.path, answer.Mixed, c.want, code)
			}
		}
	}
	// A network is of the run in whose directory it is, and the bundled one of none.
	configure("data: {material_weight: 0.45}")
	for _, c := range []struct {
		folder, network string
		want            bool
	}{{dir, bundled.Name, false}, {filepath.Join(dir, "networks"), "gen-00001.safetensors", true}} {
		t.Chdir(c.folder)
		var answer struct{ Mixed bool }
		body := map[string]string{"moves": moves, "network": given}
		if code := serverOf(t, Config{Network: c.network}).ask(t, "POST", "/api/analyse", body, &answer); code != http.StatusOK || answer.Mixed != c.want {
			t.Errorf("the values of %s in %s are mixed: %v, code %d", c.network, c.folder, answer.Mixed, code)
		}
	}
}

// The pieces count in the values of a generation if they did in the stage that trained it.
func TestMixedValuesOfStages(t *testing.T) {
	dir := fixture(t)
	settings := `
loop: {stages: 0.1 data.q_ratio=0 data.material_weight.initial=0 data.material_weight.final=0 0.5 data.material_weight.final=0.1}
data: {material_weight: {initial: 0.45, final: 0.45, games: 10}}
`
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(settings), 0o666); err != nil {
		t.Fatal(err)
	}
	lines, err := metrics.OpenLines(filepath.Join(dir, "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	s := serverOf(t, Config{Runs: []string{dir}})
	const moves = "1g " + goldSetup + "\n1s " + silverSetup
	of := func(s *Server, network string) bool {
		t.Helper()
		var answer struct{ Mixed bool }
		if code := s.ask(t, "POST", "/api/analyse", map[string]string{"moves": moves, "network": network}, &answer); code != http.StatusOK {
			t.Fatalf("analysing with %s: code %d", network, code)
		}
		return answer.Mixed
	}
	for stage, want := range []bool{true, false, true} {
		generation := stage + 1
		if err := lines.Write(metrics.Point{Step: int64(generation), Values: []metrics.Value{{Name: "learner/stage", Value: float64(stage + 1)}}}); err != nil {
			t.Fatal(err)
		}
		file := nettest.Save(t, net.GenerationFile(dir, generation), nettest.Lively(t, nettest.Configs[0], 1), map[string]string{"generation": fmt.Sprint(generation)})
		var newest struct{ Mixed bool }
		s.ask(t, "GET", "/api/runs/0/series", nil, &newest)
		mustBe(t, fmt.Sprintf("generation %d: what the run says of its newest values", generation), newest.Mixed, want)
		mustBe(t, "what the network says of its own", of(s, networkID(0, generation)), want)
		mustBe(t, "what it says without the run", of(serverOf(t, Config{Network: file}), given), want)
	}
	mustBe(t, "what generation 2 says of its values after the third stage began", of(s, "0/2"), false)
	var shown replayed
	s.ask(t, "GET", "/api/runs/0/games/12", nil, &shown)
	mustBe(t, "what a game of generation 1 says of its values", shown.Mixed, true)
}
