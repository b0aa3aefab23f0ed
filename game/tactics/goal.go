package tactics

import (
	"math/bits"

	"warren/game"
)

// goalZone returns the squares at most the given number of ranks from c's goal
// rank.
func goalZone(c game.Color, ranks int) uint64 {
	if ranks >= 7 {
		return ^uint64(0)
	}
	if c == game.Gold {
		return ^uint64(0) << (8 * (7 - ranks))
	}
	return ^uint64(0) >> (8 * (7 - ranks))
}

// MayGoal reports whether a rabbit of c might reach its goal rank within the
// given number of steps of c, 0 to 4. False is certain; true may be wrong. It
// takes a few dozen bit operations.
//
// Pullable holds the enemy pieces that can be pulled by the next step, because
// their puller has already moved: [game.Game.Pullable] in the middle of c's
// turn, otherwise 0.
//
// Each rabbit that is near enough spreads forward and sideways, one square a
// step, with these extra costs:
//
//   - a square that a friend occupies costs one step, for the friend to leave;
//     one that an enemy occupies costs two, or one if the enemy is pullable;
//   - leaving a square beside a stronger enemy and no friend costs one step, as
//     does entering a trap that no friend guards. One helper can save this cost
//     on several squares, and its step may also be the first of those that
//     clear the way.
func MayGoal(b *game.Board, c game.Color, steps int, pullable uint64) bool {
	near := b.Pieces(c, game.Rabbit) & goalZone(c, steps)
	if near == 0 {
		return false
	}
	all, occupied := b.Color(c), b.Occupied()
	freezers := occupied &^ all &^ b.Pieces(c.Other(), game.Rabbit)
	if c == game.Silver { // turn the board, so that the goal is in the north
		flip := bits.ReverseBytes64
		near, all, occupied, freezers, pullable = flip(near), flip(all), flip(occupied), flip(freezers), flip(pullable)
	}
	enemy, freezing := occupied&^all&^pullable, game.Neighbors(freezers)
	for ; near != 0; near &= near - 1 {
		rabbit := near & -near
		w := way{empty: ^occupied | rabbit, friends: all &^ rabbit, pullable: pullable, enemy: enemy, freezing: freezing}
		if w.leads(rabbit, steps) {
			return true
		}
	}
	return false
}

// way is what a rabbit finds on its way north.
type way struct{ empty, friends, pullable, enemy, freezing uint64 }

// leads reports whether the rabbit, which is at most that many ranks from rank 8, might reach it within
// the given number of steps.
func (w *way) leads(rabbit uint64, steps int) bool {
	const goal = uint64(0xff) << 56
	if rabbit&goal != 0 {
		return true
	}
	var (
		first  = w.friends | w.pullable // leave with one step
		warm   = game.Neighbors(w.friends)
		cold   = w.freezing &^ warm
		deadly = game.Traps &^ warm
		step   = game.RabbitSteps(rabbit&^cold, game.Gold)
		// The squares reached with n steps: by the rabbit alone, with a helper whose step
		// may still serve to clear the way, and with the way cleared.
		alone, helped, cleared = step & w.empty &^ deadly, rabbit & cold, uint64(0)
		before, earlier        = rabbit, uint64(0)            // alone and cleared with n-1 steps
		guarded, behind        = step & deadly, uint64(0)     // entered with n steps if a helper guards the trap, or an enemy leaves
		zone                   = goalZone(game.Gold, steps-1) // from which the steps left suffice
	)
	for n := 1; ; n++ {
		if (alone|helped|cleared)&goal != 0 {
			return true
		}
		if n == steps || (alone|before|helped|cleared|earlier|guarded|behind)&zone == 0 {
			return false
		}
		step = game.RabbitSteps(alone&^cold, game.Gold)
		beside := game.RabbitSteps(before|earlier|helped, game.Gold)
		withHelp := alone&cold | (guarded|game.RabbitSteps(helped, game.Gold))&w.empty
		clear := beside&first | behind&w.enemy | game.RabbitSteps(cleared, game.Gold)&w.empty

		before, alone = alone, step&w.empty&^deadly
		earlier, cleared, helped = cleared, clear, withHelp
		guarded, behind = step&deadly, beside
		zone <<= 8
	}
}

// deciding returns the squares that decide whether [MayGoal] is true for the given number of
// steps after a step that moves nothing from or to one of them. Whatever that step captures, or
// allows to be pulled, stands elsewhere too.
func deciding(b *game.Board, c game.Color, steps int) uint64 {
	rabbits := b.Pieces(c, game.Rabbit)
	ways := rabbits & goalZone(c, steps)
	for left := steps - 1; left >= 0; left-- {
		ways |= game.RabbitSteps(ways, c) & goalZone(c, left)
	}
	beside := reach(ways, 1) // where friends and freezers stand
	return beside | game.Neighbors(beside&game.Traps) | rabbits&goalZone(c, steps+1)
}
