package data

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"sync"
	"unsafe"

	"warren/game"
)

// Window is a replay window: the newest games up to a number of positions, where a position is
// a decision that was searched. New means a high game number (equal ones are ordered by hash).
// When a game makes it overflow, whole games leave it, oldest first; only a single game larger
// than the bound stays, so that a window is never emptied by adding to it.
//
// What it holds is therefore a function of the set of records added. The order they were added
// in, and adding one twice, make no difference: a game older than one that has already left is
// refused.
//
// Games are held packed, outside Parquet: see [Window.Bytes]. A Window may be used by several
// goroutines at once.
type Window struct {
	bound  int
	target valueTarget

	mu    sync.Mutex
	games []*packed // ascending by key
	// ends[i] - base is the number of positions in games[:i+1].
	ends []int
	base int
	// gone is the newest game that has left, if any has.
	gone    key
	anyGone bool
	bytes   int
}

// key orders games by age.
type key struct {
	number uint64
	hash   Hash
}

func (k key) compare(l key) int {
	return cmp.Or(cmp.Compare(k.number, l.number), bytes.Compare(k.hash[:], l.hash[:]))
}

// packed is what sampling needs of a record. It is never changed, so samples can be made from
// it without the lock.
type packed struct {
	key     key
	actions []game.Action
	// plies[i] is the index in actions of position i, and searches[offsets[i]:] begins with
	// its search.
	plies    []uint16
	offsets  []uint32
	searches []byte
	result   game.Result
}

func pack(r *Record, k key) *packed {
	n := r.Positions()
	p := &packed{
		key:     k,
		actions: make([]game.Action, len(r.Decisions)),
		plies:   make([]uint16, 0, n),
		offsets: make([]uint32, 0, n),
		result:  r.Result,
	}
	for i := range r.Decisions {
		d := &r.Decisions[i]
		p.actions[i] = d.Action
		if d.Searched() {
			p.plies = append(p.plies, uint16(i))
			p.offsets = append(p.offsets, uint32(len(p.searches)))
			p.searches = appendSearch(p.searches, d)
		}
	}
	p.searches = bytes.Clone(p.searches[:len(p.searches):len(p.searches)])
	return p
}

func (p *packed) size() int {
	return int(unsafe.Sizeof(*p)) + 2*cap(p.actions) + 2*cap(p.plies) + 4*cap(p.offsets) + cap(p.searches)
}

// NewWindow returns an empty window of at most bound positions. How its samples' value targets
// are made is taken from c, nothing else.
func NewWindow(bound int, c Config) *Window {
	return &Window{bound: bound, target: valueTarget{float32(c.RootValueWeight), float32(c.LimitValue)}}
}

// Add puts a record, which must be valid, into the window and reports whether it is there now
// and was not before.
func (w *Window) Add(r *Record) bool {
	n := r.Positions()
	if n == 0 {
		return false
	}
	k := key{r.Game, r.Hash()}
	p := pack(r, k)

	w.mu.Lock()
	defer w.mu.Unlock()
	if w.anyGone && k.compare(w.gone) <= 0 {
		return false
	}
	i, found := slices.BinarySearchFunc(w.games, k, func(p *packed, k key) int { return p.key.compare(k) })
	if found {
		return false
	}
	w.games = slices.Insert(w.games, i, p)
	w.bytes += p.size()
	start := w.base
	if i > 0 {
		start = w.ends[i-1]
	}
	w.ends = slices.Insert(w.ends, i, start)
	for j := i; j < len(w.ends); j++ {
		w.ends[j] += n
	}
	w.evict()
	return !w.anyGone || k.compare(w.gone) > 0
}

// evict lets the oldest games go until the window is within its bound.
func (w *Window) evict() {
	drop := 0
	for ; drop < len(w.games)-1 && w.ends[len(w.ends)-1]-w.base > w.bound; drop++ {
		w.gone, w.anyGone = w.games[drop].key, true
		w.bytes -= w.games[drop].size()
		w.base = w.ends[drop]
		w.games[drop] = nil
	}
	// Reslicing keeps eviction cheap; append moves the rest when it next grows.
	w.games, w.ends = w.games[drop:], w.ends[drop:]
}

// refuses reports whether every game with this number or a lower one would be refused.
func (w *Window) refuses(number uint64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.anyGone && number < w.gone.number
}

// Games returns the number of games in the window.
func (w *Window) Games() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.games)
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

// Bytes returns the memory that the games in the window take.
func (w *Window) Bytes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bytes
}

// at returns the game that position i of the window belongs to, and which of the game's
// positions it is.
func (w *Window) at(i int) (*packed, int) {
	j := sort.SearchInts(w.ends, w.base+i+1)
	start := w.base
	if j > 0 {
		start = w.ends[j-1]
	}
	return w.games[j], w.base + i - start
}
