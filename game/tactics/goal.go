package tactics

import "warren/game"

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
	var (
		goal     = game.GoalRank(c)
		all      = b.Color(c)
		occupied = b.Occupied()
		enemy    = occupied &^ all &^ pullable
		freezing = game.Neighbors((enemy | pullable) &^ b.Pieces(c.Other(), game.Rabbit))
	)
	for ; near != 0; near &= near - 1 {
		rabbit := near & -near
		var (
			own    = all &^ rabbit
			first  = own | pullable // leave with one step
			empty  = ^occupied | rabbit
			warm   = game.Neighbors(own)
			cold   = freezing &^ warm
			deadly = game.Traps &^ warm
			// The squares reached with n steps are at index n+3: by the rabbit
			// alone, with a helper whose step may still serve to clear the way,
			// and with the way cleared.
			alone, helped, cleared [8]uint64
		)
		alone[3] = rabbit
		if rabbit&goal != 0 {
			return true
		}
		for n := 4; n <= 3+steps; n++ {
			alone[n] = game.RabbitSteps(alone[n-1]&^cold, c) & empty &^ deadly
			helped[n] = alone[n-1]&cold | (game.RabbitSteps(alone[n-2]&^cold, c)&deadly|game.RabbitSteps(helped[n-1], c))&empty
			cleared[n] = game.RabbitSteps(alone[n-2]|cleared[n-2]|helped[n-1], c)&first |
				game.RabbitSteps(alone[n-3]|cleared[n-3]|helped[n-2], c)&enemy | game.RabbitSteps(cleared[n-1], c)&empty
			if (alone[n]|helped[n]|cleared[n])&goal != 0 {
				return true
			}
		}
	}
	return false
}
