package hub

import (
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// lease is a range of numbers given to a worker. Without an account, nobody knows to whom: the line was
// damaged or, if there is no time either, dropped.
type lease struct {
	First    uint64    `json:"first"`
	Count    int       `json:"count"`
	Account  string    `json:"account,omitempty"`
	Instance string    `json:"instance,omitempty"`
	Time     time.Time `json:"time,omitzero"`

	turn    uint64   // of the question that it answers; 0 if an earlier process gave it
	arrived []uint64 // bits
	missing int
	unsaved int // numbers whose games are not in a shard
}

// leases holds the leases that have not expired and that have games outside the shards, in ascending
// order. Each number is given once.
type leases struct {
	path     string
	journal  *journal // of every lease
	duration time.Duration

	mu   sync.Mutex
	list []*lease
	next uint64
	seen map[string]time.Time // time of the last request of each instance that has numbers

	arriving int // games that were taken and that the store may not have yet

	lost  []*lease        // numbers whose leases are damaged
	found map[uint64]bool // those of them that have come

	lines   int // of the file
	damaged int // of them
	allowed int // the number of lines at which the file is shortened
}

const (
	silence = 30 * time.Second // time after which a silent instance no longer counts
	patient = 10 * time.Minute // time after which the numbers of a lease no longer count
	most    = 2048             // numbers in one lease
	highest = 1 << 62          // more numbers than a run has: a lease beyond is damage, and the sums would overflow
)

// leasesFile lists in the hub's directory which numbers were given to whom, a lease a line. Lines of an
// earlier version have no checksum, instance or time; all their games are in shards.
const leasesFile = "leases.jsonl"

func newLeases(dir string, duration time.Duration) *leases {
	return &leases{path: filepath.Join(dir, leasesFile), duration: duration, seen: map[string]time.Time{}, found: map[uint64]bool{}, allowed: growth}
}

// parseLease returns the lease in the text of a line, or nil if the line is damaged.
func parseLease(text []byte) *lease {
	x := &lease{}
	if text == nil || strict(text, x) != nil || x.Count < 1 || x.Account != "" && x.Count > most || x.end() < x.First || x.end() > highest {
		return nil
	}
	return x
}

// readLeases calls yield with every lease in the file, or nil for a damaged line.
func readLeases(path string, yield func(*lease)) error {
	err := readJournal(path, func(text []byte) error {
		yield(parseLease(text))
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the leases: %w", err)
	}
	return nil
}

// restore reads the leases of earlier processes and opens their file. It marks the numbers that have been
// played, and gives none below first from now on. It returns the number of damaged lines.
//
// A number lies in a damaged lease if it is between the leases before and after it, or if it is one of those
// that may have been given last. Such a number is not given again, and whoever brings its first game is
// believed.
func (l *leases) restore(first uint64, played func(uint64) bool) (damaged int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list, l.lost, l.lines = nil, nil, 0
	clear(l.found)
	l.damaged = 0
	r := &restoring{leases: l, now: time.Now(), played: played}
	if err := readLeases(l.path, r.add); err != nil {
		return 0, err
	}
	r.finish(first)
	if l.journal, err = openJournal(l.path); err == nil && r.broken > 0 {
		err = l.journal.append(l.lost[len(l.lost)-1]) // a last line without an end has just been removed
		l.lines++
	}
	return l.damaged, err
}

// Next returns the number above those that a hub with this directory has given to workers, whose games may still come; 0
// if it has given none.
func Next(dir string) (uint64, error) {
	l := newLeases(dir, leaseTime)
	r := &restoring{leases: l, now: time.Now(), played: func(uint64) bool { return true }}
	if err := readLeases(l.path, r.add); err != nil {
		return 0, err
	}
	r.finish(0)
	return l.next, nil
}

// restoring is the state between two lines of the file of leases.
type restoring struct {
	*leases
	now    time.Time
	played func(uint64) bool
	end    uint64 // of the last lease
	broken int    // damaged lines since then
}

// add takes over a lease, or nil for a damaged line.
func (r *restoring) add(x *lease) {
	r.lines++
	if x == nil {
		r.broken++
		return
	}
	r.next = max(r.next, x.end())
	if x.Time.IsZero() || x.First < r.end { // it is complete, or a repetition
		return
	}
	if r.broken > 0 && x.First > r.end {
		r.lost = append(r.lost, &lease{First: r.end, Count: int(x.First - r.end), Time: r.now})
	}
	r.damaged, r.broken, r.end = r.damaged+r.broken, 0, x.end()
	switch {
	case r.now.Sub(x.Time) > r.duration:
	case x.Account == "":
		r.lost = append(r.lost, x)
	default:
		r.reopen(x, r.now, r.played)
	}
}

// finish follows the last line. No number below first is given from now on.
func (r *restoring) finish(first uint64) {
	x := &lease{First: r.next, Time: r.now}
	r.next = max(r.next, first) // games of a damaged lease may have come, and others of it not
	if r.broken > 0 {           // the end of one line may be damaged, so that it is one with the next
		r.next += uint64(r.broken+1) * most
		x.Count = int(r.next - x.First)
		r.lost = append(r.lost, x)
	}
	r.damaged += r.broken
}

// reopen adds a lease of an earlier process to the list, unless all its games are in shards.
func (l *leases) reopen(x *lease, now time.Time, played func(uint64) bool) {
	x.open()
	for i := range uint64(x.Count) {
		if played(x.First+i) && x.take(i) {
			x.unsaved--
		}
	}
	if x.unsaved == 0 {
		return
	}
	l.list = append(l.list, x)
	if x.Time.Before(now) { // the clock may have been set back
		l.seen[x.Instance] = x.Time
	}
}

// isLost reports whether a number lies in a damaged lease.
func (l *leases) isLost(number uint64) bool {
	return slices.ContainsFunc(l.lost, func(x *lease) bool { return x.First <= number && number < x.end() })
}

func (l *leases) close() error {
	if l.journal == nil {
		return nil
	}
	return l.journal.log.Close()
}

// end returns the number after those of the lease.
func (x *lease) end() uint64 { return x.First + uint64(x.Count) }

func (x *lease) open() {
	x.arrived, x.missing, x.unsaved = make([]uint64, (x.Count+63)/64), x.Count, x.Count
}

// has reports whether number i of the lease has arrived.
func (x *lease) has(i uint64) bool { return x.arrived[i/64]&(1<<(i%64)) != 0 }

// take marks number i of the lease as arrived. It reports whether this is its first game.
func (x *lease) take(i uint64) bool {
	if x.has(i) {
		return false
	}
	x.arrived[i/64] |= 1 << (i % 64)
	x.missing--
	return true
}

// give leases up to want numbers to an account. An account holds at most share numbers, or slow if those
// of its silent instances count too. A question that is asked again, with the same turn unless that is 0, has the
// same lease. The lease is on disk when give returns.
func (l *leases) give(account, instance string, turn uint64, want, share, slow int) (first uint64, count int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for x := range l.recent(now) {
		if turn > 0 && x.turn == turn && x.Instance == instance && x.Account == account {
			return x.First, x.Count, nil // the worker did not hear the answer
		}
	}
	want = min(want, most, max(share-l.outstanding(account, now), slow-l.held(account, now)))
	if want <= 0 {
		return 0, 0, nil
	}
	x := &lease{First: l.next, Count: want, Account: account, Instance: instance, Time: now, turn: turn}
	x.open()
	if l.journal == nil {
		return 0, 0, fmt.Errorf("writing a lease: %s cannot be opened", l.path)
	}
	if err := l.journal.append(x); err != nil {
		return 0, 0, fmt.Errorf("writing a lease: %w", err)
	}
	l.lines++
	l.next += uint64(want)
	l.list = append(l.list, x)
	l.seen[instance] = now
	return x.First, want, nil
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
	for x := range l.recent(now) {
		if (account == "" || x.Account == account) && now.Sub(l.seen[x.Instance]) <= silence {
			n += x.missing
		}
	}
	return n
}

// held returns the same for an account, with the numbers of silent instances.
func (l *leases) held(account string, now time.Time) (n int) {
	for x := range l.recent(now) {
		if x.Account == account {
			n += x.missing
		}
	}
	return n
}

// recent yields the leases whose numbers still count.
func (l *leases) recent(now time.Time) iter.Seq[*lease] {
	return func(yield func(*lease) bool) {
		for _, x := range slices.Backward(l.list) {
			if now.Sub(x.Time) > patient || !yield(x) {
				return
			}
		}
	}
}

// playing returns how many numbers are being played, as far as is known, or have games that are arriving.
func (l *leases) playing(now time.Time) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.outstanding("", now) + l.arriving
}

// find returns the lease that contains a number, or nil if it does not belong to the account.
func (l *leases) find(account string, number uint64) *lease {
	i, found := slices.BinarySearchFunc(l.list, number, func(x *lease, n uint64) int {
		switch {
		case x.end() <= n:
			return -1
		case x.First > n:
			return 1
		}
		return 0
	})
	if !found || l.list[i].Account != account {
		return nil
	}
	return l.list[i]
}

// open reports whether a number was leased to the account, and whether no game with it has come.
func (l *leases) open(account string, number uint64) (leased, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if x := l.find(account, number); x != nil {
		return true, !x.has(number - x.First)
	}
	return l.isLost(number), !l.found[number]
}

// take marks a number as arrived. It reports whether the number was leased to the account, and whether
// this is the first game with that number. In that case the game is arriving until [leases.kept].
func (l *leases) take(account string, number uint64) (leased, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch x := l.find(account, number); {
	case x != nil:
		first = x.take(number - x.First)
	case l.isLost(number):
		first = !l.found[number]
		l.found[number] = true
	default:
		return false, false
	}
	if first {
		l.arriving++
	}
	return true, first
}

// kept records that the store has a game that was arriving.
func (l *leases) kept() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.arriving--
}

// saved records that the first game of a number is in a shard.
func (l *leases) saved(account string, number uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.find(account, number)
	if x == nil {
		return
	}
	if x.unsaved--; x.unsaved == 0 {
		i := slices.Index(l.list, x)
		l.list = slices.Delete(l.list, i, i+1)
	}
}

// forget drops silent instances and the leases that have expired without a game.
func (l *leases) forget(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.list) > 0 && now.Sub(l.list[0].Time) > l.duration {
		l.list[0] = nil
		l.list = l.list[1:]
	}
	for instance, t := range l.seen {
		if now.Sub(t) > patient {
			delete(l.seen, instance)
		}
	}
}
