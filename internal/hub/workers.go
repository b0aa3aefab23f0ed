package hub

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"warren/data"
	"warren/internal/durable"
)

// Activity counts a worker's games since the hub's process started.
type Activity struct {
	Name      string         `json:"name"`
	Games     int            `json:"games"` // accepted
	Repeated  int            `json:"repeated,omitempty"`
	Refused   map[string]int `json:"refused,omitempty"` // by reason
	Replayed  int            `json:"replayed,omitempty"`
	Unchecked int            `json:"unchecked,omitempty"` // drawn for replay, but this machine cannot replay them
	Rate      float64        `json:"rate"`                // recent games per second
	Seen      time.Time      `json:"seen"`

	seats int // the most games of matches that it could play at once
}

// Heard reports whether the hub has heard the worker lately.
func (a *Activity) Heard(now time.Time) bool { return now.Sub(a.Seen) < silence }

// refused returns the number of refused games.
func (a *Activity) refused() (n int) {
	for _, c := range a.Refused {
		n += c
	}
	return n
}

// workers holds the workers that may connect, by the public keys of their accounts.
type workers struct {
	o *Options

	mu     sync.Mutex
	active map[string]*worker
	gone   map[string]bool // accounts of removed workers
}

// worker is a worker that may connect, with its activity.
type worker struct {
	*Credential

	mu      sync.Mutex
	done    Activity
	why     string             // reason of the last refusal
	games   map[data.Hash]bool // refused ones, of which the worker may ask
	limiter *rate.Limiter
	at      time.Time // end of the time that done.Rate covers
	since   int       // games accepted since then

	began           time.Time // of the stretch of time that lately counts
	lately, earlier int       // games accepted in this stretch and in the one before it
}

func newWorkers(o *Options) *workers {
	return &workers{o: o, active: map[string]*worker{}, gone: map[string]bool{}}
}

// of returns the worker with an account, or nil if there is none.
func (w *workers) of(account string) *worker {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.active[account]
}

// removed reports whether an account is that of a worker that has been removed.
func (w *workers) removed(account string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.gone[account]
}

// update replaces the workers with those of the list that have not been removed. It returns those that are cut off by
// that, and the others of which the server may not know: those that were added, and, the first time, those that an
// earlier process removed.
func (w *workers) update(list []*Credential) (cutOff, others []*Credential) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*Credential
	for _, c := range list {
		for _, account := range c.Former {
			all = append(all, &Credential{Name: c.Name, Account: account, Removed: &c.Added})
		}
		all = append(all, c)
	}
	listed := map[string]bool{}
	for _, c := range all {
		listed[c.Account] = true
		switch {
		case c.Removed == nil && w.active[c.Account] == nil:
			w.active[c.Account] = &worker{
				Credential: c, done: Activity{Name: c.Name},
				limiter: rate.NewLimiter(rate.Limit(w.o.rate), most),
			}
			others = append(others, c)
		case c.Removed == nil:
		case w.active[c.Account] != nil:
			delete(w.active, c.Account)
			cutOff = append(cutOff, c)
		case !w.gone[c.Account]:
			others = append(others, c)
		}
		w.gone[c.Account] = c.Removed != nil
	}
	for account, x := range w.active {
		if !listed[account] { // its file has been deleted
			now := time.Now()
			deleted := *x.Credential
			deleted.Removed = &now
			delete(w.active, account)
			cutOff = append(cutOff, &deleted)
		}
	}
	return cutOff, others
}

