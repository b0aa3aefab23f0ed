package tactics

import "warren/game"

// Forcing returns actions that complete the present turn so that the opponent
// is lost ([Finder.Losing]): the side to move wins next turn whatever the
// reply. It returns nil if it finds none. If it made as many steps as the
// budget allows, nil proves nothing. It leaves g as it was; the actions are
// overwritten by the next call.
func (f *Finder) Forcing(g *game.Game, budget int64) (turn []game.Action, spent int64) {
	if g.InSetup() || g.Result().Over() {
		return nil, 0
	}
	if f.attack == nil {
		f.attack = &attack{}
	}
	a := f.attack
	a.side, a.spent, a.budget, a.turn = g.Side(), 0, budget, a.turn[:0]
	if !a.search(g, f) {
		return nil, a.spent
	}
	return a.turn, a.spent
}

// attack is a search for a turn after which the opponent is lost.
type attack struct {
	side          game.Color
	spent, budget int64
	turn          []game.Action
	// failed holds hashes of states that lead to no such turn, indexed by their
	// last bits.
	failed [1 << 12]uint64
	bufs   [5][game.MaxLegal]game.Action // by steps left
}

// search tries the rest of the turn, depth first, and leaves the actions found
// in a.turn.
func (a *attack) search(g *game.Game, f *Finder) bool {
	if r := g.Result(); r.Over() {
		return r.Winner == a.side
	}
	if g.Side() != a.side {
		lost, spent := f.Losing(g, a.budget-a.spent)
		a.spent += spent
		return lost
	}
	key := g.Hash()
	failed := &a.failed[key%uint64(len(a.failed))]
	if *failed == key {
		return false
	}
	mark := g.Mark()
	legal := g.Legal(a.bufs[g.StepsLeft()][:0])
	for i := len(legal) - 1; i >= 0; i-- { // Pass first
		if a.spent >= a.budget {
			return false
		}
		a.spent++
		g.Play(legal[i])
		a.turn = append(a.turn, legal[i])
		won := a.search(g, f)
		g.Restore(mark)
		if won {
			return true
		}
		a.turn = a.turn[:len(a.turn)-1]
	}
	if a.spent < a.budget {
		*failed = key
	}
	return false
}
