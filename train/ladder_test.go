package train

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"warren/metrics"
)

// matches returns the records of a run by name.
func matches(t *testing.T, path string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(path, "matches", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, p := range paths {
		all[filepath.Base(p)] = string(read(t, p))
	}
	return all
}

// interrupt works on a run with many interruptions.
func interrupt(t *testing.T, path string, c Config, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	for starts, finished := 0, false; !finished; starts++ {
		if starts > 100 {
			t.Fatal("the run does not get on")
		}
		finished, _ = work(t, path, c, 1+rng.IntN(5))
	}
	work(t, path, c, -1) // the last measurement may have been interrupted
}

func same(t *testing.T, a, b map[string]string) {
	t.Helper()
	if len(a) != len(b) {
		t.Errorf("%d records, interrupted %d", len(a), len(b))
	}
	for name, content := range a {
		if b[name] != content {
			t.Errorf("%s is not the same after interruptions:\n%s\n%s", name, content, b[name])
		}
	}
}

func TestLadder(t *testing.T) {
	t.Parallel()
	c := tiny(Sync)
	c.Match.Every, c.Match.Games, c.Match.Visits = 1, 4, 2
	c.Match.Baselines = "random rollouts:visits=1"
	whole := filepath.Join(t.TempDir(), "run")
	work(t, whole, c, -1)
	got := matches(t, whole)
	for _, name := range []string{"gen-00001-random.json", "gen-00001-rollouts-visits-1.json", "gen-00001-first.json", "gen-00003-gen-00002.json",
		"ladder-00001.json", "ladder-00002.json", "ladder-00003.json"} {
		if got[name] == "" {
			t.Errorf("there is no record %s", name)
		}
	}
	points, err := metrics.ReadLines(filepath.Join(whole, "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	elo, margin := metrics.Series(points, "match/elo"), metrics.Series(points, "match/elo_margin")
	if len(elo) != 3 || len(margin) != 3 || elo[2].Step != 3 || !(margin[0].Value > 50) || len(metrics.Series(points, "match/random")) == 0 {
		t.Errorf("the series: %v, %v", elo, margin)
	}

	broken := filepath.Join(t.TempDir(), "run")
	interrupt(t, broken, c, 1)
	same(t, got, matches(t, broken))
	if final(t, whole) != final(t, broken) {
		t.Error("the networks differ")
	}
	// A record that is lost is made again, the same.
	if err := os.Remove(filepath.Join(whole, "matches", "gen-00003-random.json")); err == nil {
		os.Remove(filepath.Join(whole, "matches", "ladder-00003.json"))
		work(t, whole, c, -1)
		same(t, got, matches(t, whole))
	}
}

func TestGatekeeper(t *testing.T) {
	t.Parallel()
	for _, kept := range []struct {
		elo0, elo1 float64
		playing    int
	}{{-1000, -900, 3}, {900, 1000, 1}} {
		c := tiny(Sync)
		c.Match.Visits = 2
		c.Match.Gatekeeper.Games, c.Match.Gatekeeper.Elo0, c.Match.Gatekeeper.Elo1 = 6, kept.elo0, kept.elo1
		whole := filepath.Join(t.TempDir(), "run")
		work(t, whole, c, -1)
		broken := filepath.Join(t.TempDir(), "run")
		interrupt(t, broken, c, 3)
		got := matches(t, whole)
		if len(got) != 2 || got["gen-00003-gatekeeper.json"] == "" {
			t.Errorf("records %v", got)
		}
		same(t, got, matches(t, broken))
		if final(t, whole) != final(t, broken) {
			t.Error("the networks differ")
		}
		for _, path := range []string{whole, broken} {
			dir, err := OpenDir(path)
			if err != nil {
				t.Fatal(err)
			}
			s, _, err := dir.loadCheckpoint(nil)
			if err != nil || s.playing() != kept.playing || s.Untested || s.Generation != 3 {
				t.Errorf("%+v, want generation %d to play; %v", s, kept.playing, err)
			}
			dir.Close()
		}
	}
}
