// Package tactics finds exact facts about the present turn and the next, by the
// rules alone.
// [Winning] finds a turn that wins at once: by goal, by elimination or by
// immobilization. [Losing] proves that the opponent wins next turn whatever the
// side to move does, and [Finder.Forcing] finds a turn that brings this about.
// [Captures] finds the steps with which captures within the turn begin. No
// evaluation takes part, so every search and every player can use them.
//
// The package is the room above package game, which is all that it knows.
//
// Most positions have no win, and a few dozen bit operations refute each kind:
// [MayGoal] for goals, a count of rabbits for eliminations, a count of free
// squares for immobilizations. Only where they cannot is the turn searched,
// within a budget of steps.
package tactics
