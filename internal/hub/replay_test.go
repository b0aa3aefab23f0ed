package hub

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warren/data"
	"warren/internal/arena"
	"warren/internal/kernel"
	"warren/internal/selfplay"
)

// A game of a worker with other kernels is replayed on the worker's path.
func TestReplayOnAnotherPath(t *testing.T) {
	n := saved(t, 1)
	other, ok := onPath(n, "go")
	if !ok || other.Attributes().Path != "go" || other.Hash != n.Hash {
		t.Fatalf("the plain Go path gave %v, %v", other, ok)
	}
	job := testJob()
	played, err := selfplay.Again(t.Context(), job, 5, other)
	if err != nil {
		t.Fatal(err)
	}
	if played.EvalPath != "go" {
		t.Errorf("the game's path is %q", played.EvalPath)
	}
	back, ok := onPath(n, played.EvalPath)
	if !ok {
		t.Fatal("the path was not found")
	}
	again, err := selfplay.Again(t.Context(), job, 5, back)
	if err != nil {
		t.Fatal(err)
	}
	if again.Hash() != played.Hash() {
		t.Error("the replayed game is another one")
	}
	if _, ok := onPath(n, "a path of another machine"); ok {
		t.Error("a path that is not here was found")
	}

	settings := arena.DefaultSearch()
	settings.Visits = 2
	moved, ok := arena.Seated(n, "n", settings).On(other)
	if !ok || moved.Network != other || moved.Player.(*arena.Searcher).Backend != other.Backend {
		t.Errorf("the player on the other path is %+v", moved)
	}
}

// In whole numbers, a hub replays the games of a worker with other kernels, and finds a forged one. With
// -elsewhere the worker is of another kind of processor.
func TestReplayInWholeNumbers(t *testing.T) {
	job := testJob()
	s := newSite(t, job, func(o *Options) { o.Sample, o.Open = 1, openOn("int16") })
	n, ok := onPath(saved(t, 1), "int16")
	if !ok {
		t.Fatal("the network cannot be evaluated in whole numbers")
	}
	s.networks.Store(n)
	s.await(t, func() bool { return playing(s.Hub).Hash == n.Hash })
	file := filepath.Join(t.TempDir(), "creds")
	if err := os.WriteFile(file, s.add(t, "other"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := child(t, "worker", childConfig{URL: s.server.URL(), Creds: file, Spool: t.TempDir(), Device: "int16"})
	if words := strings.Fields(*elsewhere); len(words) > 0 {
		other := exec.Command(words[0], words[1:]...)
		other.Env, cmd = cmd.Env, other
	} else {
		cmd.Env = append(cmd.Env, kernel.Variable+"=go")
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	s.await(t, func() bool { return s.activity("other").Replayed >= 4 })
	if a := s.activity("other"); a.Unchecked > 0 || a.refused() > 0 {
		t.Errorf("the worker: %+v", a)
	}
	if c, err := s.keys.load("other"); err != nil || c.Removed != nil {
		t.Fatalf("the worker was removed: %+v, %v", c, err)
	}

	s.store.until(t, "games", func(games map[data.Hash]*data.Record) bool {
		for _, r := range games {
			if r.EvalPath != "int16" || r.Network != n.Hash {
				t.Errorf("game %d was evaluated by %s with %.12s", r.Game, r.EvalPath, r.Network)
			}
		}
		return len(games) >= 4
	})

	// One decision's value is off by a rounding.
	h := s.hostile(t, "hostile")
	forged, err := selfplay.Again(t.Context(), job, h.lease(t, 1).First, n)
	if err != nil {
		t.Fatal(err)
	}
	for i := range forged.Decisions {
		if d := &forged.Decisions[i]; d.Searched() {
			d.Value = math.Nextafter32(d.Value, 0.5)
			break
		}
	}
	if err := h.Publish(gameSubject, h.pack(t, forged)); err != nil {
		t.Fatal(err)
	}
	s.removed(t, fmt.Sprintf("game %d is not", forged.Game))
}
