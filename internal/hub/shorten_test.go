package hub

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"warren/data"
)

// The file of leases loses those of games that have left the replay window, and nothing that anyone may still
// need: leases of games that may come, and numbers whose leases are damaged.
func TestLeasesAreShortened(t *testing.T) {
	dir := t.TempDir()
	l := reopened(t, dir, 0, func(uint64) bool { return false })
	give := func(account string, count int) uint64 {
		first, n, err := l.give(account, "one", 0, count, 1000, 0)
		if err != nil || n != count {
			t.Fatal(n, err)
		}
		return first
	}
	bring := func(account string, first uint64, count int) {
		for i := range uint64(count) {
			if leased, isFirst := l.take(account, first+i); !leased || !isFirst {
				t.Fatalf("%s brings %d: %v, %v", account, first+i, leased, isFirst)
			}
			l.saved(account, first+i)
		}
	}
	for range 100 {
		bring("A", give("A", 10), 10)
	}
	bring("B", give("B", 10), 9) // from 1000, and 1009 has not come
	damaged := give("C", 10)     // from 1010
	bring("A", give("A", 10), 10)
	l.close()
	content, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.path, []byte(strings.Replace(string(content), `"account":"C"`, `"account":"D"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	played := func(n uint64) bool { return n < 1009 || n >= 1020 && n < 1030 }
	l = newLeases(dir, time.Hour)
	if n, err := l.restore(0, played); err != nil || n != 1 {
		t.Fatalf("%d damaged lines, %v", n, err)
	}
	lines := func() int {
		content, err := os.ReadFile(l.path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(content), "\n")
	}
	if err := l.shorten(func() uint64 { return 1025 }); err != nil || lines() != 103 {
		t.Errorf("a short file has %d lines, %v, want the 103 that it had", lines(), err)
	}
	for _, lowest := range []uint64{1025, 500} { // the second time older games have come back into the window
		l.allowed = 0
		if err := l.shorten(func() uint64 { return lowest }); err != nil {
			t.Fatal(err)
		}
		if content, err := os.ReadFile(l.path); err != nil || !strings.Contains(string(content), `{"first":0,"count":1025}`) {
			t.Errorf("after %d the file does not say that those below 1025 are dropped:\n%s", lowest, content)
		}
		// What is dropped, what B may bring, the damaged line, what is in the window.
		if lines() != 4 {
			content, _ := os.ReadFile(l.path)
			t.Errorf("%d lines, want 4:\n%s", lines(), content)
		}
	}
	last := give("A", 5)
	l.close()
	for range 2 {
		again := reopened(t, dir, 0, played)
		for _, c := range []struct {
			account       string
			number        uint64
			leased, first bool
		}{
			{"A", 5, false, false}, {"B", 1009, true, true}, {"B", 1008, true, false}, {"A", 1009, false, false},
			{"D", damaged, true, true}, {"C", damaged, true, false}, {"C", damaged + 9, true, true}, {"A", last, true, true},
		} {
			if leased, first := again.take(c.account, c.number); leased != c.leased || first != c.first {
				t.Errorf("%s brings %d: %v, %v", c.account, c.number, leased, first)
			}
		}
		if first, _, err := again.give("A", "one", 0, 1, 1000, 0); first < last+5 || err != nil {
			t.Errorf("number %d is given again, %v", first, err)
		}
		again.close()
	}
}

// Damage of which nobody has been told stays in the file, so that the next start says so.
func TestNewDamageIsNotShortenedAway(t *testing.T) {
	l := reopened(t, t.TempDir(), 0, func(uint64) bool { return false })
	for range 3 {
		if _, _, err := l.give("A", "one", 0, 10, 1000, 0); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/2] ^= 1
	if err := os.WriteFile(l.path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	l.allowed = 0
	if err := l.shorten(func() uint64 { return 30 }); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(l.path); err != nil || !slices.Equal(after, content) {
		t.Errorf("the damaged file has become %s, %v", after, err)
	}
}

// A running hub shortens the file. The games whose leases were dropped are discarded with those of any worker, as
// they must not come back into the window.
func TestRunningHubShortensItsLeases(t *testing.T) {
	s := newSite(t, testJob(), nil)
	stop := play(t, s.dial(t, "a", ""))
	s.store.until(t, "40 games", func(games map[data.Hash]*data.Record) bool { return len(games) >= 40 })
	stop()
	s.store.lowest.Store(30)
	s.leases.mu.Lock()
	s.leases.allowed = 0
	s.leases.mu.Unlock()
	read := func() (list []*lease) {
		if err := readLeases(s.leases.path, func(x *lease) { list = append(list, x) }); err != nil {
			t.Fatal(err)
		}
		return list
	}
	s.await(t, func() bool { list := read(); return len(list) > 0 && list[0].Account == "" })
	if x := read()[0]; x.First != 0 || x.Count != 30 || !x.Time.IsZero() {
		t.Errorf("dropped: %+v", x)
	}
	if _, err := s.keys.Add("b", 2, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.keys.Remove("b", "in a test"); err != nil {
		t.Fatal(err)
	}
	if err := s.keys.Discard("b"); err != nil {
		t.Fatal(err)
	}
	s.await(t, func() bool {
		c, err := s.keys.load("b")
		return err == nil && c.Discarded != nil
	})
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if want := []data.Range{{First: 0, Count: 30}}; !slices.Equal(s.store.discarded, want) {
		t.Errorf("discarded are %v, want %v", s.store.discarded, want)
	}
}
