package alphabeta

import "warren/game/tactics"

const (
	// A line is abandoned if its score does not exceed alpha even after adding
	// hopeless, hopelessStep for every step left, and the best capture.
	hopeless     = 30
	hopelessStep = 25
	// A side at the start of its turn is assumed to reach beta if its score is
	// above beta by this much for every step beyond the turn.
	confident = 25
)

// standing scores the position as if the turn ended here, and reports whether
// that score decides the search. It decides in two cases. At the start of a
// turn, a score far above beta is enough, because moving seldom makes a side
// worse. Near the horizon, a score far below alpha is enough, because a few
// steps cannot make up for it. It never decides while a push is unfinished, nor
// for beta while the opponent may reach its goal.
func (e *Engine) standing(depth int, alpha, beta int32) (score int32, decides bool) {
	g := e.game
	left := g.StepsLeft()
	if _, _, pushing := g.Push(); pushing || depth > 8 {
		return 0, false
	}
	j := judge(g.Board(), g.Side().Other())
	score = -j.score()
	if left == 4 && score-confident*int32(max(depth-4, 0)) >= beta && !tactics.MayGoal(g.Board(), g.Side().Other(), 4, 0) {
		return score, true
	}
	if depth > left {
		return 0, false
	}
	hope := hopeless + hopelessStep*int32(depth) - j.quiet
	if depth >= 2 || g.Pullable() != 0 {
		hope += j.best
	}
	if hope <= alpha {
		return hope, true
	}
	return 0, false
}

// reduction returns the number of steps by which the first search of the i-th
// action is shortened. Actions late in the order that move no enemy piece are
// first searched with fewer steps.
func (e *Engine) reduction(i, depth int, rank int32) int {
	switch {
	case e.plain || depth < 3 || i < 5 || rank >= rankEnemy:
		return 0
	case depth > 4 && i >= 24:
		return 2
	default:
		return 1
	}
}
