package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"warren/data"
)

// A number is given once, also over a restart, and an account has no more than its share.
func TestLeases(t *testing.T) {
	s := newSite(t, testJob(), nil)
	l := s.leases
	now := time.Now()
	give := func(account, instance string, want, share int) (uint64, int) {
		t.Helper()
		first, n, err := l.give(account, instance, 0, want, share, 0)
		if err != nil {
			t.Fatal(err)
		}
		return first, n
	}
	if first, n := give("A", "one", 10, 100); first != 0 || n != 10 {
		t.Errorf("first lease: %d from %d", n, first)
	}
	if first, n := give("B", "two", 3, 100); first != 10 || n != 3 {
		t.Errorf("second lease: %d from %d", n, first)
	}
	if _, n := give("B", "two", -1, 100); n != 0 {
		t.Errorf("%d numbers with no room", n)
	}
	if _, n := give("A", "one", 10, 12); n != 2 {
		t.Errorf("%d numbers, and 2 are left of the share", n)
	}
	l.mu.Lock()
	held := l.held("A")
	l.mu.Unlock()
	if held != 12 {
		t.Errorf("%d numbers are with A, want 12", held)
	}
	if _, n, err := l.give("A", "another", 0, 10, 12, 12); err != nil || n != 0 {
		t.Errorf("%d numbers for another instance, and nothing is left of both shares: %v", n, err)
	}
	l.heard("one", now.Add(-2*silence))
	if _, n, err := l.give("A", "another", 0, 10, 0, 12); err != nil || n != 0 {
		t.Errorf("%d numbers for another instance, and a silent one has all of the share of slow games: %v", n, err)
	}
	l.heard("one", now)
	allowed := map[string][]uint64{"A": {0, 3, 9, 13, 14}, "B": {10, 12}, "C": nil}
	check := func(when string, l *leases) {
		t.Helper()
		for account, want := range allowed {
			for _, number := range []uint64{0, 3, 9, 10, 12, 13, 14, 15, 1 << 63} {
				if got := l.allows(account, number); got != slices.Contains(want, number) {
					t.Errorf("%s, %s may bring %d: %v", when, account, number, got)
				}
			}
		}
	}
	check("at first", l)
	for _, number := range []uint64{3, 12, 14, 15} {
		l.arrived(number)
	}
	if n := l.playing(now); n != 12 {
		t.Errorf("%d numbers are out, want 12", n)
	}
	if n := l.playing(now.Add(silence + time.Second)); n != 0 {
		t.Errorf("%d numbers are out with workers that are silent", n)
	}
	again := reopened(t, s.keys.dir, 2, func(n uint64) bool { return n == 5 })
	if again.next != 15 || len(again.recent) != 3 {
		t.Errorf("after a restart %d leases, and the next number is %d", len(again.recent), again.next)
	}
	check("after a restart", again)
	again.heard("one", now.Add(time.Minute))
	if n := again.outstanding("", now.Add(time.Minute)); n != 11 {
		t.Errorf("%d numbers are out with a worker that continues, want 11", n)
	}
	again.forget(now.Add(2 * time.Hour))
	if n := again.held("A"); n != 0 || len(again.seen) > 0 {
		t.Errorf("after two hours %d numbers are with A, and %d instances are known", n, len(again.seen))
	}
	check("two hours later", again)
}

// Leases that are read in no order are known by their numbers.
func TestRecentLeasesInNoOrder(t *testing.T) {
	l := newLeases(t.TempDir())
	now := time.Now()
	for _, first := range []uint64{40, 60, 0, 20} {
		l.add(&lease{First: first, Count: 20, Account: "A", Instance: "one", Time: now}, now, func(uint64) bool { return false })
	}
	for number := range uint64(80) {
		l.arrived(number)
	}
	if n := l.held("A"); n != 0 {
		t.Errorf("%d numbers are out, and all games are there", n)
	}
}

// A lease of a time that is yet to come is not counted, or it would be until then: the clock has been set back.
func TestLeaseOfATimeToCome(t *testing.T) {
	l := newLeases(t.TempDir())
	now := time.Now()
	l.add(&lease{First: 5, Count: 20, Account: "A", Instance: "one", Time: now.Add(time.Hour)}, now, func(uint64) bool { return false })
	if n := l.held("A"); n != 0 || !l.allows("A", 24) || l.next != 25 {
		t.Errorf("%d numbers count as being played, and the next is %d", n, l.next)
	}
}

