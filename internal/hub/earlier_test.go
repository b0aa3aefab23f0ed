package hub

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

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

// If the list of what was published is damaged, games of what is missing in it are refused, and no worker is
// blamed.
func TestNobodyIsBlamedForWhatTheHubHasLost(t *testing.T) {
	s := newSite(t, testJob(), nil)
	h := s.hostile(t, "honest")
	s.known.incomplete = true
	delete(s.known.jobs, testJob().Settings)
	first := h.lease(t, 64).First
	for i := range uint64(3) {
		h.hand(t, h.pack(t, honestGame(t, testJob(), first+i)))
	}
	r := honestGame(t, testJob(), first)
	s.await(t, func() bool { return s.workers.of(s.workerAccountOf(t, "honest")).hasRefused(r.Hash()) })
	if x := s.activity("honest"); x.refused() != 0 || x.Games != 0 {
		t.Errorf("%+v", x)
	}
}
