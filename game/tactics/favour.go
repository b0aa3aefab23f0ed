package tactics

import "warren/game"

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

// Disfavour undoes [Captures.Favour]: it returns the priors that Favour was given, up to rounding,
// if priors are what it returned. The order of legal may differ. The priors are overwritten by the
// next call of either.
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
