package net

import (
	"fmt"

	"warren/game"
)

// Plane describes an input plane for other programs.
type Plane struct {
	Index   int    `json:"index"`
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}

// Planes describes all NumPlanes input planes in order. This text appears in the documentation of
// the encoding and in the card of an exported network. A plane is constant over the board if its
// meaning says "everywhere".
func Planes() []Plane {
	planes := make([]Plane, NumPlanes)
	for i := range planes {
		planes[i] = Plane{i, fmt.Sprintf("zero_%d", i), "0 everywhere; reserved"}
	}
	set := func(i int, name, format string, args ...any) {
		planes[i] = Plane{i, name, fmt.Sprintf(format, args...)}
	}
	for k := range game.Kind(game.NumKinds) {
		set(planeOwn+int(k), "own_"+k.String(), "1 on the squares of the mover's %ss", k)
		set(planeEnemy+int(k), "enemy_"+k.String(), "1 on the squares of the opponent's %ss", k)
		set(planeSetupLeft+int(k), k.String()+"s_to_place",
			"in the setup, everywhere: the number of the mover's %ss that remain to be placed, divided by %d", k, game.SetupCount(k))
	}
	set(planeOwnFrozen, "own_frozen", "1 on the squares of the mover's frozen pieces: next to a stronger enemy, and not next to a friend")
	set(planeEnemyFrozen, "enemy_frozen", "1 on the squares of the opponent's frozen pieces")
	for n, name := range []string{"one_step_left", "two_steps_left", "three_steps_left", "four_steps_left"} {
		set(planeStepsLeft+n, name, "1 everywhere if the turn has exactly %d of its 4 steps left; 0 in the setup", n+1)
	}
	set(planePushHole, "push_hole", "1 on the square that the pushed piece left, in an unfinished push; a stronger piece must now step there")
	set(planePushed, "push_strength",
		"on the square of push_hole: the strength of the pushed piece, even if it was captured: rabbit 1/6, cat 2/6, dog 3/6, horse 4/6, camel 5/6")
	set(planePullHole, "pull_hole",
		"1 on the square that the last step left, if an enemy piece may now be pulled there, even if the puller was captured by its step")
	set(planePullable, "pullable", "1 on the squares of the enemy pieces that may be pulled to pull_hole")
	set(planeChanged, "changed", "1 on the squares that differ from the start of the turn; 0 in the setup")
	set(planeRepeated, "start_repeated", "1 everywhere if the position at the start of the turn (board and side to move) had occurred before, since the end of the setup")
	set(planeEndTwice, "end_second_time", "1 everywhere if the position that would arise if the turn ended now has occurred exactly once; 0 before the first step and during a push")
	set(planeEndThrice, "end_third_time", "1 everywhere if that position has occurred twice, so that the turn may not end now; 0 before the first step and during a push")
	set(planeSetup, "setup", "1 everywhere if the mover is setting up")
	set(planeSetupNext, "setup_square", "in the setup, 1 on the square that the next placement fills")
	set(planeTraps, "traps", "1 on the four trap squares c3, f3, c6 and f6")
	set(planeOnes, "ones", "1 everywhere, which marks the edge of the board")
	return planes
}

// ActionRange describes a range of actions of one sort, from First to Last inclusive, in
// the mover's frame.
type ActionRange struct {
	First   int    `json:"first"`
	Last    int    `json:"last"`
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}

// Actions describes the indices of the policy in order.
func Actions() []ActionRange {
	var actions []ActionRange
	for d, way := range []struct{ name, to string }{
		game.North: {"north", "one rank up, away from the mover"},
		game.East:  {"east", "one file to the right"},
		game.South: {"south", "one rank down, towards the mover"},
		game.West:  {"west", "one file to the left"},
	} {
		actions = append(actions, ActionRange{d * 64, d*64 + 63, "step_" + way.name, fmt.Sprintf(
			"%d + square: the piece on square, own, pushed or pulled, steps %s", d*64, way.to)})
	}
	actions = append(actions, ActionRange{int(game.Pass), int(game.Pass), "pass",
		"end the turn before its fourth step"})
	for k := range game.Kind(game.NumKinds) {
		a := int(game.PlaceAction(k))
		actions = append(actions, ActionRange{a, a, "place_" + k.String(),
			fmt.Sprintf("in the setup: place one %s on the square that setup_square marks", k)})
	}
	return actions
}