// activities returns the activities of the workers, sorted by name.
func (w *workers) activities() []Activity {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []Activity
	for _, x := range w.active {
		list = append(list, x.activity(time.Now()))
	}
	slices.SortFunc(list, func(a, b Activity) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// activity returns the worker's activity. Its rate falls while no further game comes: it is at most
// what it would be if one came now.
func (w *worker) activity(now time.Time) Activity {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.done
	a.Refused = maps.Clone(a.Refused)
	if past := now.Sub(w.at).Seconds(); past > 0 {
		a.Rate = min(a.Rate, float64(w.since+1)/past)
	}
	return a
}

const activityFile = "activity.json"

// write writes the activities to the hub's directory, for other processes to read.
func (w *workers) write(dir string) error {
	content, err := json.MarshalIndent(w.activities(), "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteBytes(filepath.Join(dir, activityFile), content)
}

// Activities returns the activities of the workers as the hub's process last wrote them.
func (k *Keys) Activities() ([]Activity, error) {
	var list []Activity
	err := durable.ReadJSON(filepath.Join(k.dir, activityFile), &list)
	if os.IsNotExist(err) {
		return nil, nil
	}
	return list, err
}

// silent reports whether a worker has not been heard for a while.
func (w *workers) silent(account string) bool {
	x := w.of(account)
	if x == nil {
		return true
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return time.Since(x.done.Seen) > silence
}

// seen records that the worker is alive and has so many free seats. It returns the refusals to report to the worker.
func (w *worker) seen(now time.Time, seats int) (refused int, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done.Seen = now
	w.done.seats = max(w.done.seats, min(seats, mostSeats))
	return w.done.refused(), w.why
}

// accept counts an accepted game.
func (w *worker) accept(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done.Games++
	w.since++
	w.stretch(now)
	w.lately++
	if past := now.Sub(w.at); past > 10*time.Second {
		if !w.at.IsZero() {
			w.done.Rate = float64(w.since) / past.Seconds()
		}
		w.at, w.since = now, 0
	}
}

func (w *worker) repeat() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done.Repeated++
}

// blamed are the refusals that count towards the removal of a worker. No state of the hub can cause them: neither a
// damaged list nor one from a backup, nor games that were moved elsewhere, nor an upgrade.
var blamed = []string{"damaged", "against the rules", "impossible", "malformed request", "match against the rules"}

// refuse counts a refusal. It reports whether there are too many to be an accident.
func (w *worker) refuse(reason string) (tooMuch bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done.Refused == nil {
		w.done.Refused = map[string]int{}
	}
	w.done.Refused[reason]++
	w.why = reason
	n := 0
	for _, kind := range blamed {
		n += w.done.Refused[kind]
	}
	return n > refusals+w.done.Games/20
}

// recordRefused records that a game was refused, which the worker is told when it asks after it.
func (w *worker) recordRefused(h data.Hash) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.games == nil || len(w.games) >= mostSpooled { // the worker sends an older one again, and asks again
		w.games = map[data.Hash]bool{}
	}
	w.games[h] = true
}

func (w *worker) hasRefused(h data.Hash) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.games[h]
}

// refusals is the number of refusals for which a worker is to blame, on top of a twentieth of its games that were
// accepted, after which it is removed.
const refusals = 100

// replayed counts a game that was replayed, or that could not be.
func (w *worker) replayed(checked bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if checked {
		w.done.Replayed++
	} else {
		w.done.Unchecked++
	}
}

// stretch begins another stretch of time when the last one is over. The caller holds the lock.
func (w *worker) stretch(now time.Time) {
	past := now.Sub(w.began)
	if past < patient {
		return
	}
	w.began, w.earlier, w.lately = now, w.lately, 0
	if past >= 2*patient {
		w.earlier = 0
	}
}

// share returns how many numbers the worker may hold at once. They last for half a minute, so a
// worker that takes numbers and does not play leaves most of them to others.
func (w *worker) share() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return min(64+int(30*w.done.Rate), most)
}

// slowShare returns how many numbers the worker may hold if its games take longer: as many as it has brought
// of late, if that leaves to others half of those that there are, room. A negative room means no limit.
func (w *worker) slowShare(now time.Time, room int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stretch(now)
	share := 64 + w.lately + w.earlier
	if room >= 0 {
		share = min(share, room/2)
	}
	return share
}

// allowance returns how many numbers the worker may take now under its rate limit.
func (w *worker) allowance(now time.Time) int { return int(w.limiter.TokensAt(now)) }

// granted counts numbers given to the worker towards its rate limit.
func (w *worker) granted(count int) { w.limiter.AllowN(time.Now(), count) }
