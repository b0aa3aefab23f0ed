package observe

import "warren/internal/metrics"

// Families returns the counts for Prometheus.
func (c *Counts) Families() []metrics.Family {
	t := c.Totals()
	return []metrics.Family{
		metrics.Counter("warren_games_total", "Finished games.", float64(t.Games)),
		metrics.Counter("warren_positions_total", "Positions of these games to train on.", float64(t.Positions)),
		metrics.Counter("warren_turns_total", "Turns of these games.", float64(t.Turns)),
		metrics.Counter("warren_evaluations_total", "Positions that self-play in this process asked about, including those that its cache knew.", float64(t.Evaluations)),
	}
}
