package hub

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"warren/data"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/train"
)

// Every metric of the example dashboard is one that the learner, the hub or a worker has.
func TestDashboardShowsWhatThereIs(t *testing.T) {
	content, err := os.ReadFile("../../deploy/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(content, &dashboard); err != nil || len(dashboard.Panels) == 0 {
		t.Fatalf("%v; %d panels", err, len(dashboard.Panels))
	}
	there := map[string]bool{"warren_match_elo": true, "warren_held_out_policy": true, "warren_held_out_value": true} // not in this short run
	for _, f := range learned(t) {
		there[f.Name] = true
	}
	s := newSite(t, testJob(), nil)
	w := s.dial(t, "a", "")
	play(t, w)
	s.store.until(t, "a game", func(games map[data.Hash]*data.Record) bool { return len(games) > 0 })
	s.await(t, func() bool {
		for _, f := range s.Metrics(t.Context()) {
			if f.Name == "warren_hub_games_total" {
				return len(f.Samples) == 1 && f.Samples[0].Value > 0
			}
		}
		return false
	})
	url, stop, err := metrics.Serve("127.0.0.1:0", func(ctx context.Context) []metrics.Family { return append(s.Metrics(ctx), w.Metrics()...) })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	answer := get(t, url)
	if !strings.Contains(answer, "\nwarren_hub_workers_heard 1\n") || s.MatchSeats() != runtime.GOMAXPROCS(0)+1 {
		t.Errorf("%d games of matches can be played at once, with one worker; the metrics are\n%s", s.MatchSeats(), answer)
	}
	for name := range strings.Lines(answer) {
		if name, ok := strings.CutPrefix(name, "# TYPE "); ok {
			there[strings.Fields(name)[0]] = true
		}
	}
	names := regexp.MustCompile(`(warren|go)_\w+`)
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			used := names.FindAllString(target.Expr, -1)
			if len(used) == 0 {
				t.Errorf("%s: %q has no metric", p.Title, target.Expr)
			}
			for _, name := range used {
				if !there[name] {
					t.Errorf("%s: there is no metric %s", p.Title, name)
				}
			}
		}
	}
}

// get returns what a server answers.
func get(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// learned returns the metrics of a run after a generation.
func learned(t *testing.T) []metrics.Family {
	t.Helper()
	config := campaignSettings()
	config.Loop.Generations = 1
	dir, err := train.OpenDir(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	var newest metrics.Newest
	var counts observe.Counts
	run, err := train.Open(t.Context(), dir, config, observe.Tee(&counts, observe.NewSeries(&newest)), nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if err := run.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	return append(newest.Families(), counts.Families()...)
}
