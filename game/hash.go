package game

// The hash of a board is the exclusive or of one key for each piece on its
// square (Zobrist 1970); hashes of larger things mix that with what else
// distinguishes them.

// pieceKeys is indexed by code | color<<3 and square; the keys of code 0 are
// zero, so that an empty square adds nothing.
var pieceKeys = func() (keys [16][64]uint64) {
	for p := range keys {
		for s := range keys[p] {
			if p&7 != 0 {
				keys[p][s] = mix(uint64(p)<<6 | uint64(s))
			}
		}
	}
	return keys
}()

const silverToMove = 0x9a1f_65d3_0c2b_e847

// mix is the finalizer of splitmix64 (Steele, Lea and Flood 2014), over a
// stream that starts away from zero.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (b *Board) hash() (h uint64) {
	for s := Square(0); s < 64; s++ {
		h ^= pieceKeys[b.pieceAt(s)][s]
	}
	return h
}

// pieceAt returns the piece's index in pieceKeys.
func (b *Board) pieceAt(s Square) uint8 {
	return b.codeAt(s) | uint8(b.silver>>s&1)<<3
}

// positionHash identifies what the repetition rule compares: a board and the
// side that is to move on it.
func positionHash(board uint64, next Color) uint64 {
	if next == Silver {
		return board ^ silverToMove
	}
	return board
}

// Hash returns a 64-bit hash of everything that makes two states differ in
// what can still happen: board, side, steps left, unfinished push, possible
// pull, the turn's start, and how often each position that can still recur has
// occurred. It does not depend on the order in which those occurred.
func (g *Game) Hash() uint64 { return mix(g.turnHash() ^ g.seenHash) }

// EvalKey returns a 64-bit hash of all that a position's evaluation may depend
// on: as [Game.Hash], but of earlier positions only those count that bear on
// the legal steps, on [Game.Repetitions] or on [Game.EndRepetitions]. States
// with equal keys may share one evaluation.
func (g *Game) EvalKey() uint64 {
	return mix(g.turnHash() ^ g.twiceHash ^ uint64(g.repetitions)<<2 ^ uint64(g.EndRepetitions()))
}

func (g *Game) turnHash() uint64 {
	h := positionHash(g.hash, g.side)
	h ^= mix(g.startHash ^ 0x5bd1)
	return h ^ mix(1<<40|uint64(g.left)<<24|uint64(g.context)<<16|uint64(g.hole)<<8|uint64(g.holeCode))
}
