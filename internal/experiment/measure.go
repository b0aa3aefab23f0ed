package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warren/internal/arena"
	"warren/internal/eval/device"
	"warren/internal/metrics"
)

// referenceNames reads the names of the reference players. Networks among them play as in warren evaluate.
func referenceNames() *arena.Names {
	search := arena.DefaultSearch()
	search.Visits, search.Temperature, search.TemperatureTurns = 48, 1, 4
	return &arena.Names{Network: device.Load, Device: device.Auto, Search: search}
}

// measure plays the matches of all runs that are over: first those at the end, then
// those of the milestones.
func (w *worker) measure(ctx context.Context, workers int) error {
	for _, at := range w.plan.moments() {
		if err := w.tournament(ctx, at, workers); err != nil || ctx.Err() != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("%s: %w", matchesAt(at), err)
		}
	}
	return nil
}

// tournament plays the matches of one moment.
func (w *worker) tournament(ctx context.Context, at float64, workers int) (err error) {
	entrants, runs, err := w.entrants(at)
	if err != nil || len(entrants) < 2 {
		return err
	}
	config := arena.TournamentConfig{
		Rules:   arena.Rules{Seed: 1, TurnLimit: w.plan.TurnLimit},
		Between: w.plan.pairing(runs, at), Workers: workers, Log: w.log,
	}
	if err := released(ctx, w.dir.matches(at)); err != nil {
		return err
	}
	t, err := arena.NewTournament(w.dir.matches(at), config, entrants)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	what := matchesAt(at)
	err = t.Run(ctx, func(p arena.Progress) {
		w.tell(news{What: what, Done: p.Done, Games: p.Games, Total: p.Total})
	})
	if err != nil {
		return err
	}
	// It may have been over before.
	played, err := readResults(w.dir.matches(at))
	games := played.games()
	w.tell(news{What: what, Done: 1, Games: games, Total: games})
	return err
}

// matchesAt is what a worker calls the matches at a moment.
func matchesAt(at float64) string { return "matches at " + moment(at) }

// pairing says how many games two players have at a moment: networks of different
// variants, at a milestone only those with the same seed, and everyone with the
// reference players, which play among themselves at the end only.
func (p *Plan) pairing(runs map[string]Run, at float64) func(a, b string) int {
	return func(a, b string) int {
		x, network := runs[a]
		y, other := runs[b]
		switch {
		case network && other && (x.Variant == y.Variant || at != 1 && x.Seed != y.Seed):
			return 0
		case !network && !other && at != 1:
			return 0
		case at != 1:
			return p.MilestoneGames
		case network != other:
			return p.referenceGames()
		}
		return p.Games
	}
}

// entrants returns the players at a moment, and which runs they are by name.
func (w *worker) entrants(at float64) ([]*arena.Entrant, map[string]Run, error) {
	var entrants []*arena.Entrant
	runs := map[string]Run{}
	for _, r := range w.plan.runs() {
		over, err := w.dir.over(r)
		if err != nil {
			return nil, nil, err
		}
		if !over {
			continue
		}
		e, err := w.network(r, at)
		if err != nil {
			return nil, nil, err
		}
		entrants = append(entrants, e)
		runs[r.String()] = r
	}
	if len(entrants) == 0 {
		return nil, nil, nil
	}
	references, err := w.plan.references()
	return append(entrants, references...), runs, err
}

// network returns a run's network at a moment as a player. It searches as in the
// matches of its run.
func (w *worker) network(r Run, at float64) (*arena.Entrant, error) {
	points, err := metrics.ReadLines(w.dir.metrics(r))
	if err != nil && len(points) == 0 {
		return nil, err
	}
	published := metrics.Series(points, "total/minutes")
	for _, s := range metrics.Series(points, "gatekeeper/accepted") {
		if s.Value == 0 {
			published = slices.DeleteFunc(published, func(p metrics.Sample) bool { return p.Step == s.Step })
		}
	}
	generation := newest(published, at, w.plan.Budget.Minutes())
	settings := w.plan.variant(r.Variant).Settings
	network, err := device.Load(w.dir.network(r, generation), settings.Device)
	if err != nil {
		return nil, err
	}
	return arena.Seated(network, r.String(), settings.MatchSearch()), nil
}

// newest returns the generation of a run's newest network at a fraction of the budget, or
// at the end, which is 1. The networks were published at these minutes. Before the first it
// is 0, the untrained network.
func newest(published []metrics.Sample, at, budget float64) (generation int) {
	for _, s := range published {
		if s.Value <= at*budget || at == 1 {
			generation = int(s.Step)
		}
	}
	return generation
}
