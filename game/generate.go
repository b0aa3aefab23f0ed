package game

import "math/bits"

// MaxLegal is an upper bound on the number of legal actions of a state: 32 pieces
// in four directions, and Pass.
const MaxLegal = 4*32 + 1

// Legal appends the legal actions to buf, in a fixed order, and returns the
// extended slice. Each action can be completed into a legal turn: one that
// changes the board and repeats no position for the third time. There are at
// most 129 legal actions, and there are none only if the game is over.
func (g *Game) Legal(buf []Action) []Action {
	if g.result.Over() {
		return buf
	}
	if g.placed < Placements {
		return g.placements(buf)
	}
	return g.steps(buf)
}

// steps is like Legal, but ignores the setup and the result of the game.
func (g *Game) steps(buf []Action) []Action {
	first := len(buf)
	buf = g.pseudoSteps(buf)
	if g.twiceLen > g.twiceFrom {
		return g.keep(buf, first, ^uint64(0))
	}
	// If no position has been repeated, a turn is illegal only if it restores the
	// board that it began with. That takes two steps or four, because each step
	// moves a piece to a square of the other shade, and no capture. A turn that
	// restores the board after two steps can continue by making the first step again.
	// Hence only the fourth step, or a push begun with the third, can lead to a
	// dead end, and only if it moves within the squares that are still changed.
	changed := g.Changed()
	switch n := bits.OnesCount64(changed); {
	case g.left == 1 && n == 2, g.left == 2 && n == 3 && g.context != pushing:
		return g.keep(buf, first, changed)
	}
	return buf
}

// keep removes from buf[first:] the actions that cannot be completed into a legal
// turn. It tests only steps whose two squares both lie in within.
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

// completable reports whether the turn can be completed legally after the step a.
func (g *Game) completable(a Action) bool {
	mark := g.position
	g.step(a)
	ok := g.canFinishTurn()
	g.position = mark
	return ok
}

// canFinishTurn reports whether the turn may end now or after more steps.
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

// mayEnd reports whether the turn may end now: a step has been made, no push is
// unfinished, the board has changed, and the position would not occur for the
// third time.
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

// pseudoSteps appends to buf the steps that obey the rules of movement, and Pass
// if the turn may end now. It does not check whether the turn can be completed.
//
// A frozen piece can neither step nor push, but it still freezes other pieces. A
// push takes two steps, so it cannot begin with the last step of a turn. Any
// stronger piece that is not frozen may finish it. A rabbit moves backward only
// when it is pushed or pulled.
func (g *Game) pseudoSteps(buf []Action) []Action {
	own := g.board.Color(g.side)
	occupied := g.board.Occupied()
	enemy := occupied &^ own
	mobile := own &^ g.board.frozen(own, enemy)

	if g.context == pushing {
		pushers := mobile & g.board.Stronger(Kind(g.holeCode-1))
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

// canMove reports whether the side to move has any step. It is called at the
// start of a turn.
func (g *Game) canMove() bool {
	own := g.board.Color(g.side)
	warm := own & Neighbors(own) // not frozen
	if Neighbors(warm&^g.board.rabbits())&^g.board.Occupied() != 0 {
		return true
	}
	var buf [MaxLegal]Action
	return len(g.pseudoSteps(buf[:0])) > 0
}
