package hub

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
	"warren/data"

	"github.com/nats-io/nats.go/jetstream"
)

// A hub takes over the leases and what was published from JetStream, where earlier versions kept them.
func TestHubOfAnEarlierVersionGoesOn(t *testing.T) {
	o := newServer(t)
	h, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := h.js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: leasesBucket})
	if err != nil {
		t.Fatal(err)
	}
	job := testJob()
	job.Run = "before"
	t1, err := termsOf(job)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		kv    jetstream.KeyValue
		key   string
		value any
	}{
		{kv, "n.00000000000000000010", lease{First: 10, Count: 3, Account: "B", Instance: "two", Time: time.Now()}},
		{kv, "n.00000000000000000002", lease{First: 2, Count: 4, Account: "A", Instance: "one", Time: time.Now()}},
		{h.bucket, jobPrefix + "settings", t1},
		{h.bucket, networkPrefix + "abc", map[string]any{"hash": "abc", "generation": 3, "before": []int{1, 2}}},
	} {
		if err := putJSON(t.Context(), x.kv, x.key, x.value); err != nil {
			t.Fatal(err)
		}
	}
	h.Close()
	if err := os.Remove(filepath.Join(o.Keys.dir, publishedFile)); err != nil { // earlier versions have none
		t.Fatal(err)
	}
	for range 2 { // at the second start nothing is left to move
		h = openHub(t, o)
		l := reopened(t, o.Keys.dir, 0, func(uint64) bool { return false })
		if l.next != 13 || len(l.list) != 2 || l.find("A", 5) == nil || l.find("B", 12) == nil {
			t.Errorf("the leases are %+v, and the next number is %d", l.list, l.next)
		}
		if job, ok := h.known.job("settings", "before"); !ok || job.Run != "before" || !reflect.DeepEqual(job.Search, testJob().Search) {
			t.Errorf("the job is %+v, %v", job, ok)
		}
		for generation := range 5 {
			if known := h.known.network("abc", generation); known != (generation >= 1 && generation <= 3) {
				t.Errorf("generation %d is known: %v", generation, known)
			}
		}
	}
	store := filepath.Join(o.Keys.dir, "jetstream")
	left := func() int {
		if err := clearStore(store); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(store)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return len(entries)
	}
	if left() == 0 {
		t.Error("games of an earlier version have been removed")
	}
	if err := h.dropLeases(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.dropLeases(t.Context()); err != nil {
		t.Errorf("a second time: %v", err)
	}
	o.Server.Close()
	if left() > 0 {
		t.Error("what does not have to last is still there")
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
