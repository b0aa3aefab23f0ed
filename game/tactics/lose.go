package tactics

import (
	"math/bits"

	"warren/game"
)

// Losing reports whether the side to move loses whatever it does: each way to
// complete its turn ends the game with a loss, or leaves the opponent a turn that
// wins. True is certain. False may be wrong where the opponent threatens nothing
// on the present board and wins only because the side must move. During the
// setup and after the end of the game it is false.
//
// It gives up after trying budget steps, those of the opponent's turns included, as
// [Finder.Winning] counts them, and returns how many it tried. If it tried as many as
// the budget allows, false proves nothing. It leaves g as it was.
//
// Most positions cost a few dozen bit operations, because the opponent threatens
// nothing. Otherwise the turn is searched until a defence is found. A winning
// turn of the opponent's serves for every end of the turn that leaves the squares
// on which it depends as they were ([threat]), and parts of the search from which
// those squares cannot be reached are left out.
func (f *Finder) Losing(g *game.Game, budget int64) (lost bool, spent int64) {
	if g.InSetup() || g.Result().Over() {
		return false, 0
	}
	if f.defence == nil {
		f.defence = &defence{}
		f.defence.replies.SkipImmobilization = f.SkipImmobilization
	}
	d := f.defence
	d.side, d.spent, d.budget = g.Side(), 0, budget
	d.known = 0
	if !Threatened(g) {
		return false, 0
	}
	return d.lost(g), d.spent
}

// defence is a search for a turn after which the opponent does not win.
type defence struct {
	side          game.Color
	spent, budget int64
	replies       Finder // of the opponent's winning turns

	threats [8]threat // the latest ones
	known   int       // how many have been found
	// hopeless holds hashes of states without a defence, indexed by their last bits.
	hopeless [1 << 10]uint64
	bufs     [5][game.MaxLegal]game.Action // by steps left
}

// Threatened reports whether the opponent might reach a goal or capture the last
// rabbits next turn, even if the present turn moved nothing near. False makes a
// loss by the opponent's turn unlikely, and then no search is worth its time:
// [Finder.Losing] does not look for one.
func Threatened(g *game.Game) bool {
	b, side := g.Board(), g.Side()
	return MayGoal(b, side.Other(), 4, 0) || bits.OnesCount64(b.Pieces(side, game.Rabbit)) <= 2
}

// lost reports whether every completion of the turn loses. False may also mean
// that the budget is spent.
func (d *defence) lost(g *game.Game) bool {
	key := g.Hash()
	hopeless := &d.hopeless[key%uint64(len(d.hopeless))]
	if *hopeless == key {
		return true
	}
	left := g.StepsLeft()
	legal := g.Legal(d.bufs[left][:0])
	mark := g.Mark()
	if last := len(legal) - 1; last >= 0 && legal[last] == game.Pass {
		legal = legal[:last]
		if !d.loses(g, game.Pass, mark) {
			return false
		}
	}
	if !d.beyondHelp(g, left) {
		// Steps on the squares of the latest threat are the likeliest defences.
		zone := d.zone()
		for _, near := range [2]bool{true, false} {
			for _, a := range legal {
				touches := zone>>a.From()&1 != 0 || zone>>a.To()&1 != 0
				if touches == near && !d.loses(g, a, mark) {
					return false
				}
			}
		}
	}
	*hopeless = key
	return true
}

// loses reports whether the side loses after the action a, whatever follows.
// Mark is g's state.
func (d *defence) loses(g *game.Game, a game.Action, mark game.Mark) bool {
	if d.spent >= d.budget {
		return false
	}
	d.spent++
	g.Play(a)
	lost := false
	switch r := g.Result(); {
	case g.Side() == d.side:
		lost = d.lost(g)
	case r.Over():
		lost = r.Winner != d.side
	default:
		lost = d.answered(g)
	}
	g.Restore(mark)
	return lost
}

// answered reports whether the opponent, who is to move, wins within the turn.
func (d *defence) answered(g *game.Game) bool {
	b := g.Board()
	for i := range d.threats[:min(d.known, len(d.threats))] {
		if d.threats[i].holds(b) {
			return true
		}
	}
	turn, spent := d.replies.Winning(g, d.budget-d.spent)
	d.spent += spent
	if turn == nil {
		return false
	}
	d.threats[d.known%len(d.threats)] = newThreat(b, turn, d.replies.reason)
	d.known++
	return true
}

// beyondHelp reports whether a known threat holds on g's board and stays out of
// the side's reach for the rest of the turn, in which the side has no goal. Nor
// can it then win otherwise, because the opponent keeps its rabbit and its turn.
func (d *defence) beyondHelp(g *game.Game, left int) bool {
	b := g.Board()
	if d.known == 0 || MayGoal(b, d.side, left, g.Pullable()) {
		return false
	}
	reached := reach(b.Color(d.side), left) | reach(g.Pullable(), 1)
	for i := range d.threats[:min(d.known, len(d.threats))] {
		if t := &d.threats[i]; t.zone&reached == 0 && t.holds(b) {
			return true
		}
	}
	return false
}

// zone returns the squares of the latest threat.
func (d *defence) zone() uint64 {
	if d.known == 0 {
		return 0
	}
	return d.threats[(d.known-1)%len(d.threats)].zone
}

// reach returns the squares at most n steps from the pieces. The rest of the
// board stays as it is if those pieces make n steps between them: a piece that
// is pushed, pulled or captured on the way stands or ends within as many.
func reach(pieces uint64, n int) uint64 {
	for range n {
		pieces |= game.Neighbors(pieces)
	}
	return pieces
}
