package game

import "math/bits"

// MaxLegal bounds the legal actions of a state: sixteen pieces of either side,
// in four directions, and Pass.
const MaxLegal = 4*32 + 1

// Legal appends the legal actions to buf, in a fixed order, and returns it.
// Every action can be completed into a legal turn: one that changes the board
// and repeats no position for the third time. There is none only when the game
// is over; there are never more than 129.
func (g *Game) Legal(buf []Action) []Action {
	if g.result.Over() {
		return buf
	}
	if g.placed < setupPieces {
		return g.placements(buf)
	}
	return g.steps(buf)
}

// steps is Legal for a state of play, whatever its result.
func (g *Game) steps(buf []Action) []Action {
	first := len(buf)
	buf = g.pseudoSteps(buf)
	if g.twiceLen > g.twiceFrom {
		return g.keep(buf, first, ^uint64(0))
	}
	// Without repetitions at stake a turn can only fail by restoring the board
	// it began with, which takes two steps or four (each moves one piece to a
	// square of the other shade) and no capture. After two the first step can
	// be made again; so only the fourth step, or a push begun on the third, can
	// lead to a dead end, and it must move within the squares still changed.
	changed := g.Changed()
	switch n := bits.OnesCount64(changed); {
	case g.left == 1 && n == 2, g.left == 2 && n == 3 && g.context != pushing:
		return g.keep(buf, first, changed)
	}
	return buf
}

// keep drops those actions of buf[first:] that cannot be completed into a
// legal turn. Only steps from and to squares of within are in doubt.
func (g *Game) keep(buf []Action, first int, within uint64) []Action {
	kept := buf[:first]
	for _, a := range buf[first:] {
		doubtful := a != Pass && within>>a.From()&1 != 0 && within>>a.To()&1 != 0
		if !doubtful || g.completable(a) {
			kept = append(kept, a)
		}
	}
	return kept
}

// completable reports whether some legal turn goes on with the step a.
func (g *Game) completable(a Action) bool {
	mark := g.position
	g.step(a)
	ok := g.canFinishTurn()
	g.position = mark
	return ok
}

// canFinishTurn reports whether the turn may end here or after more steps.
func (g *Game) canFinishTurn() bool {
	if g.mayEnd() {
		return true
	}
	if g.left == 0 {
		return false
	}
	var buf [MaxLegal]Action
	for _, a := range g.pseudoSteps(buf[:0]) {
		if a != Pass && g.completable(a) {
			return true
		}
	}
	return false
}

// mayEnd reports whether the turn may end with the board as it is: a step has
// been made, no push is unfinished, the board has changed, and the position
// would not occur for the third time.
func (g *Game) mayEnd() bool {
	return g.left < stepsPerTurn && g.context != pushing && g.board != g.start && !g.thirdTime()
}

// thirdTime reports whether ending the turn now would produce a position for
// the third time.
func (g *Game) thirdTime() bool {
	h := positionHash(g.hash, g.side.Other())
	for _, seen := range g.twice[g.twiceFrom:g.twiceLen] {
		if seen == h {
			return true
		}
	}
	return false
}

// pseudoSteps appends the steps that obey the rules of movement, and Pass
// where the turn may end, without asking whether the turn can be completed.
//
// A frozen piece neither steps nor pushes, but freezes others all the same. A
// push needs a second step, so none begins on the last; any stronger piece
// that is not frozen may finish it. A rabbit steps backward only when it is
// pushed or pulled.
func (g *Game) pseudoSteps(buf []Action) []Action {
	own := g.board.Color(g.side)
	occupied := g.board.Occupied()
	enemy := occupied &^ own
	mobile := own &^ g.board.frozen(own, enemy)

	if g.context == pushing {
		pushers := g.board.atLeast(mobile, g.holeCode+1)
		for d := North; d <= West; d++ {
			buf = appendSteps(buf, movable(pushers, 1<<g.hole, d), d)
		}
		return buf
	}

	var pushable, pullable, hole uint64
	if g.left > 1 {
		pushable = g.board.nextToStronger(enemy, mobile)
	}
	if g.context == pulling {
		hole = 1 << g.hole
		pullable = g.Pullable()
	}
	forward := mobile
	backward := mobile &^ g.board.rabbits()
	if g.side == Silver {
		forward, backward = backward, forward
	}
	empty := ^occupied
	buf = appendSteps(buf, movable(forward|pushable, empty, North)|movable(pullable, hole, North), North)
	buf = appendSteps(buf, movable(mobile|pushable, empty, East)|movable(pullable, hole, East), East)
	buf = appendSteps(buf, movable(backward|pushable, empty, South)|movable(pullable, hole, South), South)
	buf = appendSteps(buf, movable(mobile|pushable, empty, West)|movable(pullable, hole, West), West)
	if g.mayEnd() {
		buf = append(buf, Pass)
	}
	return buf
}

func appendSteps(buf []Action, from uint64, d Direction) []Action {
	for ; from != 0; from &= from - 1 {
		buf = append(buf, StepAction(Square(bits.TrailingZeros64(from)), d))
	}
	return buf
}

// canMove reports whether the side to move has any step at the start of a turn.
func (g *Game) canMove() bool {
	own := g.board.Color(g.side)
	occupied := g.board.Occupied()
	enemy := occupied &^ own
	mobile := own &^ g.board.frozen(own, enemy)
	if Neighbors(mobile&^g.board.rabbits())&^occupied != 0 {
		return true
	}
	var buf [MaxLegal]Action
	return len(g.pseudoSteps(buf[:0])) > 0
}
