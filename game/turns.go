package game

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// DistinctTurns returns the boards on which the turn may end, in no particular
// order. Each board is returned once, even if several orders of steps lead to
// it. The board at the start of the turn is never returned, because a turn must
// change the board. Repetition and the end of the game are not considered. In
// the middle of a turn, DistinctTurns searches only the remaining steps, and
// includes the current board if the turn may end there. During the setup it
// returns nil.
//
// The search is breadth-first and visits each intermediate state once, with the
// most steps left: everything that the state leads to with fewer steps left, it
// leads to with more.
func (g *Game) DistinctTurns() []Board {
	if g.InSetup() {
		return nil
	}
	var (
		play   = Game{position: g.position}
		states hashSet[turnState]
		ends   hashSet[Board]
		buf    [MaxLegal]Action
	)
	// Forget the repeated positions, so that only restoring the start of the turn
	// is forbidden.
	play.twiceFrom, play.twiceLen = 0, 0

	states.add(play.turnState(), play.hash)
	first := 0
	for left := g.left; left > 0; left-- {
		last := len(states.items)
		for ; first < last; first++ {
			state := states.items[first]
			play.setTurnState(&state, left)
			for _, a := range play.pseudoSteps(buf[:0]) {
				if a == Pass {
					ends.add(state.board, state.hash)
					continue
				}
				play.setTurnState(&state, left)
				play.step(a)
				switch {
				case left > 1:
					states.add(play.turnState(), play.hash)
				case play.board != play.start:
					ends.add(play.board, play.hash)
				}
			}
		}
	}
	return ends.items
}

// DigestBoards returns the SHA-256 of the texts of the boards ([Board.String]),
// sorted, each followed by a newline. For no boards it is the SHA-256 of the
// empty string. Two programs that find the same set of boards compute the same
// digest.
func DigestBoards(boards []Board) [sha256.Size]byte {
	const line = 65
	text := make([]byte, 0, line*len(boards))
	lines := make([][]byte, len(boards))
	for i := range boards {
		text = append(boards[i].appendText(text, '.'), '\n')
		lines[i] = text[i*line : (i+1)*line]
	}
	slices.SortFunc(lines, bytes.Compare)
	digest := sha256.New()
	for _, l := range lines {
		digest.Write(l)
	}
	return [sha256.Size]byte(digest.Sum(nil))
}

// turnState is everything that the rest of a turn depends on, except the number
// of steps left.
type turnState struct {
	board    Board
	hash     uint64
	context  uint8
	hole     Square
	holeCode uint8
}

func (g *Game) turnState() turnState {
	return turnState{g.board, g.hash, g.context, g.hole, g.holeCode}
}

func (g *Game) setTurnState(s *turnState, left uint8) {
	g.board, g.hash, g.left = s.board, s.hash, left
	g.setContext(s.context, s.hole, s.holeCode)
}

// hashSet is a set of values with 64-bit hashes. It keeps the values in the order
// in which they were added, and finds them by an open-addressing table of indices.
type hashSet[T comparable] struct {
	items  []T
	hashes []uint64
	table  []uint32 // index into items plus one; 0 is free
}

// add adds v unless the set already contains it.
func (s *hashSet[T]) add(v T, hash uint64) {
	if 2*len(s.items) >= len(s.table) {
		s.grow()
	}
	mask := uint64(len(s.table) - 1)
	i := hash & mask
	for ; s.table[i] != 0; i = (i + 1) & mask {
		if n := s.table[i] - 1; s.hashes[n] == hash && s.items[n] == v {
			return
		}
	}
	s.items, s.hashes = append(s.items, v), append(s.hashes, hash)
	s.table[i] = uint32(len(s.items))
}

func (s *hashSet[T]) grow() {
	s.table = make([]uint32, max(1024, 4*len(s.table)))
	mask := uint64(len(s.table) - 1)
	for n, hash := range s.hashes {
		i := hash & mask
		for s.table[i] != 0 {
			i = (i + 1) & mask
		}
		s.table[i] = uint32(n + 1)
	}
}
