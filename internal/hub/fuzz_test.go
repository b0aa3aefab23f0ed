package hub

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"warren/data"
)

// Whatever is in the file of leases, they are in order, and no number is given that one of them has.
func FuzzLeases(f *testing.F) {
	dir := f.TempDir()
	l := newLeases(dir, time.Hour)
	if _, err := l.restore(0, func(uint64) bool { return false }); err != nil {
		f.Fatal(err)
	}
	for range 3 {
		if _, _, err := l.give("A", "one", 3, 100, 0, -1); err != nil {
			f.Fatal(err)
		}
	}
	l.close()
	content, err := os.ReadFile(l.path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content, uint64(0))
	f.Add([]byte(`{"first":0,"count":8,"account":"A"}`+"\n"), uint64(3))
	f.Add([]byte(`{"first":18446744073709551615,"count":8,"account":"A","time":"2026-11-26T00:00:00Z"}`+"\n"), uint64(3))
	f.Fuzz(func(t *testing.T, content []byte, first uint64) {
		if err := os.WriteFile(l.path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		x := newLeases(dir, math.MaxInt64)
		if _, err := x.restore(first, func(n uint64) bool { return n%3 == 0 }); err != nil {
			return
		}
		defer x.close()
		end := uint64(0)
		for _, one := range x.list {
			if one.First < end || one.First+uint64(one.Count) < one.First {
				t.Fatalf("%+v follows a lease that ends at %d", one, end)
			}
			end = one.First + uint64(one.Count)
		}
		if x.next < end || x.next < first {
			t.Fatalf("the next number is %d, after %d and %d", x.next, end, first)
		}
	})
}

// A credential, on either side, is read or refused.
func FuzzCredential(f *testing.F) {
	k, err := OpenKeys(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	authority, err := k.Authority()
	if err != nil {
		f.Fatal(err)
	}
	creds, err := k.Add("a", 2, authority)
	if err != nil {
		f.Fatal(err)
	}
	about, err := os.ReadFile(k.file("a"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(creds, about)
	f.Fuzz(func(t *testing.T, creds, about []byte) {
		if secure, err := clientTLS(creds); err == nil && secure.RootCAs != nil && secure.ServerName != serverName {
			t.Error("any server's certificate would do")
		}
		if err := os.WriteFile(k.file("a"), about, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := k.load("a")
		if err != nil {
			return
		}
		if err := k.save(c); err != nil {
			t.Fatal(err)
		}
		if again, err := k.load("a"); err != nil || again.Account != c.Account || (again.Removed == nil) != (c.Removed == nil) {
			t.Errorf("%+v is read again as %+v, %v", c, again, err)
		}
	})
}

// Any request has an answer, and gives no more numbers than there is room for.
func FuzzRequest(f *testing.F) {
	k, err := OpenKeys(filepath.Join(f.TempDir(), "hub"))
	if err != nil {
		f.Fatal(err)
	}
	if _, err := k.Add("a", 2, nil); err != nil {
		f.Fatal(err)
	}
	o := Options{Keys: k}
	o.setDefaults()
	h := &Hub{o: o, untold: map[string]*Credential{}, workers: newWorkers(&o), leases: newLeases(k.dir, o.Lease), transit: newTransit()}
	h.matches = newMatches(h)
	h.transit.ends(math.MaxUint64)
	list, err := k.List()
	if err != nil {
		f.Fatal(err)
	}
	h.workers.update(list)
	if h.known, _, err = openKnown(k.dir, o.Lease); err == nil {
		_, err = h.leases.restore(0, func(uint64) bool { return false })
	}
	if err != nil {
		f.Fatal(err)
	}
	defer h.Close()
	defer h.leases.close()
	for _, r := range []request{
		{Format: Format, Record: data.Version, Instance: "x", Want: 3, Seats: 2},
		{Format: Format, Record: data.Version, HandedIn: []handedIn{{data.Hash{1}.String(), 3}}},
		{Format: Format, Record: data.Version, Result: &matchResult{ID: 5, Failed: "no"}},
	} {
		content, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	store := newMemory()
	store.room = 0 // a lease takes a while
	f.Fuzz(func(t *testing.T, content []byte) {
		w := h.workers.of(list[0].Account)
		w.mu.Lock()
		w.done.Refused = nil // or it would be removed
		w.mu.Unlock()
		answer := h.reply(t.Context(), &nats.Msg{Subject: leaseSubject + "." + list[0].Account, Data: content}, store)
		if answer.Count != 0 || len(answer.Match) > 0 || len(answer.Fates) > mostAsked {
			t.Errorf("%q is answered with %+v", content, answer)
		}
	})
}
