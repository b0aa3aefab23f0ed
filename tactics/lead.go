package tactics

import (
	"math/bits"

	"warren/game"
)

// Leading returns the indices in legal, the legal actions of g, of the steps with which the shortest
// captures of the turn begin: those after which an enemy piece can be captured in as few further actions
// as possible. A push counts from its first action, in which the enemy piece moves. Captures that need
// help from afar, such as a friend who first unfreezes the attacker, may be missed. The indices are
// overwritten by the next call; g is left as it was.
func (c *Captures) Leading(g *game.Game, legal []game.Action) []int {
	c.steps = c.steps[:0]
	if g.InSetup() {
		return nil
	}
	side, left := g.Side(), g.StepsLeft()
	enemies, mark := count(g, side.Other()), g.Mark()
	for n := 1; n <= left && len(c.steps) == 0; n++ {
		near := c.near(g, side, n)
		if near == 0 {
			continue
		}
		for i, a := range legal {
			if !a.IsStep() || near>>a.From()&1 == 0 {
				continue
			}
			g.Play(a)
			if count(g, side.Other()) < enemies || g.Side() == side && c.within(g, side, n-1) {
				c.steps = append(c.steps, i)
			}
			g.Restore(mark)
		}
	}
	return c.steps
}

// within reports whether side, which is to move, captures something in n more actions.
func (c *Captures) within(g *game.Game, side game.Color, n int) bool {
	if n == 0 {
		return false
	}
	if n == 1 {
		return c.next(g, side)
	}
	near := c.near(g, side, n)
	if near == 0 {
		return false
	}
	enemies, mark := count(g, side.Other()), g.Mark()
	for _, a := range g.Legal(c.bufs[n][:0]) {
		if !a.IsStep() || near>>a.From()&1 == 0 {
			continue
		}
		g.Play(a)
		captured := count(g, side.Other()) < enemies || g.Side() == side && c.within(g, side, n-1)
		g.Restore(mark)
		if captured {
			return true
		}
	}
	return false
}

// near returns the squares from which the steps of a capture in n actions may go out: those near an
// enemy piece that is close enough to a trap and has a stronger piece of side close enough. If there
// are none, n actions capture nothing.
func (c *Captures) near(g *game.Game, side game.Color, n int) uint64 {
	if g.Pullable() != 0 {
		return ^uint64(0)
	}
	b := g.Board()
	at := game.Traps | game.Neighbors(game.Traps)
	far := game.Neighbors(at) &^ at
	var victims, stronger uint64
	for k := game.Elephant; k > game.Rabbit; k-- {
		stronger |= b.Pieces(side, k)
		weaker := b.Pieces(side.Other(), k-1)
		victims |= weaker & at & reach(stronger, n)
		if n >= 3 {
			victims |= weaker & far & reach(stronger, n-2)
		}
	}
	if victims == 0 || bits.OnesCount64(stronger) == 0 {
		return 0
	}
	return reach(victims, n)
}
