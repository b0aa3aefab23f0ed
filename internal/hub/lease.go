package hub

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"sync"
	"time"
	"unique"

	"warren/data"
)

// lease is a range of numbers given to a worker, a line of the list of leases. Without an account it says only that its
// numbers, and all below them, are not to be given again: the lines that said to whom they were given are damaged.
type lease struct {
	First    uint64    `json:"first"`
	Count    int       `json:"count"`
	Account  string    `json:"account,omitempty"`
	Instance string    `json:"instance,omitempty"`
	Time     time.Time `json:"time,omitzero"`

	turn    uint64 // of the question that it answers; 0 if an earlier process gave it
	missing int    // numbers whose games have not come
}

// end returns the number after those of the lease.
func (x *lease) end() uint64 { return x.First + uint64(x.Count) }

// leases knows to whom each number was given, and which of those that were given lately are being played. Each
// number is given once.
type leases struct {
	path    string
	journal *journal // of every lease

	mu     sync.Mutex
	next   uint64
	unsure bool                 // whether numbers may have been given that no line has
	given  []span               // ascending; what an account was given in a row is one, if the leases were in order
	recent []*lease             // those whose numbers count as being played, ascending
	seen   map[string]time.Time // time of the last request of each instance that has numbers
}

// span is a range of numbers that were all given to one account.
type span struct {
	first, end uint64
	account    unique.Handle[string]
}

const (
	silence = 30 * time.Second // time after which a silent instance no longer counts
	patient = 10 * time.Minute // time after which the numbers of a lease no longer count
	most    = 2048             // numbers in one lease
	highest = 1 << 62          // more numbers than a run has: a lease beyond is damage, and the sums would overflow
)

// leasesFile lists in the hub's directory which numbers were given to whom, a lease a line.
const leasesFile = "leases.jsonl"

func newLeases(dir string) *leases {
	return &leases{path: filepath.Join(dir, leasesFile), seen: map[string]time.Time{}}
}

// parseLease returns the lease in the text of a line, or nil if the line is damaged.
func parseLease(text []byte) *lease {
	x := &lease{}
	if text == nil || strict(text, x) != nil || x.Count < 1 || x.Account != "" && x.Count > most || x.end() < x.First || x.end() > highest {
		return nil
	}
	return x
}

// restore reads the leases of earlier processes and opens their file. It gives no number below first from now on.
// Played reports whether the game of a number has come. It returns the number of damaged lines.
//
// Whoever brings the first game with a number whose line is damaged is believed: see [leases.allows]. If the last
// lines are damaged, a new one says how many numbers they may have had.
func (l *leases) restore(first uint64, played func(uint64) bool) (damaged int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next, l.given, l.recent = first, nil, nil
	damaged, last, err := l.read(played)
	if err != nil {
		return 0, err
	}
	if l.journal, err = openJournal(l.path); err == nil && last != nil {
		err = l.journal.append(last)
	}
	return damaged, err
}

// Next returns the number above those that a hub with this directory has given to workers, whose games may still come; 0
// if it has given none.
func Next(dir string) (uint64, error) {
	l := newLeases(dir)
	_, _, err := l.read(func(uint64) bool { return true })
	return l.next, err
}

// read takes over the lines of the file. It returns the number of damaged ones and, if the last line is one of them, a
// lease of all numbers that may have been given there.
func (l *leases) read(played func(uint64) bool) (damaged int, last *lease, err error) {
	now := time.Now()
	end, since := uint64(0), 0 // of the last undamaged line, and damaged lines since then
	err = readJournal(l.path, func(text []byte) error {
		x := parseLease(text)
		l.unsure = l.unsure || x == nil || x.Account == ""
		if x == nil {
			damaged++
			since++
			return nil
		}
		end, since = max(end, x.end()), 0
		l.add(x, now, played)
		return nil
	})
	if err != nil {
		return 0, nil, fmt.Errorf("reading the leases: %w", err)
	}
	if since > 0 { // the end of one line may be damaged, so that it is one with the next
		last = &lease{First: end, Time: now}
		last.Count = int(max(l.next, end)-end) + (since+1)*most
		l.add(last, now, played)
	}
	return damaged, last, nil
}

// add takes over a lease of an earlier process.
func (l *leases) add(x *lease, now time.Time, played func(uint64) bool) {
	l.next = max(l.next, x.end())
	if !l.belongs(x) || x.Time.After(now) || now.Sub(x.Time) > patient { // the clock may have been set back
		return
	}
	for number := x.First; number < x.end(); number++ {
		if !played(number) {
			x.missing++
		}
	}
	i, _ := slices.BinarySearchFunc(l.recent, x.First, func(y *lease, first uint64) int { return cmp.Compare(y.First, first) })
	l.recent = slices.Insert(l.recent, i, x)
	l.seen[x.Instance] = x.Time
}

