package tactics

import (
	"math/bits"

	"warren/game"
)

// Captures finds the steps that lead to a capture. Its zero value is ready to use. It is not safe for
// concurrent use.
type Captures struct {
	buf    [game.MaxLegal]game.Action
	bufs   [5][game.MaxLegal]game.Action // of Leading, by actions to the capture
	steps  []int
	priors []float32
}

// Favour returns the priors of legal, the legal actions of g, with the given share of them moved in
// equal parts to the steps that [Captures.Find] finds. Without such steps, or with a share of 0, it
// returns priors itself. The priors are overwritten by the next call.
func (c *Captures) Favour(g *game.Game, legal []game.Action, priors []float32, share float64) []float32 {
	if share == 0 {
		return priors
	}
	steps := c.Find(g, legal)
	if len(steps) == 0 {
		return priors
	}
	c.priors = c.priors[:0]
	for _, p := range priors {
		c.priors = append(c.priors, float32(1-share)*p)
	}
	for _, i := range steps {
		c.priors[i] += float32(share) / float32(len(steps))
	}
	return c.priors
}

// Disfavour undoes [Captures.Favour]: it returns the priors that Favour was given, up to rounding, if
// priors are what it returned. The order of legal may be another. The priors are overwritten by the next
// call of either.
func (c *Captures) Disfavour(g *game.Game, legal []game.Action, priors []float32, share float64) []float32 {
	if share == 0 {
		return priors
	}
	steps := c.Find(g, legal)
	if len(steps) == 0 {
		return priors
	}
	c.priors = append(c.priors[:0], priors...)
	for _, i := range steps {
		c.priors[i] = max(0, c.priors[i]-float32(share)/float32(len(steps)))
	}
	for i := range c.priors {
		c.priors[i] /= float32(1 - share)
	}
	return c.priors
}

// Find returns the indices in legal, the legal actions of g, of the steps that capture an enemy piece
// at once or allow the next step of the turn to do so. A push or a pull is two steps, so these are all
// captures by a push, those by a pull, and those by a push that one step prepares. The indices are
// overwritten by the next call; g is left as it was.
func (c *Captures) Find(g *game.Game, legal []game.Action) []int {
	c.steps = c.steps[:0]
	if g.InSetup() {
		return nil
	}
	side := g.Side()
	if g.Pullable() == 0 && !endangered(g.Board(), side) {
		return nil
	}
	var (
		enemy = g.Board().Color(side.Other())
		mark  = g.Mark()
	)
	for i, a := range legal {
		if !a.IsStep() {
			continue
		}
		g.Play(a)
		if count(g, side.Other()) < bits.OnesCount64(enemy) || g.Side() == side && c.next(g, side) {
			c.steps = append(c.steps, i)
		}
		g.Restore(mark)
	}
	return c.steps
}

// next reports whether one more step captures an enemy piece.
func (c *Captures) next(g *game.Game, side game.Color) bool {
	enemy := g.Board().Color(side.Other())
	traps := game.Neighbors(enemy & game.Traps) // squares of pieces that may be all that keeps one alive
	mark := g.Mark()
	for _, a := range g.Legal(c.buf[:0]) {
		if !a.IsStep() {
			continue
		}
		from, to := uint64(1)<<a.From(), uint64(1)<<a.To()
		if from&enemy == 0 || to&game.Traps == 0 && from&traps == 0 {
			continue
		}
		g.Play(a)
		captured := count(g, side.Other()) < bits.OnesCount64(enemy)
		g.Restore(mark)
		if captured {
			return true
		}
	}
	return false
}

func count(g *game.Game, c game.Color) int { return bits.OnesCount64(g.Board().Color(c)) }

// endangered reports whether an enemy piece on or next to a trap has a stronger piece of side at most
// two squares away. Otherwise two steps capture nothing.
func endangered(b *game.Board, side game.Color) bool {
	at := b.Color(side.Other()) & (game.Traps | game.Neighbors(game.Traps))
	if at == 0 {
		return false
	}
	stronger := uint64(0) // pieces of side that are stronger than the enemy kind at hand
	for k := game.Elephant; k > game.Rabbit; k-- {
		stronger |= b.Pieces(side, k)
		if at&b.Pieces(side.Other(), k-1)&reach(stronger, 2) != 0 {
			return true
		}
	}
	return false
}
