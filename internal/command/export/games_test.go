package export

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/data"
	"warren/data/datatest"
	"warren/internal/dataset"
	"warren/internal/recipe"
	"warren/net/bundled"
)

// aRun makes a run whose ten games, of which two are discarded, the bundled network played under the settings of quick, and returns its directory.
func aRun(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	config, err := recipe.Read("quick", nil, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := recipe.HashOfGames(config.SelfPlay, config.Search)
	if err != nil {
		t.Fatal(err)
	}
	network, _, err := bundled.Checkpoint(bundled.Name)
	if err != nil {
		t.Fatal(err)
	}
	records := datatest.Records(0, 10, 60)
	for _, r := range records {
		r.Settings, r.Network = hash, network.Hash()
	}
	if err := os.WriteFile(filepath.Join(dir, "discarded.json"), []byte(`[{"first":3,"count":2}]`), 0o666); err != nil {
		t.Fatal(err)
	}
	games := filepath.Join(dir, "games")
	if err := os.Mkdir(games, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := data.WriteShard(games, 0, records); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestGames(t *testing.T) {
	run := aRun(t)
	quick, err := os.ReadFile("../../../configs/quick.yaml")
	if err != nil {
		t.Fatal(err)
	}
	staged := filepath.Join(t.TempDir(), "staged.yaml")
	if err := os.WriteFile(staged, []byte("selfplay: {turn_limit: 50}\nloop: {stages: 0.5 selfplay.turn_limit=160 selfplay.visits.final=50 selfplay.visits.games=33500}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	network, meta, err := bundled.Checkpoint(bundled.Name)
	if err != nil {
		t.Fatal(err)
	}
	player := fmt.Sprintf("%v (blocks x channels), %d parameters, generation %s of the run %s", network.Config, network.NumParams(), meta["generation"], meta["run"])
	const known, unknown = "    selfplay.visits.final=64\n", "settings was not at hand"
	for name, c := range map[string]struct {
		config string // the run's file, if there is one
		flags  gamesFlags
		card   string
	}{
		"no config":     {"", gamesFlags{}, unknown},
		"the run's":     {string(quick), gamesFlags{}, known},
		"by its games":  {string(quick), gamesFlags{Games: filepath.Join(run, "games")}, known},
		"another now":   {"selfplay: {turn_limit: 50}\n", gamesFlags{}, unknown},
		"of a stage":    {"selfplay: {turn_limit: 50}\nloop: {stages: 0.5 selfplay.turn_limit=160 selfplay.visits.final=64 selfplay.visits.games=33500}\n", gamesFlags{}, known},
		"unreadable":    {"selfplay: {bread: 50}\n", gamesFlags{}, unknown},
		"given":         {"", gamesFlags{Config: "quick"}, known},
		"given, by set": {"", gamesFlags{Config: "default", Set: []string{"selfplay.visits.final=64", "selfplay.visits.games=33500"}}, known},
		"set, staged":   {"", gamesFlags{Config: staged, Set: []string{"selfplay.visits.final=64"}}, known},
		"over the run":  {"selfplay: {turn_limit: 50}\n", gamesFlags{Config: "quick"}, known},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(run, "config.yaml")
			if os.Remove(path); c.config != "" {
				if err := os.WriteFile(path, []byte(c.config), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			f := c.flags
			f.Games = cmp.Or(f.Games, run)
			f.Out, f.Format, f.Licence = filepath.Join(t.TempDir(), "out"), dataset.JSON, "cc0-1.0"
			var out strings.Builder
			if err := f.run(t.Context(), &out); err != nil {
				t.Fatal(err)
			}
			card, err := os.ReadFile(filepath.Join(f.Out, dataset.Card))
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []string{c.card, "license: cc0-1.0", player} {
				if !strings.Contains(string(card), part) {
					t.Errorf("the card does not have %q", part)
				}
			}
			if want := f.Out + " holds 8 games with 480 positions"; !strings.HasPrefix(out.String(), want) {
				t.Errorf("it says %q, want %q", out.String(), want)
			}
		})
	}
}

func TestGamesRefused(t *testing.T) {
	run, parent := aRun(t), t.TempDir()
	const old = "../../../docs/climb/stage-0.safetensors"
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for want, c := range map[string]struct {
		ctx   context.Context
		flags gamesFlags
	}{
		`--licence "My own"`:          {t.Context(), gamesFlags{Licence: "My own"}},
		"--config":                    {t.Context(), gamesFlags{Licence: "mit", Set: []string{"search.rule=puct"}}},
		"with the settings default":   {t.Context(), gamesFlags{Licence: "mit", Config: "default"}},
		"with the network " + old:     {t.Context(), gamesFlags{Licence: "mit", Network: old}},
		"stopped; nothing is written": {stopped, gamesFlags{Licence: "mit"}},
	} {
		f := c.flags
		f.Games, f.Out, f.Format = run, filepath.Join(parent, "out"), dataset.Parquet
		var out strings.Builder
		if err := f.run(c.ctx, &out); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %q", err, want)
		}
		if left, _ := os.ReadDir(parent); len(left) > 0 {
			t.Errorf("%s: left behind: %v", want, left)
		}
	}
}
