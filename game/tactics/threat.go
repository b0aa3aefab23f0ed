package tactics

import "warren/game"

// threat is a turn by which a side wins from a board, as long as certain squares
// are as they were. The idea is that of the relevance zones of threat-based
// search (Thomsen 2000, "Lambda-search in game trees").
type threat struct {
	board game.Board // before the winning turn
	zone  uint64     // the squares that matter to it
}

// newThreat returns the threat of playing turn, which wins from b.
//
// A goal depends on the squares that its steps leave and enter, on their
// neighbors, which decide who is frozen, and on the neighbors of the traps among
// those, which decide who is captured. By induction over its steps, nothing
// beyond can matter: equal squares there before a step are equal after it. A win
// in another way depends on the whole board.
func newThreat(b *game.Board, turn []game.Action, reason game.Reason) threat {
	if reason != game.Goal {
		return threat{*b, ^uint64(0)}
	}
	var zone uint64
	for _, a := range turn {
		if a != game.Pass {
			from := uint64(1) << a.From()
			zone |= from | game.Neighbors(from) // one of which the step enters
		}
	}
	return threat{*b, zone | game.Neighbors(zone&game.Traps)}
}

// holds reports whether the winning turn wins from b too.
func (t *threat) holds(b *game.Board) bool { return b.Differs(&t.board)&t.zone == 0 }
