package evaluate

import (
	"fmt"
	"sync"
	"time"

	"warren/internal/arena"
	"warren/internal/metrics"
	"warren/internal/plural"
)

// pace says how a match gets on, also while no game ends.
type pace struct {
	meter arena.Meter
	total int // games; 0: not known in advance
	start time.Time

	mu                 sync.Mutex
	played, won, turns int // of the finished games
}

// add counts a finished game.
func (p *pace) add(g *arena.Played) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.played++
	p.turns += g.Turns
	if g.Won() {
		p.won++
	}
}

// status describes the match. There is an estimate as soon as a game has ended: those under way count by their turns.
func (p *pace) status(now time.Time) metrics.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	count := fmt.Sprintf("%d of %d", p.played, p.total)
	if p.total == 0 {
		count = fmt.Sprint(p.played)
	}
	s := metrics.Status{Title: title(count, &p.meter), Total: float64(p.total)}
	if p.played == 0 {
		return s
	}
	games, turns := p.meter.Playing()
	mean := float64(p.turns) / float64(p.played)
	s.Done = float64(p.played) + min(float64(turns)/max(mean, 1), 0.95*float64(games)) // none is over, however long
	s.Left = time.Duration(float64(now.Sub(p.start)) * max(0, s.Total/s.Done-1))
	s.Values = []metrics.Value{{Name: "won", Value: float64(p.won)}, {Name: "lost", Value: float64(p.played - p.won)}, {Name: "turns/game", Value: mean}}
	return s
}

// title says how many games have been played, and what those under way have come to.
func title(count string, m *arena.Meter) string {
	games, turns := m.Playing()
	if count += " games"; count == "1 games" {
		count = "1 game"
	}
	if games == 0 {
		return count
	}
	return fmt.Sprintf("%s, %d under way with %s", count, games, plural.Of(turns, "turn"))
}

// status describes a tournament, some time after a game of it ended.
func (f *flags) status(p arena.Progress, since time.Duration, m *arena.Meter) metrics.Status {
	count, total := fmt.Sprintf("%d of %d", p.Games, p.Total), 1.0
	switch {
	case f.Until > 0:
		count = fmt.Sprintf("%d of about %d", p.Games, p.Total)
	case f.Sprt != "": // nobody knows when a test ends
		count, total = fmt.Sprint(p.Games), 0
	}
	s := metrics.Status{Title: title(count, m), Total: total}
	if p.Games == 0 {
		return s
	}
	if total > 0 {
		s.Done, s.Left = p.Done, max(0, p.Left-since)
	}
	s.Values = []metrics.Value{{Name: "turns/game", Value: float64(p.Turns) / float64(p.Games)}}
	if f.Until > 0 {
		s.Values = append(s.Values, metrics.Value{Name: "widest +-", Value: p.Widest})
	}
	return s
}
