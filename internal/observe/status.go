package observe

import (
	"fmt"
	"sync"

	"warren/game"
	"warren/internal/learn"
	"warren/internal/metrics"
)

// Status collects the current state of a training run for a progress display. The
// zero value is ready to use.
type Status struct {
	Counts

	mu     sync.Mutex
	newest Published
	losses learn.Losses
	window float64 // as [Learned] says
	waits  float64 // likewise
	match  string  // the opponents of the current match; empty if there is none
	played MatchPlayed
}

var _ Observer = (*Status)(nil)

// Observe records an event.
func (s *Status) Observe(e Event) {
	s.Counts.Observe(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case *Learned:
		s.losses, s.window, s.waits = e.Losses, e.Window, e.Waits
	case *Published:
		s.newest, s.window, s.waits = *e, 0, 0
	case *MatchBegan:
		s.match, s.played = e.Against, MatchPlayed{}
	case *MatchPlayed:
		s.played = *e
	case *MatchEnded:
		s.match = ""
	}
}

// Now returns the status of a run. done is the fraction of the run that is done,
// from 0 to 1. Where it is 1, a match is all that is left.
func (s *Status) Now(done float64) metrics.Status {
	t := s.Totals()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := metrics.Status{
		Title: s.newest.title(),
		Done:  done, Total: 1,
		Counts: t.rates(),
	}
	switch {
	case s.match != "":
		now.Title += " against " + s.match
		if s.played.Total > 0 {
			now.Title += fmt.Sprintf(", %d of %d games", s.played.Games, s.played.Total)
		}
		if done >= 1 { // self-play is over
			now.Done, now.Total, now.Counts = float64(s.played.Games), float64(s.played.Total), nil
		}
	case s.window > 0:
		now.Title += fmt.Sprintf(", learning the window, %d%%", int(100*s.window))
	case s.waits > 0:
		now.Title += fmt.Sprintf(", games wait for the learner, %d%%", int(100*s.waits))
	}
	if t.Begun > 0 && t.Games == 0 {
		now.Values = append(now.Values, metrics.Value{Name: "games in progress", Value: float64(t.Begun)})
	}
	for _, l := range s.losses {
		if l.Weight > 0 {
			now.Values = append(now.Values, metrics.Value{Name: l.Head + " loss", Value: l.Mean})
		}
	}
	if setup := t.fromSetup(); setup.Games > 0 {
		now.Values = append(now.Values, setup.length(),
			metrics.Value{Name: "goal%", Value: 100 * float64(setup.Reasons[game.Goal]) / float64(setup.Games)})
	}
	return now
}

// title returns the generation, and the stage if the run has several.
func (p *Published) title() string {
	title := fmt.Sprintf("generation %d", p.Generation)
	if p.Stages > 1 {
		title = fmt.Sprintf("stage %d of %d, %s", p.Stage, p.Stages, title)
	}
	return title
}

// fromSetup returns the games that the series games/ of a run are about: those without a random opening.
func (t *Totals) fromSetup() Ended { return t.Less(t.Openings) }

// length returns the mean number of turns.
func (e Ended) length() metrics.Value {
	return metrics.Value{Name: "turns/game", Value: float64(e.Turns) / float64(e.Games)}
}

// rates returns the counts that a display shows as rates.
func (t *Totals) rates() []metrics.Value {
	rates := []metrics.Value{
		{Name: "games", Value: float64(t.Games)},
		{Name: "positions", Value: float64(t.Positions)},
	}
	if t.Evaluations > 0 { // other machines may play, and tell only of games
		rates = append(rates, metrics.Value{Name: "evals", Value: float64(t.Evaluations)})
	}
	return rates
}

// SelfPlay returns the status of self-play alone. It counts before games that were
// there at the start, and ends at total games; a total of 0 means no end.
func (c *Counts) SelfPlay(before, total int) metrics.Status {
	t := c.Totals()
	now := metrics.Status{
		Title: "self-play", Done: float64(before) + float64(t.Games), Total: float64(total),
		Counts: t.rates(),
	}
	if setup := t.fromSetup(); setup.Games > 0 {
		now.Values = []metrics.Value{setup.length()}
	}
	return now
}
