package replay

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"sync"

	"warren/data"
)

// Window is a replay window. It holds the newest games up to a number of positions, where a position
// is a decision to train on. A game is newer if its arrival number is higher. Games with the same
// arrival number are ordered by game number, then by hash. When the window overflows, whole games
// leave it, the oldest first. A single game that is larger than the bound stays, so adding a game
// never empties a window.
//
// The content depends only on the set of records and arrival numbers added, not on the order of the
// calls: a game that is older than one that has left is refused. A record that is added several times
// counts once, with its highest arrival number.
//
// Games are held packed, outside Parquet. Several goroutines may use a Window at once.
type Window struct {
	target          valueTarget
	policyShare     float64
	policyPositions int
	bound           int

	mu    sync.Mutex
	games []*packed         // ascending by key, unless filling is set
	held  map[data.Hash]key // of games
	// ends[i] - base is the number of positions in games[:i+1].
	ends []int
	base int
	// gone is the key of the newest game that has left, if any has.
	gone    key
	anyGone bool
	changes int  // of games
	filling bool // see fill

	sums      setupSums    // over games
	setups    *setupPolicy // by sums, once they are needed
	setupsFor int          // the changes that setups are for
	teacher   *Window      // whose setups are the policy target here, too; nil for this window itself
}

// key orders games from old to new.
type key struct {
	arrival uint64
	number  uint64
	hash    data.Hash
}

func (k key) compare(l key) int {
	return cmp.Or(cmp.Compare(k.arrival, l.arrival), cmp.Compare(k.number, l.number), bytes.Compare(k.hash[:], l.hash[:]))
}

// NewWindow returns an empty window of at most bound positions. c configures the value targets and the
// sampling.
func NewWindow(bound int, c Config) *Window {
	return &Window{
		target:          newValueTarget(c),
		policyShare:     c.PolicyShare,
		policyPositions: c.PolicyWindow,
		bound:           bound,
		held:            map[data.Hash]key{},
	}
}

// Add adds a record, which must be valid. It reports whether the record is in the window now and was
// not before.
func (w *Window) Add(arrival uint64, r *data.Record) bool {
	k := key{arrival, r.Game, r.Hash()}
	p := pack(r, k, w.target)
	if len(p.plies) == 0 {
		return false
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	if w.anyGone && k.compare(w.gone) <= 0 {
		return false
	}
	before, again := w.held[k.hash]
	if again && before.compare(k) >= 0 {
		return false
	}
	if again {
		w.remove(before)
	}
	w.insert(p)
	w.evict()
	return !again && (!w.anyGone || k.compare(w.gone) > 0)
}

// find returns the index in games of the game with this key, or the index at which it belongs.
func (w *Window) find(k key) int {
	i, _ := slices.BinarySearchFunc(w.games, k, func(p *packed, k key) int { return p.key.compare(k) })
	return i
}

func (w *Window) insert(p *packed) {
	w.changes++
	w.sums.add(p, 1)
	i := len(w.games)
	if !w.filling {
		i = w.find(p.key)
	}
	w.games = slices.Insert(w.games, i, p)
	w.held[p.key.hash] = p.key
	start := w.base
	if i > 0 {
		start = w.ends[i-1]
	}
	w.ends = slices.Insert(w.ends, i, start)
	for j := i; j < len(w.ends); j++ {
		w.ends[j] += len(p.plies)
	}
}

// remove removes a game that is in the window.
func (w *Window) remove(k key) {
	w.changes++
	if w.filling {
		w.sort()
	}
	i := w.find(k)
	p := w.games[i]
	w.sums.add(p, -1)
	w.games = slices.Delete(w.games, i, i+1)
	delete(w.held, k.hash)
	w.ends = slices.Delete(w.ends, i, i+1)
	for j := i; j < len(w.ends); j++ {
		w.ends[j] -= len(p.plies)
	}
}

// evict drops the oldest games until the window is within its bound.
func (w *Window) evict() {
	over := w.positions() - w.bound
	if over <= 0 || w.filling && w.anyGone && over <= w.bound/16 { // it does not sort for every game
		return
	}
	if w.filling {
		w.sort()
	}
	drop := 0
	for ; drop < len(w.games)-1 && w.ends[len(w.ends)-1]-w.base > w.bound; drop++ {
		w.gone, w.anyGone = w.games[drop].key, true
		w.sums.add(w.games[drop], -1)
		delete(w.held, w.gone.hash)
		w.base = w.ends[drop]
		w.games[drop] = nil
	}
	// Reslicing is cheap, and append drops the unused part when it next grows the slice.
	w.games, w.ends = w.games[drop:], w.ends[drop:]
}

// fill prepares the window for many games, the newest first, which would otherwise move all games there are whenever
// one is inserted before them. Until settle is called, games are in the order in which they came, and once some have
// left, the window may exceed its bound by a sixteenth.
func (w *Window) fill() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.filling = true
}

// settle ends what fill began: the window is as if every game had been inserted in its place.
func (w *Window) settle() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sort()
	w.filling = false
	w.evict()
}

// sort brings the games into their order.
func (w *Window) sort() {
	slices.SortFunc(w.games, func(a, b *packed) int { return a.key.compare(b.key) })
	end := w.base
	for i, p := range w.games {
		end += len(p.plies)
		w.ends[i] = end
	}
}

// setupPolicy returns the policy of setups by the games of the window.
func (w *Window) setupPolicy() *setupPolicy {
	if w.setups == nil || w.setupsFor != w.changes {
		w.setups, w.setupsFor = newSetupPolicy(w.sums.worth()), w.changes
	}
	return w.setups
}

// taught returns the policy of setups by the games of another window, which teaches it, or nil.
func (w *Window) taught() *setupPolicy {
	if w.teacher == nil {
		return nil
	}
	w.teacher.mu.Lock()
	defer w.teacher.mu.Unlock()
	return w.teacher.setupPolicy()
}

// refuses reports whether the window refuses every game with this arrival number and game number,
// and therefore all older games.
func (w *Window) refuses(arrival, number uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.anyGone && cmp.Or(cmp.Compare(arrival, w.gone.arrival), cmp.Compare(number, w.gone.number)) < 0
}

// Games returns the number of games in the window.
func (w *Window) Games() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.games)
}

// Changes returns a number that grows whenever games enter or leave the window.
func (w *Window) Changes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changes
}

// Positions returns the number of positions in the window.
func (w *Window) Positions() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.positions()
}

func (w *Window) positions() int {
	if len(w.ends) == 0 {
		return 0
	}
	return w.ends[len(w.ends)-1] - w.base
}

// at returns the game that position i of the window belongs to, and the index of the position
// among those of the game.
func (w *Window) at(i int) (*packed, int) {
	j := sort.SearchInts(w.ends, w.base+i+1)
	start := w.base
	if j > 0 {
		start = w.ends[j-1]
	}
	return w.games[j], w.base + i - start
}
