package game

// Action is one decision of a player, in Gold's frame whoever moves:
//
//	0..255    a step: direction*64 + the square that the piece leaves;
//	256       Pass, which ends the turn before its fourth step;
//	257..262  a placement of the setup, rabbit to elephant.
//
// The piece that steps may be the mover's own or, pushed or pulled, the
// opponent's. A placement fills the square that [Game.SetupSquare] names.
type Action uint16

const (
	// Pass ends a turn that has used one to three steps.
	Pass Action = 256
	// NumActions is the number of different actions.
	NumActions = 257 + NumKinds
	// Placements is the number of actions of the setup, both sides together.
	Placements = 32

	firstPlacement Action = 257
)

// StepAction returns the step of the piece on from in direction d.
func StepAction(from Square, d Direction) Action { return Action(d)<<6 | Action(from) }

// PlaceAction returns the setup action that places a piece of kind k.
func PlaceAction(k Kind) Action { return firstPlacement + Action(k) }

// IsStep reports whether a moves a piece.
func (a Action) IsStep() bool { return a < Pass }

// IsPlacement reports whether a places a piece of the setup.
func (a Action) IsPlacement() bool { return a >= firstPlacement && a < NumActions }

// From returns the square that a step leaves.
func (a Action) From() Square { return Square(a & 63) }

// To returns the square that a step reaches.
func (a Action) To() Square { return Square(int8(a&63) + offset[a>>6&3]) }

// Direction returns the way a step goes.
func (a Action) Direction() Direction { return Direction(a >> 6 & 3) }

// Kind returns the kind of piece that a placement places.
func (a Action) Kind() Kind { return Kind(a - firstPlacement) }

// Mirror returns a as seen in a left-right mirror: file a and h, east and west
// change places. Pass and placements are their own mirror images.
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

// Flip returns a with the ranks reversed, so that north and south change
// places: a step of Silver as Silver sees it from her side of the board.
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
