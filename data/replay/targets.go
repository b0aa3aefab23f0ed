package replay

import (
	"math"
	"math/bits"
	"slices"

	"warren/game"
)

// Target is a training target that a game gives one of its positions, most by how it continues. It is
// for the auxiliary head of the same name.
type Target struct {
	Name  string
	Size  int // number of values
	Frame Frame

	// of sets values, which are 0, and returns their weight in the loss. With a weight of 0 the
	// values have no meaning. NaN is a chance of which nothing is known.
	of func(s *Sample, values []float32) (weight float32)
}

// Frame says how the values of a target relate to the board. A [Sample] has them in the board's own
// frame, while a network sees the board from the mover's side, perhaps mirrored.
type Frame uint8

const (
	// Numbers do not relate to places. They mean the same for both sides and when mirrored.
	Numbers Frame = iota
	// Squares have one value per square, a1 to h8, one or several times over.
	Squares
	// Actions have one value for each of the [game.NumActions] actions.
	Actions
)

// targets is the table of targets.
var targets = []Target{
	{"survival", 2 * 64, Squares, survival},
	{"moves_left", turnRanges, Numbers, movesLeft},
	{"reply", game.NumActions, Actions, reply},
	{"values", len(valueTurns), Numbers, values},
	{"stopped", 1, Numbers, stopped},
	{"soft_policy", game.NumActions, Actions, softPolicy},
}

// FindTarget returns the target with the given name, or nil if there is none. It is shared and must not
// be changed.
func FindTarget(name string) *Target {
	i := slices.IndexFunc(targets, func(t Target) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &targets[i]
}

// Target sets values, which has t.Size elements, to the target t of the position, and returns its
// weight in the loss, at least 0. A target of weight 0 must be ignored. A value that is NaN is a chance
// of which nothing is known: leave it out of the loss, even if the weight is above 0. The values are in
// the board's own frame, like Game; see [Frame]. Call [Sample.Fill] first. The first call after it
// replays the rest of the game.
func (s *Sample) Target(t *Target, values []float32) (weight float32) {
	if !s.looked {
		s.future.look(s.source, s.index, s.Game)
		s.looked = true
	}
	clear(values)
	return t.of(s, values)
}

// weight returns the weight of the position in its record: the larger of those of its policy and value.
func (s *Sample) weight() float32 { return max(s.decision.PolicyWeight, s.decision.ValueWeight) }

// survivalTurns is the number of turns that the first half of survival looks ahead, including the
// current one: two of each player.
const survivalTurns = 4

// survival is, for every square with a piece, 1 if the piece is still on the board survivalTurns
// later and 0 if it has been captured. The second half is the same for the end of the game. Empty
// squares are unknown. If the game was stopped before that time, so is every piece: otherwise
// stopped games would teach only captures.
func survival(s *Sample, values []float32) float32 {
	f := &s.future
	for i := range values {
		values[i] = float32(math.NaN())
	}
	if f.pieces == 0 || !f.over && f.turns < survivalTurns {
		return 0
	}
	for left := f.pieces; left != 0; left &= left - 1 {
		square := bits.TrailingZeros64(left)
		values[square] = survived(f.lost[square] >= survivalTurns)
		if f.over {
			values[64+square] = survived(f.lost[square] == never)
		}
	}
	return s.weight()
}

func survived(yes bool) float32 {
	if yes {
		return 1
	}
	return 0
}

// turnRanges is the number of ranges of movesLeft.
const turnRanges = 16

// movesLeft is the range of the number of turns to the end of the game, including the current one:
// 1, 2, 3, 4, 5-6, 7-8, 9-12, 13-16 and so on. It is unknown if the game was stopped.
func movesLeft(s *Sample, values []float32) float32 {
	if !s.future.over {
		return 0
	}
	n := s.future.turns - 1
	if n > 1 {
		// Each power of two has two ranges, which differ in the second highest bit.
		power := bits.Len(uint(n)) - 1
		n = 2*power + n>>(power-1)&1
	}
	values[min(n, turnRanges-1)] = 1
	return s.weight()
}

// reply is the policy target at the beginning of the opponent's next turn, with its weight there.
func reply(s *Sample, values []float32) float32 {
	f := &s.future
	i, turn, ok := f.from(1)
	if !ok || turn != 1 || !f.begins(i) {
		return 0
	}
	d := &f.reply
	decodeTarget(f.game.targets[f.game.offsets[i]:], d)
	if f.game.drawn(i) {
		var before game.Game // Silver has as many pieces to place as Gold had
		f.shares = s.setups.target(&before, f.shares[:0])
	} else {
		f.shares = d.Target(f.shares[:0])
	}
	for _, share := range f.shares {
		values[share.Action] = share.Share
	}
	return d.PolicyWeight
}

// stopped is 1 in a game that was stopped, with a result by the score or without one, and 0 in a game
// that was won.
func stopped(s *Sample, values []float32) float32 {
	if r := s.source.result.Reason; r == game.TurnLimit || r == game.Ongoing {
		values[0] = 1
	}
	return s.weight()
}

// softPolicy is the policy target to the power of 1/4, scaled to sum to 1, with the weight of the policy
// target. An action that the policy target leaves out has no share here either.
func softPolicy(s *Sample, values []float32) float32 {
	sum := float32(0)
	for _, share := range s.Policy {
		root := float32(math.Sqrt(math.Sqrt(float64(share.Share))))
		values[share.Action] = root
		sum += root
	}
	for _, share := range s.Policy {
		values[share.Action] /= sum
	}
	return s.PolicyWeight
}

// valueTurns lists the numbers of turns that values look ahead.
var valueTurns = [3]int{2, 6, 16}

// values are the root values valueTurns later, or at the next position to train on after that, from
// the current mover's side. After the end of the game they are its result, or unknown if there is none.
func values(s *Sample, values []float32) float32 {
	f := &s.future
	known := false
	for k, ahead := range valueTurns {
		v := float32(math.NaN())
		if i, turn, ok := f.from(ahead); ok {
			v = f.game.rootValue(i)
			if turn%2 == 1 {
				v = 1 - v
			}
		} else if f.game.result.Over() {
			v = s.target.result(f.game, f.side)
		}
		values[k] = v
		known = known || v >= 0
	}
	if !known {
		return 0
	}
	return s.weight()
}
