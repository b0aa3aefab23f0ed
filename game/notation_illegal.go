package game

import (
	"errors"
	"fmt"
	"slices"
)

// IllegalStepError is the error of a step that is not legal.
type IllegalStepError struct {
	Text string // the word
	Game *Game  // before the step
	From Square // the square that it leaves
	Why  error
}

func (e *IllegalStepError) Error() string { return fmt.Sprintf("%q: %v", e.Text, e.Why) }

// Unwrap returns why the step is not legal.
func (e *IllegalStepError) Unwrap() error { return e.Why }

// CheckStep returns an error that says why the piece on a square may not step in
// direction d now, or nil if it may. The setup must be over, and the game must not be.
func (g *Game) CheckStep(from Square, d Direction) error {
	c, k, _ := g.board.At(from)
	return g.checkStep(c, k, from, d)
}

// checkStep is like CheckStep, for a piece that must be c's k.
func (g *Game) checkStep(c Color, k Kind, from Square, d Direction) error {
	color, kind, occupied := g.board.At(from)
	switch {
	case !occupied:
		return fmt.Errorf("%v is empty", from)
	case color != c || kind != k:
		return fmt.Errorf("the piece on %v is %v's %v", from, color, kind)
	case movable(1<<from, ^uint64(0), d) == 0:
		return errors.New("the step leaves the board")
	}
	a := StepAction(from, d)
	var buf [MaxLegal]Action
	if slices.Contains(g.Legal(buf[:0]), a) {
		return nil
	}
	to, own := a.To(), color == g.side
	moves := slices.Contains(g.pseudoSteps(buf[:0]), a)
	switch {
	case g.context == pushing && (!own || to != g.hole || kind < Kind(g.holeCode)):
		return fmt.Errorf("a push is unfinished: a piece stronger than the pushed %v must step to %v", Kind(g.holeCode-1), g.hole)
	case own && g.board.Frozen(c)>>from&1 != 0:
		return fmt.Errorf("the %v on %v is frozen: next to it is a stronger enemy, and no friend", kind, from)
	case own && kind == Rabbit && d == [2]Direction{South, North}[c]:
		return errors.New("rabbits do not step backward")
	case g.board.Occupied()>>to&1 != 0:
		return g.checkOccupied(to, own, kind)
	case !own && !moves && g.left == 1:
		return errors.New("this is not a pull, and a push cannot begin with the last step of a turn")
	case !own && !moves:
		return fmt.Errorf("no %v piece can push or pull the %v on %v there: a push takes a stronger piece next to it that is not frozen, a pull one that has just left that square", g.side, kind, from)
	}
	return errors.New("after it the turn could only restore the board it began with or repeat a position for the third time")
}

// checkOccupied says why a piece may not step to the occupied square to.
func (g *Game) checkOccupied(to Square, own bool, kind Kind) error {
	color, there, _ := g.board.At(to)
	if !own || color == g.side {
		return fmt.Errorf("%v is occupied", to)
	}
	switch {
	case there >= kind:
		return fmt.Errorf("%v is occupied, and the %v cannot push the %v there, which is not weaker", to, kind, there)
	case g.left == 1:
		return fmt.Errorf("%v is occupied, and a push cannot begin with the last step of a turn", to)
	}
	return fmt.Errorf("%v is occupied; a push begins with the step of the %v there", to, there)
}
