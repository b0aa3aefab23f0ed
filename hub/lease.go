package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"warren/data"
)

// request is a worker's message to the hub. It is sent to ask for numbers, and at intervals otherwise.
type request struct {
	Format   int    `json:"format"`
	Record   int    `json:"record"`   // data.Version
	Instance string `json:"instance"` // chosen by the worker at its start
	Want     int    `json:"want"`     // count of numbers; may be 0

	Seats  int          `json:"seats,omitempty"` // games of matches that the worker can play now
	Result *matchResult `json:"result,omitempty"`
}

// maxRequest limits the message of a request. The result of a match has at most about 20 kB.
const maxRequest = 64 << 10

// reply is the hub's answer to a request.
type reply struct {
	Error string `json:"error,omitempty"` // the worker cannot continue

	First   uint64  `json:"first"`
	Count   int     `json:"count"`
	Behind  bool    `json:"behind"` // the learner is behind: no numbers are given now
	Network current `json:"network"`
	// Settings is the hash of those in use; empty from a hub of an earlier version.
	Settings string `json:"settings,omitempty"`

	Refused int    `json:"refused"` // refused games of this worker
	Why     string `json:"why,omitempty"`

	Match []*matchGame `json:"match,omitempty"`
}

// lease is a range of numbers given to a worker.
type lease struct {
	First    uint64    `json:"first"`
	Count    int       `json:"count"`
	Account  string    `json:"account"`
	Instance string    `json:"instance"`
	Time     time.Time `json:"time"`

	arrived []uint64 // bits
	missing int
	unsaved int // numbers whose games are not in a shard
}

// leases holds the leases that have not expired and that have games outside the shards, in ascending
// order. Each number is given once.
type leases struct {
	kv       jetstream.KeyValue
	duration time.Duration

	mu   sync.Mutex
	list []*lease
	next uint64
	seen map[string]time.Time // time of the last request of each instance that has numbers
	full []*lease             // with games in shards, and no more to come; they wait to be filed
}

const (
	silence = 30 * time.Second // time after which a silent instance no longer counts
	patient = 10 * time.Minute // time after which the numbers of a lease no longer count
	most    = 2048             // numbers in one lease
)

func leaseName(first uint64) string { return fmt.Sprintf("n.%020d", first) }

// restoreLeases reads the leases given by earlier processes.
func restoreLeases(ctx context.Context, kv jetstream.KeyValue, duration time.Duration) (*leases, error) {
	l := &leases{kv: kv, duration: duration, seen: map[string]time.Time{}}
	all, err := kv.WatchAll(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the leases: %w", err)
	}
	defer all.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("reading the leases: %w", context.Cause(ctx))
		case entry, ok := <-all.Updates():
			if !ok {
				return nil, errors.New("reading the leases: the connection ended")
			}
			if entry == nil { // all entries have been read
				slices.SortFunc(l.list, func(a, b *lease) int {
					if a.First < b.First {
						return -1
					}
					return 1
				})
				for _, x := range l.list {
					if x.Time.Before(time.Now()) { // the clock may have been set back
						l.seen[x.Instance] = x.Time
					}
				}
				return l, nil
			}
			x := &lease{}
			if err := json.Unmarshal(entry.Value(), x); err != nil || x.Count < 1 || x.Count > most {
				return nil, fmt.Errorf("reading the leases: %s is damaged", entry.Key())
			}
			x.open()
			l.list = append(l.list, x)
			l.next = max(l.next, x.First+uint64(x.Count))
		}
	}
}

func (x *lease) open() {
	x.arrived, x.missing, x.unsaved = make([]uint64, (x.Count+63)/64), x.Count, x.Count
}

// startAt makes sure that no number below first is given from now on, and marks the numbers in the
// leases that have been played.
func (l *leases) startAt(first uint64, played func(uint64) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = max(l.next, first)
	for _, x := range slices.Clone(l.list) {
		for i := range uint64(x.Count) {
			if played(x.First+i) && x.take(i) {
				l.save(x)
			}
		}
	}
}

// take marks number i of the lease as arrived. It reports whether this is its first game.
func (x *lease) take(i uint64) bool {
	if x.arrived[i/64]&(1<<(i%64)) != 0 {
		return false
	}
	x.arrived[i/64] |= 1 << (i % 64)
	x.missing--
	return true
}

// give leases up to want numbers to an account. An account holds at most share numbers, or slow if those
// of its silent instances count too. All accounts together hold at most room; a negative room means no
// limit. The lease is on disk when give returns.
func (l *leases) give(ctx context.Context, account, instance string, want, share, slow, room int) (first uint64, count int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	want = min(want, max(share-l.outstanding(account, now), slow-l.held(account, now)))
	if room >= 0 {
		want = min(want, room-l.outstanding("", now))
	}
	if want = min(want, most); want <= 0 {
		return 0, 0, nil
	}
	x := &lease{First: l.next, Count: want, Account: account, Instance: instance, Time: now}
	x.open()
	if err := putJSON(ctx, l.kv, leaseName(x.First), x); err != nil {
		return 0, 0, err
	}
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

// playing returns how many numbers are being played, as far as is known.
func (l *leases) playing(now time.Time) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.outstanding("", now)
}

