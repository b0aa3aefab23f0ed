package evaluate

import (
	"fmt"
	"time"

	"warren/internal/arena"
	"warren/internal/metrics"
	"warren/internal/plural"
)

// status describes a match or a tournament, some time after a game of it ended.
func (f *flags) status(p arena.Progress, since time.Duration, m *arena.Meter) metrics.Status {
	s := metrics.Status{Title: fmt.Sprintf("%d of %d games", p.Games, p.Total), Total: 1}
	switch {
	case f.Until > 0:
		s.Title = fmt.Sprintf("%d of about %d games", p.Games, p.Total)
	case f.Sprt != "": // nobody knows when a test ends
		s.Title, s.Total = plural.Of(p.Games, "game"), 0
	}
	if games, turns := m.Playing(); games > 0 {
		s.Title += fmt.Sprintf(", %d under way with %s", games, plural.Of(turns, "turn"))
	}
	if p.Games == 0 {
		return s
	}
	if s.Total > 0 {
		s.Done, s.Left = p.Done, p.Left-since // below 0 where the forecast has expired
	}
	if p.Entrants == 2 {
		s.Values = []metrics.Value{{Name: "won", Value: float64(p.Won)}, {Name: "lost", Value: float64(p.Lost)}}
	}
	s.Values = append(s.Values, metrics.Value{Name: "turns/game", Value: float64(p.Turns) / float64(p.Games)})
	if f.Until > 0 {
		s.Values = append(s.Values, metrics.Value{Name: "widest +-", Value: p.Widest})
	}
	return s
}

// limited adds the end of --within to a status. The bar is that of what comes first, the end of the work or of the time.
func (f *flags) limited(s metrics.Status, left time.Duration) metrics.Status {
	if f.Within == 0 {
		return s
	}
	s.Limit = max(1, left)
	if spent := f.Within - left; spent.Seconds()*s.Total >= s.Done*f.Within.Seconds() {
		s.Done, s.Total = spent.Seconds(), f.Within.Seconds()
	}
	return s
}
