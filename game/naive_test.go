package game

import (
	"slices"
	"strings"
)

// mailbox is a second, independent implementation of the rules: slow and obvious,
// on an array of letters. It shares only the numbering of squares and actions with
// the bitboards. It searches for the completion of a turn without any shortcut.
type mailbox struct {
	squares, start [64]byte // letters as in notation; 0 is empty
	side           Color
	left           int
	// hole is the square that the last step left, or -1. Either owed is the piece
	// that was pushed out of it, or puller is the piece that stepped out of it.
	hole         int
	owed, puller byte
	// seen counts the positions at the starts of turns, by board and side.
	seen map[string]int
}

func newMailbox(b *Board, side Color) *mailbox {
	m := &mailbox{side: side, seen: map[string]int{}}
	for s := range m.squares {
		if c, k, ok := b.At(Square(s)); ok {
			m.squares[s] = PieceLetter(c, k)
		}
	}
	m.beginTurn()
	return m
}

func (m *mailbox) key(side Color) string { return string(m.squares[:]) + side.String() }

func (m *mailbox) beginTurn() {
	m.start, m.left = m.squares, 4
	m.hole, m.owed, m.puller = -1, 0, 0
	m.seen[m.key(m.side)]++
}

// belongs reports whether letter is a piece of c.
func belongs(letter byte, c Color) bool {
	return letter != 0 && (letter >= 'a') == (c == Silver)
}

// strength returns 0 for a rabbit to 5 for an elephant.
func strength(letter byte) int {
	return strings.IndexByte("rcdhme", letter|0x20)
}

// adjacent returns the squares next to s by direction, or -1 for off the board.
func adjacent(s int) [4]int {
	next := [4]int{-1, -1, -1, -1}
	file, rank := s%8, s/8
	if rank < 7 {
		next[North] = s + 8
	}
	if file < 7 {
		next[East] = s + 1
	}
	if rank > 0 {
		next[South] = s - 8
	}
	if file > 0 {
		next[West] = s - 1
	}
	return next
}

// nextTo reports whether is holds for any piece next to s.
func (m *mailbox) nextTo(s int, is func(at int, letter byte) bool) bool {
	for _, n := range adjacent(s) {
		if n >= 0 && m.squares[n] != 0 && is(n, m.squares[n]) {
			return true
		}
	}
	return false
}

func (m *mailbox) frozen(s int) bool {
	letter := m.squares[s]
	own := Gold
	if belongs(letter, Silver) {
		own = Silver
	}
	friend := m.nextTo(s, func(_ int, l byte) bool { return belongs(l, own) })
	threat := m.nextTo(s, func(_ int, l byte) bool { return belongs(l, own.Other()) && strength(l) > strength(letter) })
	return threat && !friend
}

// steps returns the steps that obey the rules of movement.
func (m *mailbox) steps() (steps []Action) {
	for s, letter := range m.squares {
		if letter == 0 {
			continue
		}
		for d, to := range adjacent(s) {
			if to < 0 || m.squares[to] != 0 {
				continue
			}
			ok := false
			switch {
			case belongs(letter, m.side) && m.owed != 0:
				ok = to == m.hole && strength(letter) > strength(m.owed) && !m.frozen(s)
			case belongs(letter, m.side):
				backward := letter == 'R' && Direction(d) == South || letter == 'r' && Direction(d) == North
				ok = !backward && !m.frozen(s)
			case m.owed != 0:
			default:
				pull := m.puller != 0 && to == m.hole && strength(m.puller) > strength(letter)
				push := m.left > 1 && m.nextTo(s, func(at int, l byte) bool {
					return belongs(l, m.side) && strength(l) > strength(letter) && !m.frozen(at)
				})
				ok = pull || push
			}
			if ok {
				steps = append(steps, StepAction(Square(s), Direction(d)))
			}
		}
	}
	return steps
}

// step makes a step and the captures it causes.
func (m *mailbox) step(a Action) {
	from, to := int(a.From()), adjacent(int(a.From()))[a.Direction()]
	letter := m.squares[from]
	m.squares[from], m.squares[to] = 0, letter
	hole, owed, puller := m.hole, m.owed, m.puller
	m.hole, m.owed, m.puller = -1, 0, 0
	switch own := belongs(letter, m.side); {
	case own && owed == 0:
		m.hole, m.puller = from, letter
	case !own && !(puller != 0 && to == hole && strength(puller) > strength(letter)):
		m.hole, m.owed = from, letter
	}
	m.left--
	for _, trap := range []int{18, 21, 42, 45} {
		piece := m.squares[trap]
		if piece != 0 && !m.nextTo(trap, func(_ int, l byte) bool { return belongs(l, Gold) == belongs(piece, Gold) }) {
			m.squares[trap] = 0
		}
	}
}

// mayEnd reports whether the turn may end now.
func (m *mailbox) mayEnd() bool {
	return m.left < 4 && m.owed == 0 && m.squares != m.start && m.seen[m.key(m.side.Other())] < 2
}

// completes reports whether the turn may end now or after more steps.
func (m *mailbox) completes() bool {
	if m.mayEnd() {
		return true
	}
	if m.left == 0 {
		return false
	}
	for _, a := range m.steps() {
		next := *m
		next.step(a)
		if next.completes() {
			return true
		}
	}
	return false
}

// legal returns the legal actions in increasing order.
func (m *mailbox) legal() (actions []Action) {
	if m.result().Over() {
		return nil
	}
	for _, a := range m.steps() {
		next := *m
		next.step(a)
		if next.completes() {
			actions = append(actions, a)
		}
	}
	if m.mayEnd() {
		actions = append(actions, Pass)
	}
	slices.Sort(actions)
	return actions
}

func (m *mailbox) play(a Action) {
	if a != Pass {
		m.step(a)
	}
	if a == Pass || m.left == 0 {
		m.side = m.side.Other()
		m.beginTurn()
	}
}

// result judges the position at the start of a turn. In the middle of a turn the
// game has not ended.
func (m *mailbox) result() Result {
	if m.left < 4 {
		return Result{}
	}
	mover := m.side.Other()
	rabbits := func(c Color) (all, home string) {
		letter, goal := PieceLetter(c, Rabbit), m.squares[56:]
		if c == Silver {
			goal = m.squares[:8]
		}
		is := func(r rune) rune {
			if r == rune(letter) {
				return r
			}
			return -1
		}
		return strings.Map(is, string(m.squares[:])), strings.Map(is, string(goal))
	}
	moverAll, moverHome := rabbits(mover)
	sideAll, sideHome := rabbits(m.side)
	switch {
	case moverHome != "":
		return Result{mover, Goal}
	case sideHome != "":
		return Result{m.side, Goal}
	case sideAll == "":
		return Result{mover, Elimination}
	case moverAll == "":
		return Result{m.side, Elimination}
	case len(m.steps()) == 0:
		return Result{mover, Immobilization}
	case !m.completes():
		return Result{mover, Repetition}
	}
	return Result{}
}
