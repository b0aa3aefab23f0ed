package replay

import (
	"math/bits"

	"warren/data"
	"warren/data/schedule"
	"warren/game"
)

// valueTarget determines the value target of positions.
type valueTarget struct {
	rootWeight float32 // share of the root value; the rest is the outcome
	limit      float32 // outcome for the winner of a stopped game by the score
	material   schedule.ByGame[float64]
}

func newValueTarget(c Config) valueTarget {
	return valueTarget{float32(c.QRatio), float32(c.LimitValue), schedule.ByGame[float64](c.MaterialWeight)}
}

// teaches reports whether a decision is a position to train on, in a game that ended with r. A game
// without a result has no value target.
func teaches(d *data.Decision, r game.Result) bool {
	return d.PolicyWeight > 0 || d.ValueWeight > 0 && r.Over()
}

// of returns the value target of a position of p with side to move. root is the root value of the
// position's search.
func (t valueTarget) of(p *packed, side game.Color, root float32) float32 {
	return (1-t.rootWeight)*t.result(p, side) + t.rootWeight*root
}

// result returns the value of a game's end for side.
func (t valueTarget) result(p *packed, side game.Color) float32 {
	if side != game.Gold {
		return 1 - t.forGold(p)
	}
	return t.forGold(p)
}

// forGold returns the outcome of a game for Gold, from 0 to 1: who won, mixed with the difference in
// pieces.
func (t valueTarget) forGold(p *packed) float32 {
	won := t.wonByGold(p)
	if p.leadWeight == 0 {
		return won
	}
	return (1-p.leadWeight)*won + p.leadWeight*leadValue(p.lead)
}

// leadWeight returns the share of the difference in pieces in the outcome of a game of a run.
func (t valueTarget) leadWeight(number uint64) float32 { return float32(t.material.At(number)) }

// leadValue returns the worth of a difference in pieces, between 0 and 1. The first piece is worth
// most: a lead of 1 is worth 2/3, of 2 3/4, of 6 7/8.
func leadValue(lead int) float32 {
	const half = 2 // the lead worth 3/4
	l := float32(lead)
	return 0.5 + 0.5*l/(max(l, -l)+half)
}

// wonByGold returns the outcome of a game as Gold's chance to win.
func (t valueTarget) wonByGold(p *packed) float32 {
	outcome := float32(1)
	switch {
	case !p.result.Over(): // the value target has no weight
		return 0.5
	case p.result.Reason == game.TurnLimit:
		outcome = t.limit
	}
	if p.result.Winner != game.Gold {
		outcome = 1 - outcome
	}
	return outcome
}

// finalLead returns the difference in pieces at the end of a game, Gold's less Silver's.
func finalLead(r *data.Record) int {
	g := game.New()
	for i := range r.Decisions {
		g.Play(r.Decisions[i].Action)
	}
	b := g.Board()
	return bits.OnesCount64(b.Color(game.Gold)) - bits.OnesCount64(b.Color(game.Silver))
}
