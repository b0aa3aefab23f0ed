package alphabeta

import (
	"math/bits"

	"warren/game"
	"warren/game/tactics"
)

// The evaluation scores a position at the start of a turn, in centi-rabbits for
// the side to move. It is the sum of
//
//   - material ([material]);
//   - placement: the elephant in the middle, officers before their own traps,
//     rabbits at home until the board empties, then forward;
//   - control of each trap, by the strength of the pieces beside it;
//   - frozen pieces, at a fraction of their worth;
//   - threatened captures: the side to move gets most of the worth of its best
//     capture, and the other side a little of each of its own;
//   - rabbits that could run to the goal within one turn.
//
// The score does not change if the colours and the side to move are exchanged,
// or if the files are mirrored. The weights were chosen by judgement and tested
// in matches of the program against itself.
const (
	frozenPart      = 8  // percent of a frozen piece's worth
	threatNow       = 60 // percent of the best capture, for the side to move
	threatNext      = 15 // percent of the sum of captures, for the side not to move
	goalThreatNext  = 60 // for the side not to move
	trapWeight      = 60
	trapEquality    = 6 // difference of strength that gives half of trapWeight
	maxTrapStrength = 32
)

var (
	// pieceWorth is the approximate worth of capturing a piece, by kind.
	pieceWorth = [game.NumKinds]int32{100, 145, 170, 270, 420, 1100}
	// besideTrap is the strength of a piece in the fight for a trap, by kind.
	besideTrap = [game.NumKinds]int32{1, 2, 3, 4, 6, 9}
	// trapControl is indexed by the difference of strengths plus maxTrapStrength.
	trapControl = func() (v [2*maxTrapStrength + 1]int32) {
		for i := range v {
			d := int32(i - maxTrapStrength)
			v[i] = trapWeight * d / (max(d, -d) + trapEquality)
		}
		return v
	}()
	// placement is indexed by side, kind and square; rabbits' are in advance.
	placement = func() (v [2][game.NumKinds][64]int32) {
		for s := range game.Square(64) {
			for k := game.Rabbit; k <= game.Elephant; k++ {
				p := placementOf(k, s.Rank(), min(s.File(), 7-s.File()))
				v[game.Gold][k][s] = p
				v[game.Silver][k][s^56] = p
			}
		}
		return v
	}()
	// advance is a rabbit's gain by rank as the board empties.
	advance = [8]int32{0, 2, 6, 14, 28, 50, 90, 0}
)

// placementOf returns the gain of a gold piece on the given rank, at the given
// distance from the nearer edge file, 0 to 3.
func placementOf(k game.Kind, rank, edge int) int32 {
	switch k {
	case game.Rabbit:
		// An advanced rabbit is somewhat useful on the wings and a liability in the
		// middle.
		return [4][8]int32{
			{0, 2, 5, 8, 12, 16, 30, 0},
			{0, 2, 2, 0, 2, 6, 20, 0},
			{2, 4, -8, -12, -12, -8, 10, 0},
			{4, 3, -4, -14, -16, -10, 10, 0},
		}[edge][rank]
	case game.Cat, game.Dog:
		return [8]int32{0, 6, 9, 2, -6, -14, -20, -24}[rank] + [4]int32{-3, 1, 2, 1}[edge]
	case game.Horse:
		return [8]int32{-6, 0, 8, 12, 12, 10, 0, -10}[rank] + [4]int32{-4, 4, 3, 0}[edge]
	case game.Camel:
		return [8]int32{-10, 0, 10, 14, 12, 4, -8, -18}[rank] + [4]int32{-8, 2, 4, 4}[edge]
	default:
		return [8]int32{-30, -10, 6, 16, 22, 20, 6, -20}[rank] + [4]int32{-20, -4, 10, 16}[edge]
	}
}

// squares holds the bitboards that the evaluation needs, by side.
type squares struct {
	kinds  [2][game.NumKinds]uint64
	all    [2]uint64
	frozen [2]uint64
	empty  uint64
	counts [2]counts
}

func (q *squares) read(b *game.Board) {
	for c := game.Gold; c <= game.Silver; c++ {
		for k := game.Rabbit; k <= game.Elephant; k++ {
			q.kinds[c][k] = b.Pieces(c, k)
			q.counts[c][k] = uint8(bits.OnesCount64(q.kinds[c][k]))
		}
		q.all[c] = b.Color(c)
		q.frozen[c] = b.Frozen(c)
	}
	q.empty = ^b.Occupied()
}

// judgement holds the parts of an evaluation that the search uses separately,
// for the side to move.
type judgement struct {
	quiet  int32 // everything except the threats
	threat int32 // worth of the best capture of the side to move
	best   int32 // worth of the best capture of the other side
	next   int32 // total worth of the other side's captures
	goal   int32 // for the other side's rabbits that could run to the goal
}

