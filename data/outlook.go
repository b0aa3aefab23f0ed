package data

import "warren/game"

// Outlook is what the searches of both sides' last turns say about who wins. The zero value is the
// outlook of a new game, in which nothing is known.
type Outlook struct {
	sum   [2]float64 // of the root values of a side's last turn
	count [2]int     // of these values
}

// Add takes account of a decision in the position g.
func (o *Outlook) Add(g *game.Game, d *Decision) {
	if g.InSetup() {
		return
	}
	side := g.Side()
	if g.StepsLeft() == 4 {
		o.sum[side], o.count[side] = 0, 0
	}
	if d.Searched() {
		o.sum[side] += float64(d.Value)
		o.count[side]++
	}
}

// Chance returns the chance to win of the side that is to begin a turn in g: the mean of what the two
// sides' last turns say. The chance is unknown within a turn, after the end of the game, and if one of
// these turns was not searched.
func (o *Outlook) Chance(g *game.Game) (chance float64, known bool) {
	if g.StepsLeft() != 4 || g.Result().Over() || o.count[game.Gold] == 0 || o.count[game.Silver] == 0 {
		return 0, false
	}
	side, other := g.Side(), g.Side().Other()
	own, others := o.sum[side]/float64(o.count[side]), o.sum[other]/float64(o.count[other])
	return (own + 1 - others) / 2, true
}

// Resigner returns the first side that had a chance below the limit when it was to begin a turn, and
// the number of turns completed before that. If there was none, ok is false.
func (r *Record) Resigner(limit float64) (side game.Color, turns int, ok bool) {
	g := game.New()
	var outlook Outlook
	for i := range r.Decisions {
		if chance, known := outlook.Chance(g); known && chance < limit {
			return g.Side(), g.Turns(), true
		}
		outlook.Add(g, &r.Decisions[i])
		g.PlayHandicap(r.Decisions[i].Action, r.Missing)
	}
	if chance, known := outlook.Chance(g); known && chance < limit {
		return g.Side(), g.Turns(), true
	}
	return 0, 0, false
}
