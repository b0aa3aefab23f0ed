package alphabeta

import (
	"math/bits"

	"warren/game"
)

// bound is the relation of a stored score to the true score.
type bound uint8

const (
	noBound bound = iota
	upper         // the true score is at most this
	lower         // the true score is at least this
	exact
)

// proved is the depth of a score that no deeper search can change.
const proved = 127

// entry holds the search result for a position in 16 bytes.
type entry struct {
	key   uint64
	best  game.Action
	score int16
	age   uint16
	depth int8
	bound bound
}

// transpositions is the transposition table. Each bucket holds four entries in
// one cache line. Entries of earlier turns count as empty, so that a turn never
// depends on earlier searches.
type transpositions struct {
	buckets [][4]entry
	age     uint16
}

// newTranspositions returns a table with as many buckets as fit in the given
// number of megabytes, rounded down to a power of two.
func newTranspositions(megabytes int) transpositions {
	return transpositions{buckets: make([][4]entry, bucketsIn(megabytes, bits.UintSize))}
}

// bucketsIn returns the number of buckets of a table on a machine whose addresses
// have the given number of bits. With 32 of them a table has at most 512 MB, because
// a larger one leaves too little of the address space.
func bucketsIn(megabytes, addressBits int) int {
	if addressBits == 32 {
		megabytes = min(megabytes, 512)
	}
	const perMegabyte = 1 << 20 / 64
	return perMegabyte << (bits.Len(uint(max(megabytes, 1))) - 1)
}

// clear empties the table.
func (t *transpositions) clear() {
	t.age++
	if t.age == 0 {
		clear(t.buckets)
		t.age = 1
	}
}

func (t *transpositions) bucket(key uint64) *[4]entry {
	return &t.buckets[key&uint64(len(t.buckets)-1)]
}

// get returns the entry of the position with the given key.
func (t *transpositions) get(key uint64) (entry, bool) {
	for _, e := range t.bucket(key) {
		if e.key == key && e.age == t.age {
			return e, true
		}
	}
	return entry{}, false
}

// put stores e. It replaces the entry of the same position, or else one of an
// earlier turn, or else the shallowest entry of the bucket.
func (t *transpositions) put(e entry) {
	e.age = t.age
	b := t.bucket(e.key)
	worst := 0
	for i := range b {
		if b[i].age != t.age {
			worst = i
			break
		}
		if b[i].key == e.key {
			if e.best == noAction {
				e.best = b[i].best
			}
			worst = i
			break
		}
		if b[i].depth < b[worst].depth {
			worst = i
		}
	}
	b[worst] = e
}

// newEntry returns an entry. The distance of a win or a loss is stored relative
// to the entry's position, which may also be reached at other plies.
func newEntry(key uint64, best game.Action, score int32, ply, depth int, b bound) entry {
	switch {
	case score > win-maxPly:
		score += int32(ply)
	case score < maxPly-win:
		score -= int32(ply)
	}
	return entry{key: key, best: best, score: int16(score), depth: int8(max(depth, 0)), bound: b}
}

// scoreAt returns the score relative to the root, for a position at ply.
func (e *entry) scoreAt(ply int) int32 {
	switch score := int32(e.score); {
	case score > win-maxPly:
		return score - int32(ply)
	case score < maxPly-win:
		return score + int32(ply)
	default:
		return score
	}
}

// decides reports whether the entry, with the given score, decides a search
// between alpha and beta.
func (e *entry) decides(score, alpha, beta int32) bool {
	return e.bound&lower != 0 && score >= beta || e.bound&upper != 0 && score <= alpha
}
