package game

// The hash of a board is the exclusive or of one key per piece and square
// (Zobrist 1970). The hash of a state mixes the hash of its board with everything
// else that distinguishes the state.

// pieceKeys is indexed by code | color<<3 and by square. The keys of code 0 are
// zero, so that an empty square does not change a hash.
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

// mix is one step of the generator splitmix64 (Steele, Lea and Flood 2014) from
// the state x. Adding the increment first keeps 0 from being mapped to 0.
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

// positionHash returns the hash of a position as the repetition rule compares it:
// a board, given by its hash, and the side to move.
func positionHash(board uint64, next Color) uint64 {
	if next == Silver {
		return board ^ silverToMove
	}
	return board
}

// Hash returns a 64-bit hash of everything that determines how the game can go
// on: the board, the side to act, the steps left, an unfinished push, a possible
// pull, the board at the start of the turn, and how often each position that can
// still recur has occurred. The order in which they occurred does not matter.
func (g *Game) Hash() uint64 { return mix(g.turnHash() ^ g.seenHash) }

// EvalKey returns a 64-bit hash of everything that an evaluation of the state may
// depend on. It is like [Game.Hash], but of the earlier positions it covers only
// what affects the legal steps, [Game.Repetitions] and [Game.EndRepetitions].
// States with equal keys may share one evaluation of their legal actions. A search
// may search only some of these (mcts.Leaf.Legal), so a cache of priors must have
// the actions in its key, too.
func (g *Game) EvalKey() uint64 {
	return mix(g.turnHash() ^ g.twiceHash ^ uint64(g.repetitions)<<2 ^ uint64(g.EndRepetitions()))
}

func (g *Game) turnHash() uint64 {
	h := positionHash(g.hash, g.side)
	h ^= mix(g.startHash ^ 0x5bd1)
	return h ^ mix(1<<40|uint64(g.left)<<24|uint64(g.context)<<16|uint64(g.hole)<<8|uint64(g.holeCode))
}
