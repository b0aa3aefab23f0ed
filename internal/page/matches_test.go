package page

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/internal/arena"
	"warren/internal/eval/device"
)

// play plays a small match in a run's directory.
func (r *run) play(t testing.TB, name string) {
	t.Helper()
	var entrants []*arena.Entrant
	network := "net:" + filepath.Join(r.path, "networks", "gen-00001.safetensors") + ",visits=2,label=gen-00001"
	for _, id := range []string{network, "greedy"} {
		e, err := (&arena.Names{Network: device.Load, Device: device.Auto, Search: arena.DefaultSearch()}).Parse(id)
		if err != nil {
			t.Fatal(err)
		}
		entrants = append(entrants, e)
	}
	tournament, err := arena.NewTournament(filepath.Join(r.path, "matches", name), arena.TournamentConfig{Rules: arena.Rules{Seed: 1, TurnLimit: 6}, Games: 2, Workers: 1}, entrants)
	if err != nil {
		t.Fatal(err)
	}
	defer tournament.Close()
	if err := tournament.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
}

func TestMatchGames(t *testing.T) {
	dir := fixture(t)
	s := serverOf(t, Config{Runs: []string{dir}})
	for _, name := range []string{"gen-00001", "gen-00012-gatekeeper"} {
		s.runs[0].play(t, name)
	}
	if err := os.WriteFile(filepath.Join(dir, "matches", "ladder-00001.json"), []byte(`{"generation":1,"zero":"random","elo":70,"margin":20}`), 0o666); err != nil {
		t.Fatal(err)
	}
	var list struct{ Matches []matchInfo }
	s.ask(t, "GET", "/api/runs/0/matches", nil, &list)
	if m := list.Matches; len(m) != 2 || m[0].Match != "gen-00012-gatekeeper" || !m[0].Gatekeeper || m[0].Generation != 12 || m[1].Gatekeeper || m[1].Rating == nil || m[1].Rating.Elo != 70 {
		t.Errorf("the matches are %+v", m)
	}
	log := filepath.Join(dir, "matches", "gen-00001", arena.GamesFile)
	content, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, append(content, `{"game":{"gold":"x"`...), 0o666); err != nil { // being written
		t.Fatal(err)
	}
	var games struct{ Games []matchGame }
	s.ask(t, "GET", "/api/runs/0/matches/gen-00001", nil, &games)
	if g := games.Games; len(g) != 2 || g[0].Game != 0 || g[1].Game != 1 || g[0].Gold == g[1].Gold || g[0].Turns == 0 {
		t.Errorf("the games are %+v", g)
	}
	var shown replayed
	s.ask(t, "GET", "/api/runs/0/matches/gen-00001/1", nil, &shown)
	if want := games.Games[1]; shown.Winner != want.Winner || shown.Reason != want.Reason || len(shown.Frames) < 33 || shown.Network != "0/1" || !strings.Contains(shown.Title, "greedy with ") || !strings.Contains(shown.Title, "generation 1 with ") {
		t.Errorf("the game is %q, won by %s by %s, %d frames, network %q; want %+v", shown.Title, shown.Winner, shown.Reason, len(shown.Frames), shown.Network, want)
	}
	for _, path := range []string{"gen-00002", "gen-00001/9", "gen-00001/-1", "gen-00001/x", "levels", "gen-00001%2f..%2fgen-00001"} {
		if code, text := s.problemOf(t, "GET", "/api/runs/0/matches/"+path, nil); code != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
}

func TestLevelsAreRated(t *testing.T) {
	dir := fixture(t)
	ctx, stop := context.WithCancel(context.Background())
	if err := RateLevels(ctx, dir, 2, nil, func(arena.Progress) { stop() }); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, levelsFolder, ratingsFile))
	if err != nil || !strings.Contains(string(content), `"gen-00001 1"`) || !strings.Contains(string(content), `"anchor":"random"`) {
		t.Fatalf("%v: %.300s", err, content)
	}
	text := `{"anchor":"random","players":[{"name":"gen-00001 2","elo":120,"margin":30,"games":8},{"name":"gen-00001 8","games":0},{"name":"random","games":8}]}`
	if err := os.WriteFile(filepath.Join(dir, levelsFolder, ratingsFile), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	// On another scale than that of the run's own ratings they say what its zero is.
	for _, c := range []struct{ zero, said string }{{"random", ""}, {"greedy", "random"}} {
		ladder := fmt.Sprintf(`{"generation":1,"zero":%q,"elo":70,"margin":20}`, c.zero)
		if err := os.WriteFile(filepath.Join(dir, "matches", "ladder-00001.json"), []byte(ladder), 0o666); err != nil {
			t.Fatal(err)
		}
		s := serverOf(t, Config{Runs: []string{dir}})
		var players struct{ Networks []networkInfo }
		s.ask(t, "GET", "/api/players", nil, &players)
		if n := players.Networks; len(n) != 1 || len(n[0].Levels) != 1 || n[0].Levels["2"].Elo != 120 || n[0].Levels["2"].Zero != c.said || n[0].Rating.Zero != "" {
			t.Errorf("where %s is the zero, the networks are %+v", c.zero, n)
		}
	}
	if order := order(); len(order) != 10+3 || order[0] != "random" {
		t.Errorf("the levels that are rated, with three opponents, are %q", order)
	}
	if err := RateLevels(context.Background(), t.TempDir(), 2, nil, nil); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("no run: %v", err)
	}
}

// Numbers of six digits come after those of five, though not by name.
func TestOrderAfterGeneration99999(t *testing.T) {
	dir := fixture(t)
	for file, content := range map[string]string{
		"ladder-99980.json":                        `{"generation":99980,"zero":"random"}`,
		"ladder-100000.json":                       `{"generation":100000,"zero":"greedy"}`,
		"gen-99980/" + arena.GamesFile:             "",
		"gen-100000/" + arena.GamesFile:            "",
		"gen-100000-gatekeeper/" + arena.GamesFile: "",
	} {
		path := filepath.Join(dir, "matches", file)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, _, zero := new(ladder).read(dir)
	mustBe(t, "the zero of the newest rating", zero, "greedy")
	list, err := serverOf(t, Config{Runs: []string{dir}}).runs[0].matches()
	if err != nil || len(list) != 3 || list[0].Match != "gen-100000-gatekeeper" || list[1].Match != "gen-100000" || list[2].Match != "gen-99980" {
		t.Errorf("the matches are %+v, %v", list, err)
	}
}