// belongs notes to whom the numbers of a lease belong. It reports false if that is nobody, or known already.
func (l *leases) belongs(x *lease) bool {
	// Nearly always it is the last; commit f288acf wrote leases in the order in which their games were complete.
	i, account := len(l.given), unique.Make(x.Account)
	for i > 0 && x.First < l.given[i-1].first {
		i--
	}
	switch {
	case x.Account == "" || i > 0 && x.First < l.given[i-1].end || i < len(l.given) && l.given[i].first < x.end():
		return false
	case i > 0 && l.given[i-1].end == x.First && l.given[i-1].account == account:
		l.given[i-1].end = x.end()
	default:
		l.given = slices.Insert(l.given, i, span{x.First, x.end(), account})
	}
	return true
}

func (l *leases) close() error {
	if l.journal == nil {
		return nil
	}
	return l.journal.log.Close()
}

// give leases up to want numbers to an account. An account holds at most share numbers, or slow if those
// of its silent instances count too. A question that is asked again, with the same turn unless that is 0, has the
// same lease. The lease is on disk when give returns.
func (l *leases) give(account, instance string, turn uint64, want, share, slow int) (first uint64, count int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for _, x := range slices.Backward(l.recent) {
		if turn > 0 && x.turn == turn && x.Instance == instance && x.Account == account {
			return x.First, x.Count, nil // the worker did not hear the answer
		}
	}
	want = min(want, most, max(share-l.outstanding(account, now), slow-l.held(account)))
	if want <= 0 {
		return 0, 0, nil
	}
	x := &lease{First: l.next, Count: want, Account: account, Instance: instance, Time: now, turn: turn, missing: want}
	if l.journal == nil {
		return 0, 0, fmt.Errorf("writing a lease: %s cannot be opened", l.path)
	}
	if err := l.journal.append(x); err != nil {
		return 0, 0, fmt.Errorf("writing a lease: %w", err)
	}
	l.next = x.end()
	l.belongs(x)
	l.recent = append(l.recent, x)
	l.seen[instance] = now
	return x.First, want, nil
}

// allows reports whether an account may bring a game with a number: it was given to it or, because a line is damaged,
// nobody knows to whom.
func (l *leases) allows(account string, number uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := sort.Search(len(l.given), func(i int) bool { return number < l.given[i].end })
	if i < len(l.given) && l.given[i].first <= number {
		return l.given[i].account == unique.Make(account)
	}
	return l.unsure && number < l.next
}

// of returns the numbers that were given to any of the accounts.
func (l *leases) of(accounts []string) (numbers []data.Range) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range l.given {
		if slices.Contains(accounts, g.account.Value()) {
			numbers = append(numbers, data.Range{First: g.first, Count: int(g.end - g.first)})
		}
	}
	return numbers
}

// arrived records that the store has the game of a number, which is not being played any more.
func (l *leases) arrived(number uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := sort.Search(len(l.recent), func(i int) bool { return number < l.recent[i].end() })
	if i < len(l.recent) && l.recent[i].First <= number {
		l.recent[i].missing--
	}
}

// heard records that an instance is alive. It ignores instances without numbers, because a worker
// can make up names.
func (l *leases) heard(instance string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.seen[instance]; ok {
		l.seen[instance] = now
	}
}

// outstanding returns how many numbers are being played, as far as is known, by an account, or by all
// accounts if account is empty.
func (l *leases) outstanding(account string, now time.Time) (n int) {
	for _, x := range l.recent {
		if (account == "" || x.Account == account) && now.Sub(l.seen[x.Instance]) <= silence {
			n += x.missing
		}
	}
	return n
}

// held returns the same for an account, with the numbers of silent instances.
func (l *leases) held(account string) (n int) {
	for _, x := range l.recent {
		if x.Account == account {
			n += x.missing
		}
	}
	return n
}

// playing returns how many numbers are being played, as far as is known.
func (l *leases) playing(now time.Time) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.outstanding("", now)
}

// forget drops leases and instances that no longer count.
func (l *leases) forget(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recent = slices.DeleteFunc(l.recent, func(x *lease) bool { return now.Sub(x.Time) > patient })
	for instance, t := range l.seen {
		if now.Sub(t) > patient {
			delete(l.seen, instance)
		}
	}
}
