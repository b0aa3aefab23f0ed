package find

import (
	"fmt"

	"warren/game"
	"warren/internal/puzzle"
)

// Set collects puzzles of which no two are alike.
type Set struct {
	Each int // the most of each kind

	puzzles [puzzle.NumKinds][]puzzle.Puzzle
	seen    map[string]bool // positions and answers, as [alike] writes them
}

// Add adds a puzzle, unless the set has enough of its kind or one like it.
func (s *Set) Add(p puzzle.Puzzle) {
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	after := puzzle.End(p.Game(), p.Answer).Board()
	position, answer := alike(p.Board, p.Board, p.Side, ^uint64(0)), p.Kind.String()+alike(p.Board, *after, p.Side, p.Board.Differs(after))
	if len(s.puzzles[p.Kind]) == s.Each || s.seen[position] || s.seen[answer] {
		return
	}
	s.seen[position], s.seen[answer] = true, true
	s.puzzles[p.Kind] = append(s.puzzles[p.Kind], p)
}

// alike writes two boards on some squares. It writes mirror images, and positions with
// the colours exchanged, in the same way.
func alike(before, after game.Board, side game.Color, squares uint64) string {
	var texts []string
	for _, mirrored := range [2]bool{false, true} {
		text := make([]byte, 0, 128)
		for _, b := range [2]game.Board{before, after} {
			for s := range game.Square(64) {
				if squares>>s&1 == 0 {
					b.Remove(s)
				}
			}
			if side == game.Silver {
				b = b.Flip()
			}
			if mirrored {
				b = b.Mirror()
			}
			text = append(text, b.String()...)
		}
		texts = append(texts, string(text))
	}
	return min(texts[0], texts[1])
}

// Counts returns the number of puzzles of each kind.
func (s *Set) Counts() (n [puzzle.NumKinds]int) {
	for k := range s.puzzles {
		n[k] = len(s.puzzles[k])
	}
	return n
}

// Want reports of which kinds the set needs more.
func (s *Set) Want() (want [puzzle.NumKinds]bool) {
	for k, n := range s.Counts() {
		want[k] = n < s.Each
	}
	return want
}

// Full reports whether the set has enough of every kind.
func (s *Set) Full() bool { return s.Want() == [puzzle.NumKinds]bool{} }

// File returns the puzzles with their names.
func (s *Set) File() *puzzle.File {
	f := &puzzle.File{}
	for k := range s.puzzles {
		for i, p := range s.puzzles[k] {
			p.ID = fmt.Sprintf("%v-%03d", puzzle.Kind(k), i+1)
			f.Puzzles = append(f.Puzzles, p)
		}
	}
	return f
}
