// Package tactics finds exact facts about the present turn and the next, by the
// rules alone. [Winning] finds a turn that wins at once: by goal, by
// elimination or by immobilization. [Finder.Losing] proves that the opponent wins
// next turn whatever the side to move does. [Captures] finds the steps with which
// captures within the turn begin. None of this needs an evaluation, so every search
// and every player can use it.
//
// The package imports only package game.
//
// Most positions have no win, and a few dozen bit operations refute each kind:
// [MayGoal] for goals, a count of rabbits for eliminations, a count of free
// squares for immobilizations. The turn is searched, within a budget of steps,
// only where they cannot.
package tactics