func (j *judgement) score() int32 {
	return j.quiet + j.threat*threatNow/100 - j.next*threatNext/100 - j.goal
}

// evaluate returns the score of the board for the side to move.
func evaluate(b *game.Board, mover game.Color) int32 {
	j := judge(b, mover)
	return j.score()
}

func judge(b *game.Board, mover game.Color) (j judgement) {
	var q squares
	q.read(b)
	other := mover.Other()
	j.quiet = material(&q.counts[mover], &q.counts[other]) + q.side(mover) - q.side(other)
	for traps := game.Traps; traps != 0; traps &= traps - 1 {
		beside := game.Neighbors(traps & -traps)
		d := q.strength(mover, beside) - q.strength(other, beside)
		j.quiet += trapControl[d+maxTrapStrength]
	}
	j.threat, _ = q.captures(mover)
	j.best, j.next = q.captures(other)
	if tactics.MayGoal(b, other, 4, 0) {
		j.goal = goalThreatNext
	}
	return j
}

// side returns the total gain of c's pieces from their squares.
func (q *squares) side(c game.Color) (sum int32) {
	pieces := int32(0)
	for k := game.Rabbit; k <= game.Elephant; k++ {
		gains := &placement[c][k]
		for s := q.kinds[c][k]; s != 0; s &= s - 1 {
			sum += gains[bits.TrailingZeros64(s)]
		}
		pieces += int32(q.counts[c.Other()][k])
		if frozen := q.kinds[c][k] & q.frozen[c]; frozen != 0 {
			sum -= int32(bits.OnesCount64(frozen)) * pieceWorth[k] * frozenPart / 100
		}
	}
	if gone := 16 - pieces; gone > 0 {
		run := int32(0)
		for s := q.kinds[c][game.Rabbit]; s != 0; s &= s - 1 {
			rank := bits.TrailingZeros64(s) >> 3
			if c == game.Silver {
				rank = 7 - rank
			}
			run += advance[rank]
		}
		sum += run * gone / 16
	}
	return sum
}

// strength returns the sum of the strengths of c's pieces on the given squares.
func (q *squares) strength(c game.Color, on uint64) (sum int32) {
	for k := game.Rabbit; k <= game.Elephant; k++ {
		sum += int32(bits.OnesCount64(q.kinds[c][k]&on)) * besideTrap[k]
	}
	return sum
}

// captures returns the worth of the best capture that c threatens within one
// turn, and the sum of the best captures at each trap. It examines enemy pieces
// beside a trap that has only one or two defenders, and tests whether a
// stronger piece of c can come beside them in time.
func (q *squares) captures(c game.Color) (best, sum int32) {
	var (
		victims = q.all[c.Other()]
		mobile  = q.all[c] &^ q.frozen[c]
		reach   [game.NumKinds]uint64 // squares that a piece stronger than the kind can get beside in time
		beside  [game.NumKinds]uint64 // squares that a piece stronger than the kind stands beside
		known   bool
	)
	for traps := game.Traps; traps != 0; traps &= traps - 1 {
		trap := traps & -traps
		defenders := victims & game.Neighbors(trap)
		if defenders == 0 {
			continue
		}
		if !known {
			known = true
			strong := uint64(0)
			for k := game.Elephant; k > game.Rabbit; k-- {
				strong |= q.kinds[c][k] & mobile
				near := game.Neighbors(strong)
				beside[k-1] = near
				reach[k-1] = near | game.Neighbors(game.Neighbors(near&q.empty)&q.empty|near&q.empty)
			}
		}
		here, number := int32(0), bits.OnesCount64(defenders)
		for k := game.Rabbit; k < game.Elephant && number <= 2; k++ {
			of := defenders & q.kinds[c.Other()][k]
			switch {
			case number == 2:
				if of&beside[k] != 0 { // one is moved away, then the other is captured
					here = max(here, pieceWorth[k]*2/3)
				}
			case of&reach[k] == 0:
			case trap&victims != 0: // moved away from the friend on the trap
				here = q.worthOn(c.Other(), trap)
			case trap&q.empty != 0 || of&beside[k] != 0: // pushed or pulled into the trap
				here = pieceWorth[k]
			}
		}
		best = max(best, here)
		sum += here
	}
	return best, sum
}

// worthOn returns the worth of c's piece on the square, which must hold one.
func (q *squares) worthOn(c game.Color, square uint64) int32 {
	k := game.Rabbit
	for q.kinds[c][k]&square == 0 {
		k++
	}
	return pieceWorth[k]
}
