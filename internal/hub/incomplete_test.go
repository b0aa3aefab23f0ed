package hub

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/data"
)

// A hub of a version that kept the leases in JetStream has games that this program cannot read. They are not lost
// unless the user says so.
func TestHubOfAnEarlierVersion(t *testing.T) {
	keys, err := OpenKeys(filepath.Join(t.TempDir(), "hub"))
	if err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(keys.dir, "jetstream")
	if err := os.MkdirAll(filepath.Join(store, "jetstream", "ACCOUNT", "streams", "KV_leases"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Serve(keys, ServerOptions{Listen: "nats://127.0.0.1:0"}); err == nil || !strings.Contains(err.Error(), "delete "+store) || strings.Contains(err.Error(), "\n") {
		t.Errorf("it starts with %v, want one line that says what to delete", err)
	}
	if err := os.RemoveAll(store); err != nil {
		t.Fatal(err)
	}
	server, err := Serve(keys, ServerOptions{Listen: "nats://127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
}

// Games that another version has played cannot be checked. They are refused, and no worker is blamed. If this version plays
// by the same settings, its games count.
func TestNobodyIsBlamedForAnotherVersion(t *testing.T) {
	o := newServer(t)
	log := &listened{}
	o.Log = slog.New(log)
	before := openHub(t, o)
	again := testJob()
	again.Settings = "again"
	for settings, change := range map[string]func(x *terms){
		"older":   func(x *terms) { x.Format-- },
		"newer":   func(x *terms) { x.Format++ },
		"unknown": func(x *terms) { x.SelfPlay = append([]byte(`{"Removed": "step", `), x.SelfPlay[1:]...) },
		"again":   func(x *terms) { x.Format-- },
	} {
		job := testJob()
		job.Settings = settings
		x, err := termsOf(job)
		if err != nil {
			t.Fatal(err)
		}
		change(&x)
		if err := before.known.write(published{Job: &x}); err != nil {
			t.Fatal(err)
		}
	}
	if err := before.publishJob(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	s := newSiteOn(t, o, testJob(), newMemory())
	h := s.hostile(t, "worker")
	w := s.workers.of(s.workerAccountOf(t, h.name))
	next := h.lease(t, 8).First
	played := func(settings string) *data.Record {
		job := testJob()
		job.Settings = settings
		next++
		return honestGame(t, job, next-1)
	}
	for _, settings := range []string{"older", "newer", "unknown"} {
		r := played(settings)
		h.hand(t, h.pack(t, r))
		s.await(t, func() bool {
			return w.hasRefused(r.Hash()) && log.said(fmt.Sprintf("another version: game %d", r.Game))
		})
	}
	h.hand(t, h.pack(t, played("again")))
	s.await(t, func() bool { return s.activity(h.name).Games == 1 })
	if x := s.activity(h.name); x.refused() != 0 {
		t.Errorf("%+v", x)
	}
}

// If the hub's files are damaged or those of a backup, games that need what is missing are refused, and no worker is
// blamed. Otherwise it is.
func TestNobodyIsBlamedForWhatTheHubHasLost(t *testing.T) {
	s := newSite(t, testJob(), nil)
	blamed := 0
	for _, incomplete := range []bool{true, false} {
		s.known.mu.Lock()
		s.known.incomplete = incomplete
		s.known.mu.Unlock()
		h := s.hostile(t, fmt.Sprint("honest-", incomplete))
		w := s.workers.of(s.workerAccountOf(t, h.name))
		next := h.lease(t, 8).First
		played := honestGame(t, testJob(), next)
		h.hand(t, h.pack(t, played))
		s.store.until(t, "the first game", func(games map[data.Hash]*data.Record) bool { return games[played.Hash()] != nil })
		for what, change := range map[string]func(r *data.Record){
			"unknown network":    func(r *data.Record) { r.Generation++ },
			"unknown settings":   func(r *data.Record) { r.Settings = "others" },
			"impossible":         func(r *data.Record) { r.Run = "before" },
			"number not leased":  func(r *data.Record) { *r = *honestGame(t, testJob(), 1<<40) },
			"number used before": func(r *data.Record) { *r, r.EvalPath = *played, "other" },
		} {
			next++
			r := *honestGame(t, testJob(), next)
			change(&r)
			h.hand(t, h.pack(t, &r))
			s.await(t, func() bool { return w.hasRefused(r.Hash()) })
			if !incomplete {
				blamed++
				s.await(t, func() bool { return s.activity(h.name).Refused[what] == 1 })
			}
			if x := s.activity(h.name); x.refused() != blamed || x.Games != 1 {
				t.Errorf("%s, and the files are damaged: %v: %+v", what, incomplete, x)
			}
		}
	}
}

// A hub that finds its files damaged says so when it starts.
func TestDamageIsSaidAtTheStart(t *testing.T) {
	o := newServer(t)
	log := &listened{}
	o.Log = slog.New(log)
	for _, name := range []string{leasesFile, publishedFile} {
		if err := os.WriteFile(filepath.Join(o.Keys.dir, name), []byte("rubbish\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := newSiteOn(t, o, testJob(), newMemory())
	s.hostile(t, "a").lease(t, 1) // which is answered when the leases have been read
	for _, what := range []string{"the list of leases is damaged", "the list of what was published is damaged"} {
		if !log.said(what) {
			t.Errorf("it does not say that %s: %q", what, log.lines)
		}
	}
}