// find returns the lease that contains a number, or nil if it does not belong to the account.
func (l *leases) find(account string, number uint64) *lease {
	i, found := slices.BinarySearchFunc(l.list, number, func(x *lease, n uint64) int {
		switch {
		case x.First+uint64(x.Count) <= n:
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

// take marks a number as arrived. It reports whether the number was leased to the account, and whether
// this is the first game with that number.
func (l *leases) take(account string, number uint64) (leased, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.find(account, number)
	if x == nil {
		return false, false
	}
	return true, x.take(number - x.First)
}

// saved records that the first game of a number is in a shard.
func (l *leases) saved(account string, number uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if x := l.find(account, number); x != nil {
		l.save(x)
	}
}

// save records that a game of the lease is in a shard.
func (l *leases) save(x *lease) {
	if x.unsaved--; x.unsaved > 0 {
		return
	}
	l.full = append(l.full, x)
	if i := slices.Index(l.list, x); i >= 0 {
		l.list = slices.Delete(l.list, i, i+1)
	}
}

// forget drops silent instances and the leases that have expired without a game.
func (l *leases) forget(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.list) > 0 && now.Sub(l.list[0].Time) > l.duration {
		if x := l.list[0]; x.unsaved < x.Count { // some of its games never came
			l.full = append(l.full, x)
		}
		l.list[0] = nil
		l.list = l.list[1:]
	}
	for instance, t := range l.seen {
		if now.Sub(t) > patient {
			delete(l.seen, instance)
		}
	}
}

// listen begins to take the workers' requests, which wait until they are answered.
func (h *Hub) listen(ctx context.Context) (*nats.Subscription, error) {
	sub, err := h.conn.SubscribeSync(leaseSubject + ".*")
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		err = h.conn.FlushWithContext(ctx) // from here on the server knows of it
	}
	if err != nil {
		return nil, fmt.Errorf("listening to the workers: %w", err)
	}
	return sub, nil
}

// answer answers the workers' requests for numbers.
func (h *Hub) answer(ctx context.Context, requests *nats.Subscription, archive Archive) error {
	for {
		msg, err := requests.NextMsgWithContext(ctx)
		if errors.Is(err, nats.ErrSlowConsumer) {
			continue // workers whose requests were dropped ask again
		}
		if err != nil {
			return fmt.Errorf("listening to the workers: %w", err)
		}
		content, err := json.Marshal(h.reply(ctx, msg, archive))
		if err != nil {
			return fmt.Errorf("answering a worker: %w", err)
		}
		if err := msg.Respond(content); err != nil && !errors.Is(err, nats.ErrMsgNoReply) {
			h.o.Log.Debug("hub: answering a worker", "error", err)
		}
	}
}

func (h *Hub) reply(ctx context.Context, msg *nats.Msg, archive Archive) reply {
	account := msg.Subject[len(leaseSubject)+1:]
	w := h.workers.of(account)
	if w == nil && h.o.Server != nil { // which admits a worker as soon as it is added
		if !h.look() {
			return reply{Network: h.known.playing(), Settings: h.known.playingBy(), Behind: true}
		}
		w = h.workers.of(account)
	}
	if w == nil {
		return reply{Error: "this worker has been removed"}
	}
	var r request
	if len(msg.Data) > maxRequest || json.Unmarshal(msg.Data, &r) != nil || len(r.Instance) > 64 {
		if w.refuse("malformed request") {
			h.quarantine(w, "too many of its requests were malformed")
		}
		return reply{Error: "the request is malformed"}
	}
	if r.Format != Format || r.Record != data.Version {
		return reply{Error: versions("the worker", r.Format, r.Record, "this hub", Format, data.Version)}
	}
	now := time.Now()
	h.leases.heard(r.Instance, now)
	answer := reply{Network: h.known.playing(), Settings: h.known.playingBy()}
	answer.Refused, answer.Why = w.seen(now)
	if r.Result != nil {
		h.matches.result(ctx, w, r.Result)
	}
	if r.Seats > 0 {
		answer.Match = h.matches.give(w.Account, r.Seats, h.workers.silent)
	}
	if r.Want <= 0 {
		return answer
	}
	var err error
	room := archive.Room()
	answer.First, answer.Count, err = h.leases.give(ctx, w.Account, r.Instance, min(r.Want, w.allowance(now)), w.share(), w.slowShare(now, room), room)
	if err != nil {
		h.o.Log.Warn("hub: a lease cannot be written; the worker asks again", "error", err)
	}
	w.granted(answer.Count)
	answer.Behind = answer.Count == 0
	return answer
}

// versions returns the message for two sides with different versions.
func versions(one string, format, record int, other string, format2, record2 int) string {
	return fmt.Sprintf("%s speaks format %d with records of version %d, and %s speaks format %d with version %d: use the same version of Warren on both sides",
		one, format, record, other, format2, record2)
}
