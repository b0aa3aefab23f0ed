package hub

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"warren/data"
)

// A number is given once, also over a restart; an account has no more than its share, and all
// together no more than the room that the learner has.
func TestLeases(t *testing.T) {
	s := newSite(t, testJob(), nil)
	l := s.leases
	now := time.Now()
	give := func(account, instance string, want, share, room int) (uint64, int) {
		t.Helper()
		first, n, err := l.give(t.Context(), account, instance, want, share, 0, room)
		if err != nil {
			t.Fatal(err)
		}
		return first, n
	}
	if first, n := give("A", "one", 10, 100, -1); first != 0 || n != 10 {
		t.Errorf("first lease: %d from %d", n, first)
	}
	if first, n := give("B", "two", 10, 100, 13); first != 10 || n != 3 {
		t.Errorf("room for 13 with 10 given: %d from %d", n, first)
	}
	if _, n := give("B", "two", 10, 100, 13); n != 0 {
		t.Errorf("%d numbers with no room", n)
	}
	if _, n := give("A", "one", 10, 12, -1); n != 2 {
		t.Errorf("%d numbers, and 2 are left of the share", n)
	}
	if n := l.held("A", now.Add(silence+time.Second)); n != 12 {
		t.Errorf("%d numbers are with A, want 12", n)
	}
	if _, n, err := l.give(t.Context(), "A", "another", 10, 12, 12, -1); err != nil || n != 0 {
		t.Errorf("%d numbers for another instance, and nothing is left of both shares: %v", n, err)
	}
	for _, c := range []struct {
		account       string
		number        uint64
		leased, first bool
	}{
		{"A", 3, true, true}, {"A", 3, true, false}, {"B", 4, false, false}, {"B", 12, true, true},
		{"A", 12, false, false}, {"A", 14, true, true}, {"A", 15, false, false}, {"C", 1 << 63, false, false},
	} {
		if leased, first := l.take(c.account, c.number); leased != c.leased || first != c.first {
			t.Errorf("%s takes %d: %v, %v", c.account, c.number, leased, first)
		}
	}
	if n := l.outstanding("", now); n != 12 {
		t.Errorf("%d numbers are out, want 12", n)
	}
	if n := l.outstanding("", now.Add(silence+time.Second)); n != 0 {
		t.Errorf("%d numbers are out with workers that are silent", n)
	}
	again, err := restoreLeases(t.Context(), s.leaseKV, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	again.startAt(2, func(n uint64) bool { return n == 5 })
	if again.next != 15 || len(again.list) != 3 {
		t.Errorf("after a restart %d leases, and the next number is %d", len(again.list), again.next)
	}
	if leased, first := again.take("A", 5); !leased || first {
		t.Errorf("a number that was played: %v, %v", leased, first)
	}
	again.heard("one", now.Add(time.Minute))
	if n := again.outstanding("", now.Add(time.Minute)); n != 11 {
		t.Errorf("%d numbers are out with a worker that goes on, want 11", n)
	}
	again.forget(now.Add(2 * time.Hour))
	if leased, _ := again.take("A", 6); leased {
		t.Error("a lease that has expired still counts")
	}
}

// A worker that was added since the hub last read the list of workers gets numbers.
func TestWorkerThatWasJustAdded(t *testing.T) {
	o := newServer(t)
	h := openHub(t, o)
	ask := func(account string) reply {
		t.Helper()
		content, err := json.Marshal(request{Format: Format, Record: data.Version, Instance: "x", Want: 3})
		if err != nil {
			t.Fatal(err)
		}
		return h.reply(t.Context(), &nats.Msg{Subject: leaseSubject + "." + account, Data: content}, newMemory())
	}
	accounts := []string{"NOBODY"}
	for _, name := range []string{"a", "b"} {
		if _, err := o.Keys.Add(name, 2, nil); err != nil {
			t.Fatal(err)
		}
		c, err := o.Keys.load(name)
		if err != nil {
			t.Fatal(err)
		}
		accounts = append(accounts, c.Account)
		if x := ask(c.Account); x.Error != "" || x.Count == 0 && !x.Behind {
			t.Errorf("%s: %+v", name, x)
		}
	}
	h.looked = time.Time{} // as if a second had passed
	if x := ask(accounts[0]); x.Error == "" {
		t.Errorf("nobody: %+v", x)
	}
	if x := ask(accounts[2]); x.Error != "" || x.Count != 3 {
		t.Errorf("b, a second later: %+v", x)
	}
	if x := ask(accounts[0]); x.Error != "" || x.Count != 0 || !x.Behind {
		t.Errorf("nobody, at once: %+v", x)
	}
}

// A worker that has another name in every request takes no memory.
func TestInstancesWithoutNumbersAreNotKept(t *testing.T) {
	s := newSite(t, testJob(), nil)
	h := s.hostile(t, "hostile")
	for range 50 {
		h.name += "x"
		h.ask(t, request{})
	}
	s.leases.mu.Lock()
	defer s.leases.mu.Unlock()
	if n := len(s.leases.seen); n > 0 {
		t.Errorf("%d names are kept", n)
	}
}

// Leases whose games are all in shards leave the bucket for the file, and a restart does not miss them.
func TestFullLeasesAreFiled(t *testing.T) {
	s := newSite(t, testJob(), nil)
	w := s.dial(t, "a", "")
	stop := play(t, w)
	s.archive.until(t, "40 games", func(games map[data.Hash]*data.Record) bool { return len(games) >= 40 })
	stop()
	filedNumbers := func() (n int) {
		if err := readFiled(s.keys.dir, func(x filed) {
			n += x.Count
			if x.Account != s.workerAccountOf(t, "a") {
				t.Errorf("%+v is not of the worker", x)
			}
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	s.await(t, func() bool { return filedNumbers() > 8 })
	bucket, err := s.js.Stream(t.Context(), "KV_"+leasesBucket)
	if err != nil {
		t.Fatal(err)
	}
	s.await(t, func() bool {
		info, err := bucket.Info(t.Context())
		if err != nil {
			return false // a busy server answers later
		}
		s.leases.mu.Lock()
		defer s.leases.mu.Unlock()
		return info.State.Msgs == uint64(len(s.leases.list)) && len(s.leases.full) == 0
	})
	if err := s.stop(); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	again, err := restoreLeases(t.Context(), s.leaseKV, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, x := range again.list {
		left += x.Count
	}
	if n := filedNumbers(); uint64(left+n) != s.leases.next {
		t.Errorf("%d numbers are in the bucket and %d in the file, and %d were given", left, n, s.leases.next)
	}
}
