package hub

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"warren/data"
	"warren/game"
	"warren/internal/arena"
)

// Whatever is in the file of leases, each number belongs to one account at most, and no number is given that one has.
func FuzzLeases(f *testing.F) {
	l := newLeases(f.TempDir())
	if _, err := l.restore(0, func(uint64) bool { return false }); err != nil {
		f.Fatal(err)
	}
	for range 3 {
		if _, _, err := l.give("A", "one", 0, 3, 100, 0); err != nil {
			f.Fatal(err)
		}
	}
	l.close()
	content, err := os.ReadFile(l.path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content, uint64(0))
	for _, first := range []uint64{0, math.MaxUint64 - 8} {
		line, err := checkable(&lease{First: first, Count: 8, Account: "A"})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(append(line, "\nx\n"...), uint64(3))
	}
	f.Fuzz(func(t *testing.T, content []byte, first uint64) {
		first %= highest // of a run's next game
		if err := os.WriteFile(l.path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		lines, good, above := 0, 0, first
		if err := scanJournal(bytes.NewReader(content), func(text []byte) error {
			lines++
			if one := parseLease(text); one != nil {
				good++
				above = max(above, one.end())
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		x := newLeases(filepath.Dir(l.path))
		x.next = first
		damaged, last, err := x.read(func(n uint64) bool { return n%3 == 0 })
		if err != nil || damaged != lines-good {
			t.Errorf("%d of %d lines are damaged, and %d are leases, %v", damaged, lines, good, err)
		}
		end := uint64(0)
		for _, g := range x.given {
			if g.first < end || g.end <= g.first {
				t.Fatalf("%+v follows a lease that ends at %d", g, end)
			}
			end = g.end
		}
		if last != nil {
			above += most
		}
		if x.next < above || last != nil && last.end() != x.next {
			t.Fatalf("the next number is %d, after %d; the last are %+v", x.next, above, last)
		}
	})
}

// Whatever is in the list of what was published, the same line read again changes nothing, and a network
// has no more generations than are kept.
func FuzzPublished(f *testing.F) {
	job, err := termsOf(testJob())
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range []published{{Network: &current{Hash: "h", Generation: 3}}, {Job: &job}} {
		line, err := checkable(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(append(line, '\n'))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		k := newKnown()
		if err := scanJournal(bytes.NewReader(content), func(text []byte) error {
			if !k.read(text) {
				return nil
			}
			networks, jobs := fmt.Sprint(k.generations), len(k.jobs)
			if !k.read(text) || fmt.Sprint(k.generations) != networks || len(k.jobs) != jobs {
				t.Errorf("%q changes something the second time", text)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for hash, list := range k.generations {
			if len(list) < 1 || len(list) > sameNetworks {
				t.Errorf("the network %q has %d generations", hash, len(list))
			}
		}
		for hash := range k.jobs {
			if got, ok := k.job(hash); !ok || got.Settings != hash {
				t.Errorf("the settings %q have the job %+v, %t", hash, got, ok)
			}
		}
	})
}

// The file of a worker is refused, or is that of this worker and is read as it was written.
func FuzzCredential(f *testing.F) {
	k, err := OpenKeys(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	if _, err := k.Add("a", 2, nil); err != nil {
		f.Fatal(err)
	}
	content, err := os.ReadFile(k.file("a"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add(bytes.Replace(content, []byte(`"connections": 2`), []byte(`"connections": -1`), 1)) // no limit, to the server
	f.Fuzz(func(t *testing.T, content []byte) {
		c, err := parseCredential("a", content)
		if err != nil {
			return
		}
		if c.Name != "a" || c.Connections < 1 {
			t.Fatalf("%q is the credential %+v", content, c)
		}
		written, err := json.Marshal(c)
		if err != nil {
			return // a time that JSON does not have
		}
		if again, err := parseCredential("a", written); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%+v is read again as %+v, %v", c, again, err)
		}
	})
}

// What a worker believes is its credential trusts the system's authorities, or those in it alone.
func FuzzAuthority(f *testing.F) {
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
	f.Add(authority)
	f.Add(creds)
	f.Add(creds[:len(creds)-len(authority)/2])
	f.Fuzz(func(t *testing.T, creds []byte) {
		c, err := clientTLS(creds)
		if err != nil {
			return
		}
		if c.MinVersion != tls.VersionTLS13 || c.InsecureSkipVerify || (c.RootCAs == nil) != (c.ServerName == "") || c.RootCAs != nil && c.ServerName != serverName {
			t.Error("any server's certificate would do")
		}
		if c.RootCAs == nil && bytes.Contains(creds, authority) {
			t.Error("the authority is there and is not trusted")
		}
	})
}

// Whatever game of a match a hub gives to a worker, it is refused or can be played with the seeds that it has.
func FuzzMatchGame(f *testing.F) {
	search := arena.DefaultSearch()
	search.Visits = 2
	negative := search
	negative.Visits = -1
	for _, g := range []matchGame{
		{Players: [2]arena.Portable{{Label: "random", Player: "random"}, {Label: "greedy", Player: "greedy"}}, TurnLimit: 3},
		{Opening: []game.Action{game.New().Legal(nil)[0]}, TurnLimit: 3},
		{Opening: []game.Action{5, 60000}},
		{Players: [2]arena.Portable{{Label: "a", Network: "h", Search: &search}, {Label: "b", Network: "h", Search: &negative}}},
	} {
		content, err := json.Marshal(g)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		var g matchGame
		if json.Unmarshal(content, &g) != nil || g.check() != nil {
			return
		}
		played := game.New()
		for _, a := range g.Opening {
			if !slices.Contains(played.Legal(nil), a) {
				t.Fatalf("%q has the illegal action %d", content, a)
			}
			played.Play(a)
		}
		for _, p := range g.Players {
			if p.Search != nil && (p.Search.Visits < 1 || p.Search.Threads < 0 || !(p.Search.Temperature >= 0)) {
				t.Errorf("%q has the settings %+v", content, p.Search)
			}
			if p.Network != "" {
				continue
			}
			if e, err := p.Entrant(); err == nil && (e.Network != nil || e.Name() != p.Label) {
				t.Errorf("%q has the player %q", content, e.Name())
			}
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
	h := &Hub{o: o, untold: map[string]*Credential{}, workers: newWorkers(&o), leases: newLeases(k.dir), transit: newTransit()}
	h.matches = newMatches(h)
	h.transit.ends(math.MaxUint64)
	list, err := k.List()
	if err != nil {
		f.Fatal(err)
	}
	h.workers.update(list)
	if h.known, _, err = openKnown(k.dir); err == nil {
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
		{Format: Format, Record: data.Version, Instance: strings.Repeat("x", 65)},
		{Format: Format, Record: data.Version, HandedIn: make([]handedIn, maxRequest)},
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
		var r request
		json.Unmarshal(content, &r)
		if (len(r.Instance) > 64 || len(content) > maxRequest) && answer.Error != "the request is malformed" {
			t.Errorf("a request with %d bytes and an instance with %d is answered with %+v", len(content), len(r.Instance), answer)
		}
	})
}
