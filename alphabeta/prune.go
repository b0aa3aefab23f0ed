package alphabeta

import "warren/tactics"

const (
	// A line that has this much less than it needs, and this much more for every
	// step it still has, is given up, unless it can capture.
	hopeless     = 30
	hopelessStep = 25
	// A side that stands so much better than it needs, for every step beyond the
	// present turn, need not show how.
	confident = 25
)

// standing scores the position by what it would be worth if the turn ended
// here, where that decides: a side at its turn that is content without moving
// is no worse for moving (positions in which every turn loses are rare), and
// near the horizon a few steps cannot make good what is far from enough. It
// does not judge where a push is unfinished or the opponent's goal near.
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

// reduction returns by how many steps less the i-th action is searched at
// first: late ones of no promise are first tried with the turn cut shorter.
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