// What an account was given in a row is kept as one, however many leases it was.
func TestLeasesInARow(t *testing.T) {
	dir := t.TempDir()
	l := reopened(t, dir, 5, func(uint64) bool { return false })
	for _, account := range []string{"A", "A", "B", "B", "B", "A"} {
		if _, n, err := l.give(account, "one", 0, 10, 100, 0); n != 10 || err != nil {
			t.Fatal(n, err)
		}
	}
	for _, l := range []*leases{l, reopened(t, dir, 0, func(uint64) bool { return false })} {
		got := fmt.Sprint(l.of([]string{"A"}), l.of([]string{"B"}), l.of([]string{"B", "A"}), l.of(nil))
		if want := "[{5 20} {55 10}] [{25 30}] [{5 20} {25 30} {55 10}] []"; got != want {
			t.Errorf("given are %s, want %s", got, want)
		}
	}
}

// Lines of commit f288acf, which have no checksum and are in no order, are read. Numbers that a line gives to nobody
// may be brought by anyone.
func TestLeasesOfAnEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	const lines = `{"first":110,"count":20,"account":"B"}
{"first":90,"count":20,"account":"A"}
{"first":89,"count":2,"account":"B"}
{"first":129,"count":2,"account":"A"}
` // the last two have a number of another
	path := newLeases(dir).path
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := openJournal(path)
	if err == nil {
		err = errors.Join(j.append(&lease{First: 130, Count: 20}), j.log.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	l := reopened(t, dir, 0, func(uint64) bool { return false })
	for number, want := range map[uint64]string{89: "AB", 90: "A", 109: "A", 110: "B", 129: "B", 130: "AB", 149: "AB", 150: ""} {
		got := ""
		for _, account := range []string{"A", "B"} {
			if l.allows(account, number) {
				got += account
			}
		}
		if got != want {
			t.Errorf("%d may be brought by %q, want %q", number, got, want)
		}
	}
	if n, err := Next(dir); err != nil || n != 150 || l.next != 150 {
		t.Errorf("the next number is %d, %d, %v", n, l.next, err)
	}
}

// However many leases there are, those that are old take no memory of their own, not even while they are read.
func TestManyLeases(t *testing.T) {
	const many = 10_000
	dir, now := t.TempDir(), time.Now()
	var lines bytes.Buffer
	for i := range many {
		x := &lease{First: uint64(i), Count: 1, Account: "A", Instance: "one", Time: now.Add(-time.Hour)}
		if i == many-1 {
			x.Time = now
		}
		line, err := checkable(x)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", line)
	}
	if err := os.WriteFile(newLeases(dir).path, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, kept := heap(), int64(math.MaxInt64)
	reopened(t, dir, 0, func(uint64) bool { // is called for the last line alone
		kept = heap() - before
		return false
	})
	if kept > 1<<19 {
		t.Errorf("%d bytes are kept when the last of %d leases is read", kept, many)
	}
}

// A worker that does not hear the answer and asks again gets the same numbers, and none are lost.
func TestQuestionThatIsAskedAgain(t *testing.T) {
	s := newSite(t, testJob(), nil)
	h := s.hostile(t, "one")
	var next uint64
	for i, turn := range []uint64{1, 1, 2} {
		answer := h.ask(t, request{Want: 3 + i, Turn: turn})
		if want := []uint64{0, 0, 3}[i]; answer.First != want || answer.Count != []int{3, 3, 5}[i] {
			t.Errorf("question %d: %d numbers from %d, want them from %d", i+1, answer.Count, answer.First, want)
		}
		next = answer.First + uint64(answer.Count)
	}
	other := s.hostile(t, "other")
	other.name, h.name = h.name, "another process"
	for _, x := range []*hostile{other, h} {
		if answer := x.ask(t, request{Want: 1, Turn: 1}); answer.First != next || answer.Count != 1 {
			t.Errorf("another's question with the same turn: %+v, want number %d", answer, next)
		}
		next++
	}
	w := s.dial(t, "honest", "")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for i, again := range []bool{false, true, false} {
		if again {
			w.turn-- // as if it had not heard
		}
		if _, err := w.request(stopped, request{Want: 2}); err == nil {
			t.Fatal("there is an answer")
		}
		answer, err := w.request(t.Context(), request{Want: 2})
		if want := next + []uint64{0, 0, 2}[i]; err != nil || answer.First != want || answer.Count != 2 {
			t.Errorf("question %d of a worker: %+v, %v, want numbers from %d", i+1, answer, err, want)
		}
	}
}

// A worker that was added since the hub last read the list of workers asks again, and then gets numbers. One that has been
// removed is told so.
func TestWorkerThatWasJustAdded(t *testing.T) {
	o := newServer(t)
	h := openHub(t, o)
	h.leases = reopened(t, o.Keys.dir, 0, func(uint64) bool { return false })
	if _, err := o.Keys.Add("a", 2, nil); err != nil {
		t.Fatal(err)
	}
	c, err := o.Keys.load("a")
	if err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(request{Format: Format, Record: data.Version, Instance: "x", Want: 3})
	if err != nil {
		t.Fatal(err)
	}
	ask := func() reply {
		return h.reply(t.Context(), &nats.Msg{Subject: leaseSubject + "." + c.Account, Data: content}, newMemory())
	}
	read := func() {
		t.Helper()
		if err := h.refresh(); err != nil {
			t.Fatal(err)
		}
	}
	if x := ask(); x.Error != "" || x.Count != 0 || !x.Behind {
		t.Errorf("at once: %+v", x)
	}
	read()
	if x := ask(); x.Error != "" || x.Count != 3 {
		t.Errorf("a second later: %+v", x)
	}
	if err := o.Keys.Remove("a", "in a test"); err != nil {
		t.Fatal(err)
	}
	read()
	if x := ask(); x.Count != 0 || x.Error != "this worker has been removed" {
		t.Errorf("after it has been removed: %+v", x)
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

// reopened returns the leases as the next process finds them, none of which are damaged.
func reopened(t *testing.T, dir string, first uint64, played func(uint64) bool) *leases {
	t.Helper()
	l := newLeases(dir)
	if damaged, err := l.restore(first, played); err != nil || damaged > 0 {
		t.Fatalf("%d damaged lines, %v", damaged, err)
	}
	t.Cleanup(func() { l.close() })
	return l
}

// No number is given below those of the games that the run has, whatever the leases say.
func TestNumbersBeginAboveTheGames(t *testing.T) {
	l := reopened(t, t.TempDir(), 7, func(uint64) bool { return false })
	if first, n, err := l.give("A", "one", 0, 3, 100, 0); first != 7 || n != 3 || err != nil {
		t.Errorf("%d numbers from %d, %v, want 3 from 7", n, first, err)
	}
	if l.allows("A", 6) {
		t.Error("a number that was never given may be brought")
	}
}

// The hub gives no more numbers than the learner has room for, and what is asked for if there is no limit.
func TestNoRoomIsNoNumbers(t *testing.T) {
	s := newSite(t, testJob(), nil)
	h := s.hostile(t, "worker")
	for _, c := range []struct{ room, want int }{{0, 0}, {1, 1}, {1, 0}, {3, 2}, {-1, 5}} {
		s.store.mu.Lock()
		s.store.room = c.room
		s.store.mu.Unlock()
		if answer := h.lease(t, 5); answer.Count != c.want || answer.Behind != (c.want == 0) {
			t.Errorf("room for %d: %+v, want %d numbers", c.room, answer, c.want)
		}
	}
	s.store.mu.Lock()
	s.store.room = 1000
	s.store.mu.Unlock()
	for {
		answer := h.lease(t, 1000)
		if answer.Behind {
			t.Fatalf("the worker has its share, and is told that the learner is behind: %+v", answer)
		}
		if answer.Count == 0 {
			break
		}
	}
}

// Whichever byte of the leases has a bit flipped, it is noticed or changes nothing: no number is given twice, and
// the games with numbers that were given are accepted from their worker.
func TestDamagedLeases(t *testing.T) {
	dir := t.TempDir()
	never := func(uint64) bool { return false }
	l := newLeases(dir)
	if _, err := l.restore(3, never); err != nil {
		t.Fatal(err)
	}
	for i, account := range []string{"A", "B", "A"} {
		if _, n, err := l.give(account, "one", 0, 2+i, 100, 0); n != 2+i || err != nil {
			t.Fatal(n, err)
		}
	}
	l.close()
	whole, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	given := map[string][]uint64{"A": {3, 4, 8, 9, 10, 11}, "B": {5, 6, 7}}
	noticed := 0
	for i := range whole {
		bit := 8*i + 3*i%8 // any of the eight, in turn
		next := uint64(0)
		if bit%2 == 0 {
			next = 11 // as if game 10 were in a shard already
		}
		content := slices.Clone(whole)
		content[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(l.path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		again := newLeases(dir)
		damaged, err := again.restore(next, never)
		if err != nil {
			t.Fatal(err)
		}
		if damaged > 0 {
			noticed++
		}
		for account, numbers := range given {
			for _, n := range numbers {
				if !again.allows(account, n) {
					t.Errorf("bit %d: %s may not bring %d", bit, account, n)
				}
			}
		}
		if first, _, err := again.give("C", "one", 0, 1, 100, 0); first < 12 || err != nil {
			t.Errorf("bit %d: number %d is given again, %v", bit, first, err)
		}
		if again.allows("A", 1<<40) {
			t.Errorf("bit %d: a number that was never given is accepted", bit)
		}
		again.close()
	}
	if noticed < len(whole)*7/8 { // the checksums may be in capitals
		t.Errorf("%d of %d flipped bits are noticed", noticed, len(whole))
	}
}

// Numbers in a damaged end of the file stay lost after another start: those of two leases whose lines have become
// one, and those of a line without an end.
func TestDamagedEndOfTheLeases(t *testing.T) {
	never := func(uint64) bool { return false }
	for name, find := range map[string]func([]byte, byte) int{"two in one": bytes.IndexByte, "without an end": bytes.LastIndexByte} {
		dir := t.TempDir()
		l := reopened(t, dir, 0, never)
		for range 2 {
			if _, n, err := l.give("A", "one", 0, most, 2*most, 0); n != most || err != nil {
				t.Fatal(n, err)
			}
		}
		l.close()
		content, err := os.ReadFile(l.path)
		if err != nil {
			t.Fatal(err)
		}
		content[find(content, '\n')] ^= 1
		if err := os.WriteFile(l.path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		for start := range 3 {
			again := newLeases(dir)
			if damaged, err := again.restore(0, never); start == 0 && damaged != 1 || err != nil {
				t.Fatalf("%s: %d damaged lines, %v", name, damaged, err)
			}
			if !again.allows("A", 2*most-1) {
				t.Errorf("%s: at start %d the last number may not be brought", name, start)
			}
			if start == 1 {
				if first, _, err := again.give("C", "one", 0, 1, most, 0); first < 2*most || err != nil {
					t.Errorf("%s: number %d is given again, %v", name, first, err)
				}
			}
			again.close()
		}
	}
}

// A process that plays the run without its hub begins above all leases, also damaged ones. So the workers' games count
// later.
func TestRunWithoutItsHub(t *testing.T) {
	dir := t.TempDir()
	next := func(want uint64) {
		t.Helper()
		if n, err := Next(dir); err != nil || n != want {
			t.Errorf("the next number is %d, %v, want %d", n, err, want)
		}
	}
	next(0)
	l := reopened(t, dir, 0, func(uint64) bool { return false })
	for _, account := range []string{"A", "B"} {
		if _, n, err := l.give(account, "one", 0, 10, 100, 0); err != nil || n != 10 {
			t.Fatal(n, err)
		}
	}
	l.close()
	next(20)
	again := reopened(t, dir, 40, func(n uint64) bool { return n >= 20 && n < 40 })
	if !again.allows("B", 13) {
		t.Error("a game of before may not be brought")
	}
	again.close()
	content, err := os.ReadFile(l.path)
	if err == nil {
		err = os.WriteFile(l.path, content[:len(content)-1], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	next(10 + 2*most)
	damaged := newLeases(dir)
	defer damaged.close()
	if n, err := damaged.restore(0, func(uint64) bool { return false }); err != nil || n != 1 || damaged.next != 10+2*most {
		t.Errorf("with %d damaged lines, %v, a hub begins at %d", n, err, damaged.next)
	}
}
