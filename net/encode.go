package net

import "warren/game"

// NumPlanes is the number of input planes: 36 that are used, rounded up to a multiple of
// 8. The other planes are always zero.
const NumPlanes = 40

// InputSize is the number of elements of one encoded position.
const InputSize = 64 * NumPlanes

// The input planes, which Planes describes. They show the board from the side of the
// mover, who is at the bottom: for Silver the ranks are reversed. A constant plane has
// the same value on all squares.
const (
	planeOwn         = 0            // 6 planes: own pieces, rabbit to elephant
	planeEnemy       = planeOwn + 6 // 6 planes: enemy pieces, rabbit to elephant
	planeOwnFrozen   = planeEnemy + 6
	planeEnemyFrozen = planeOwnFrozen + 1
	planeStepsLeft   = planeEnemyFrozen + 1 // 4 constant planes: 1 if exactly 1, 2, 3 or 4 steps are left; 0 in the setup
	planePushHole    = planeStepsLeft + 4   // square where an unfinished push must be completed
	planePushed      = planePushHole + 1    // on that square, the strength of the pushed piece: rabbit 1/6 to camel 5/6
	planePullHole    = planePushed + 1      // square to which an enemy piece may be pulled
	planePullable    = planePullHole + 1    // enemy pieces that may be pulled there
	planeChanged     = planePullable + 1    // squares that differ from the start of the turn
	planeRepeated    = planeChanged + 1     // constant: the position at the start of the turn has occurred before
	planeEndTwice    = planeRepeated + 1    // constant: ending the turn now repeats a position for the second time
	planeEndThrice   = planeEndTwice + 1    // constant: ending the turn now would repeat it for the third time, which is illegal
	planeSetup       = planeEndThrice + 1   // constant: the mover is setting up
	planeSetupNext   = planeSetup + 1       // square that the next placement fills
	planeSetupLeft   = planeSetupNext + 1   // 6 constant planes: share of each kind that remains to be placed
	planeTraps       = planeSetupLeft + 6
	planeOnes        = planeTraps + 1 // constant 1, which marks the edge of the board
	numPlanesUsed    = planeOnes + 1
)

// Encode writes the input of the network for the state g into x, which has at least
// InputSize elements in the layout [square][plane], or [rank][file][plane]. It
// overwrites the first InputSize elements and does not allocate.
func Encode(g *game.Game, x []float32) {
	var b Bits
	EncodeBits(g, &b)
	b.Expand(x)
}

// PolicyIndex returns the index, 0 to 262, of the policy logit of the action a of side. It
// is the number of the action in the mover's frame.
func PolicyIndex(a game.Action, side game.Color) int {
	if side == game.Silver {
		a = a.Flip()
	}
	return int(a)
}
