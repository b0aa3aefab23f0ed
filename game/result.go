package game

// Reason says how a game ended. [Game.Result] returns only the first five; the
// others come from outside the board.
type Reason uint8

const (
	// Ongoing means that the game has not ended.
	Ongoing Reason = iota
	// Goal means that a rabbit was on its goal rank at the end of a turn.
	Goal
	// Elimination means that a side had no rabbits left.
	Elimination
	// Immobilization means that the side to move had no possible step.
	Immobilization
	// Repetition means that every turn of the side to move would have repeated a
	// position for the third time.
	Repetition
	// TurnLimit means that the game was stopped and decided by the official score.
	TurnLimit
	// Time means that a player ran out of time.
	Time
	// Resignation means that a player resigned.
	Resignation

	NumReasons = 8
)

// String returns the reason in words: "ongoing", "goal", ..., "turn limit", "time"
// or "resignation".
func (r Reason) String() string {
	if r >= NumReasons {
		return "unknown"
	}
	return [NumReasons]string{"ongoing", "goal", "elimination", "immobilization", "repetition", "turn limit", "time", "resignation"}[r]
}

// OnBoard reports whether a game that ends for this reason is decided by the rules, and
// not stopped or given up.
func (r Reason) OnBoard() bool {
	return r == Goal || r == Elimination || r == Immobilization || r == Repetition
}

// Result is the result of a game. While Reason is Ongoing, Winner has no meaning.
type Result struct {
	Winner Color
	Reason Reason
}

// Over reports whether the game has ended.
func (r Result) Over() bool { return r.Reason != Ongoing }

// judge applies the six end conditions in order. The opponent of g.side has just
// completed a turn, and g.side is to move. Only the board after the whole turn
// counts: a rabbit that reached its goal and left it again in the same turn
// decides nothing. If both players meet a condition, the player who moved wins.
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
