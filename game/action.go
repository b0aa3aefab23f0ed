package game

// Action is one decision of a player. Squares and directions are those of the
// board, whichever side moves:
//
//	0..255    a step: direction*64 + the square that the piece leaves;
//	256       Pass, which ends the turn before its fourth step;
//	257..262  a placement of the setup, rabbit to elephant.
//
// The piece that steps is either one of the mover's own or a piece of the
// opponent that is pushed or pulled. A placement fills the square that
// [Game.SetupSquare] returns.
type Action uint16

const (
	// Pass ends a turn after one to three steps.
	Pass Action = 256
	// NumActions is the number of different actions.
	NumActions = 257 + NumKinds
	// Placements is the number of placements in the setup of both sides together.
	Placements = 32

	firstPlacement Action = 257
)

// StepAction returns the action that steps the piece on from in direction d.
func StepAction(from Square, d Direction) Action { return Action(d)<<6 | Action(from) }

// PlaceAction returns the setup action that places a piece of kind k.
func PlaceAction(k Kind) Action { return firstPlacement + Action(k) }

// IsStep reports whether a moves a piece.
func (a Action) IsStep() bool { return a < Pass }

// IsPlacement reports whether a places a piece in the setup.
func (a Action) IsPlacement() bool { return a >= firstPlacement && a < NumActions }

// From returns the square that the step a leaves.
func (a Action) From() Square { return Square(a & 63) }

// To returns the square that the step a reaches. It is a square of the board only
// if the step does not leave the board; no legal step does.
func (a Action) To() Square { return Square(int8(a&63) + offset[a>>6&3]) }

// Direction returns the direction of the step a.
func (a Action) Direction() Direction { return Direction(a >> 6 & 3) }

// Kind returns the kind of piece that the placement a places.
func (a Action) Kind() Kind { return Kind(a - firstPlacement) }

// Mirror returns a with the files reversed, which also exchanges east and west.
// Pass and placements are their own mirror images.
func (a Action) Mirror() Action {
	if !a.IsStep() {
		return a
	}
	d := a.Direction()
	if d == East || d == West {
		d ^= East ^ West
	}
	return StepAction(a.From()^7, d)
}

// Flip returns a with the ranks reversed, which also exchanges north and south:
// the action as it looks from the other side of the board. Pass and placements
// stay the same.
func (a Action) Flip() Action {
	if !a.IsStep() {
		return a
	}
	d := a.Direction()
	if d == North || d == South {
		d ^= North ^ South
	}
	return StepAction(a.From()^56, d)
}
