package tactics

import (
	"math"
	"math/bits"

	"warren/game"
)

// Winning returns actions by which the side to move wins within the present
// turn, by goal, elimination or immobilization, or nil if there are none. They
// are a whole turn, with its Pass if it ends early, but not always the shortest
// that wins. During the setup and after the end of the game there are none.
func Winning(g *game.Game) []game.Action {
	var f Finder
	turn, _ := f.Winning(g, Unbounded)
	return turn
}

// Unbounded is the budget of a search that continues until it knows the answer.
const Unbounded = math.MaxInt64

// Finder finds winning turns and lost positions one after the other without
// allocating. Its zero value is ready to use. It is not safe for concurrent use.
type Finder struct {
	// SkipImmobilization leaves out wins by immobilization. They are rare, and
	// take longer to refute than the others. Set it before the first call; after a
	// change, call [Finder.Forget].
	SkipImmobilization bool

	spent, budget int64                         // steps tried and allowed in this call
	failed        hashes                        // of states without a win
	bufs          [5][game.MaxLegal]game.Action // by steps left
	turn          []game.Action
	reason        game.Reason // of the win that turn leads to

	defence *defence // of Losing
}

// Forget makes the finder as it was when it was new. What is found within a budget depends on what was looked for
// before, since known states cost no steps.
func (f *Finder) Forget() { *f = Finder{SkipImmobilization: f.SkipImmobilization} }

// hashes is a set of hashes that forgets some. They are indexed by their last bits. A few other bits of
// each are apart, because reading those of a hash that is missing does not wait for memory as often.
type hashes struct {
	hints [1 << 12]uint8
	all   [1 << 12]uint64
}

func (h *hashes) has(key uint64) bool {
	i := key % uint64(len(h.all))
	return h.hints[i] == uint8(key>>12) && h.all[i] == key
}

func (h *hashes) put(key uint64) {
	i := key % uint64(len(h.all))
	h.hints[i], h.all[i] = uint8(key>>12), key
}

// Winning is like the function [Winning], within a budget: it gives up after
// trying that many steps, and returns how many it tried; some that it leaves out
// count, too. If it tried as many as the budget allows, a nil turn proves nothing.
// The turn is overwritten by the next call; g is left as it was.
func (f *Finder) Winning(g *game.Game, budget int64) (turn []game.Action, spent int64) {
	if g.InSetup() || g.Result().Over() {
		return nil, 0
	}
	f.turn, f.spent, f.budget = f.turn[:0], 0, budget
	if !f.search(g, g.StepsLeft(), true, true) {
		return nil, f.spent
	}
	return f.turn, f.spent
}

// MayWin reports whether the side to move might win within the present turn. False is
// certain: then [Finder.Winning] has nothing to search. It takes a few dozen bit operations.
func (f *Finder) MayWin(g *game.Game) bool {
	b, side, left, pullable := g.Board(), g.Side(), g.StepsLeft(), g.Pullable()
	return f.mayWinOtherwise(b, side, left, pullable) || MayGoal(b, side, left, pullable)
}

// Shortest is like [Finder.Winning] without a budget, but returns a turn of as few
// steps as possible.
func (f *Finder) Shortest(g *game.Game) []game.Action {
	if turn, _ := f.Winning(g, Unbounded); turn == nil {
		return nil
	}
	for most := 1; ; most++ {
		f.turn = f.turn[:0]
		if f.search(g, most, true, true) {
			return f.turn
		}
	}
}

// search tries the rest of the turn with at most left more steps, depth first, and
// leaves the winning actions in f.turn. Unless goal is set, no goal is possible, and unless
// otherwise is set, nothing but a goal.
func (f *Finder) search(g *game.Game, left int, goal, otherwise bool) bool {
	b, side, pullable := g.Board(), g.Side(), g.Pullable()
	otherwise = otherwise && f.mayWinOtherwise(b, side, left, pullable)
	if !otherwise && !(goal && MayGoal(b, side, left, pullable)) {
		return false
	}
	// If only a goal can win, the last step of the turn must enter the goal rank.
	target := ^uint64(0)
	if rank := game.GoalRank(side); left == 1 && !otherwise && b.Pieces(side, game.Rabbit)&rank == 0 {
		target = rank
	}
	key := g.Hash() + uint64(g.StepsLeft()-left) // steps that may not be made
	if f.failed.has(key) {
		return false
	}
	goals, others := f.deciding(b, side, left-1, otherwise)
	mark := g.Mark()
	legal := g.Legal(f.bufs[g.StepsLeft()][:0])
	for i := len(legal) - 1; i >= 0; i-- { // Pass first
		a := legal[i]
		if target != ^uint64(0) && (a == game.Pass || target>>a.To()&1 == 0) || left == 0 && a != game.Pass {
			continue
		}
		if f.spent >= f.budget {
			return false
		}
		f.spent++
		if a.IsStep() && !touches(a, goals|others) {
			continue
		}
		g.Play(a)
		f.turn = append(f.turn, a)
		won := false
		if g.Side() != side {
			r := g.Result()
			won, f.reason = r.Over() && r.Winner == side, r.Reason
		} else {
			won = f.search(g, left-1, touches(a, goals), touches(a, others))
		}
		g.Restore(mark)
		if won {
			return true
		}
		f.turn = f.turn[:len(f.turn)-1]
	}
	if f.spent < f.budget {
		f.failed.put(key)
	}
	return false
}

// mayWinOtherwise reports whether the turn might win in another way than by a
// goal. False is certain. Every capture takes two steps, one of them made by
// the captured side's piece.
func (f *Finder) mayWinOtherwise(b *game.Board, side game.Color, left int, pullable uint64) bool {
	captures := left / 2
	if pullable != 0 {
		captures = (left + 1) / 2
	}
	return bits.OnesCount64(b.Pieces(side.Other(), game.Rabbit)) <= captures ||
		!f.SkipImmobilization && mayImmobilize(b, side, left, pullable)
}

// deciding returns the squares that side's next step must touch to make a goal possible in the given
// number of further steps, and those that it must touch to make another win possible, unless
// otherwise is false.
func (f *Finder) deciding(b *game.Board, side game.Color, steps int, otherwise bool) (goals, others uint64) {
	goals = ^uint64(0)
	if steps >= 0 && !MayGoal(b, side, steps, 0) {
		goals = deciding(b, side, steps)
	}
	if !otherwise {
		return goals, 0
	}
	few := bits.OnesCount64(b.Pieces(side.Other(), game.Rabbit)) <= steps/2
	if _, may := mayStop(b, side, steps); steps < 0 || few || may && !f.SkipImmobilization {
		return goals, ^uint64(0)
	}
	return goals, decidingMovers(b, side)
}

// touches reports whether the step a leaves or enters one of the squares.
func touches(a game.Action, squares uint64) bool { return (squares>>a.From()|squares>>a.To())&1 != 0 }
