package game

// Reason is how a game ended.
type Reason uint8

const (
	// Ongoing: the game has not ended.
	Ongoing Reason = iota
	// Goal: a rabbit stood on its goal rank at the end of a turn.
	Goal
	// Elimination: a side had no rabbit left.
	Elimination
	// Immobilization: the side to move had no possible step.
	Immobilization
	// Repetition: every turn of the side to move would have repeated a
	// position for the third time.
	Repetition
	// TurnLimit: the game was stopped and the official score decided.
	TurnLimit
	// Time: a player's time ran out.
	Time
	// Resignation: a player gave up.
	Resignation

	NumReasons = 8
)

// String returns the field's word for the reason.
func (r Reason) String() string {
	if r >= NumReasons {
		return "unknown"
	}
	return [NumReasons]string{"ongoing", "goal", "elimination", "immobilization", "repetition", "turn limit", "time", "resignation"}[r]
}

// Result is how a game stands: while Reason is Ongoing, Winner means nothing.
type Result struct {
	Winner Color
	Reason Reason
}

// Over reports whether the game has ended.
func (r Result) Over() bool { return r.Reason != Ongoing }

// judge applies the six end conditions in their order, after a whole turn of
// the opponent of g.side, and with g.side to move. Only the board after the
// whole turn counts: a rabbit that came to its goal and left it decides
// nothing. Where both players' conditions hold, the player who moved wins.
func (g *Game) judge() Result {
	mover, next := g.side.Other(), g.side
	rabbits := g.board.rabbits()
	moverRabbits, nextRabbits := rabbits&g.board.Color(mover), rabbits&g.board.Color(next)
	switch {
	case moverRabbits&GoalRank(mover) != 0:
		return Result{mover, Goal}
	case nextRabbits&GoalRank(next) != 0:
		return Result{next, Goal}
	case nextRabbits == 0:
		return Result{mover, Elimination}
	case moverRabbits == 0:
		return Result{next, Elimination}
	case !g.canMove():
		return Result{mover, Immobilization}
	case g.twiceLen > g.twiceFrom && !g.canFinishTurn():
		return Result{mover, Repetition}
	}
	return Result{}
}
