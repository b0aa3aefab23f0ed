package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"warren/internal/arena"
	"warren/internal/eval"
	"warren/internal/observe"
)

// opponent is a player that a network is measured against.
type opponent struct {
	title   string // in the log
	file    string // part of its record's file name
	series  string // of the share of games won; empty for none
	entrant *arena.Entrant
}

// measure measures the current network if a measurement is due: it plays the
// matches, saves their results and rates the network. An interrupted measurement
// continues with the next game. A match whose result is saved is not played
// again.
func (r *Run) measure(ctx context.Context) error {
	me := r.Latest()
	if every := r.config.Match.Every; every == 0 || me.Origin.Generation == 0 || r.state.Generation%every != 0 && !r.Finished() || r.dir.rated(me) {
		return nil
	}
	opponents, err := r.opponents(me)
	if err != nil {
		return err
	}
	missing := slices.DeleteFunc(slices.Clone(opponents), func(o opponent) bool { return r.dir.measured(me, &o) })
	if len(missing) > 0 {
		if err := r.playMatches(ctx, me, missing); err != nil || ctx.Err() != nil {
			return err
		}
	}
	return r.rate(me, opponents)
}

// playMatches plays the network against the opponents and saves the results.
func (r *Run) playMatches(ctx context.Context, me *eval.Network, opponents []opponent) (err error) {
	self := r.seat(me)
	entrants := []*arena.Entrant{self}
	for _, o := range opponents {
		entrants = append(entrants, o.entrant)
	}
	t, err := r.tournament(generationName(me.Origin.Generation), arena.TournamentConfig{
		Rules: arena.Rules{Seed: r.config.Seed, TurnLimit: r.config.Match.TurnLimit},
		Games: r.config.Match.Games, Gauntlet: 1,
	}, entrants)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	against := opponents[0].title
	if n := len(opponents); n > 1 {
		against = fmt.Sprintf("%d opponents", n)
	}
	if done, err := r.finish(ctx, t, me.Origin.Generation, against); err != nil || !done {
		return err
	}
	standings, err := t.Standings()
	if err != nil {
		return err
	}
	for _, o := range opponents {
		tally := standings.Between(self.Name(), o.entrant.Name())
		r.log.Info(fmt.Sprintf("generation %d against %s: %v", me.Origin.Generation, o.title, tally))
		record, err := r.matchRecord(o.entrant.Name(), me, tally)
		if err != nil {
			return err
		}
		if err := writeRecord(r.dir.match(me.Origin.Generation, o.file), record); err != nil {
			return err
		}
	}
	return nil
}

// tournament opens the tournament whose log is in the given directory of the
// run's matches. If the log cannot be continued, it is renamed and the tournament
// starts again.
func (r *Run) tournament(name string, config arena.TournamentConfig, entrants []*arena.Entrant) (*arena.Tournament, error) {
	path := filepath.Join(r.dir.matches(), name)
	config.Log = r.log
	if r.matches != nil {
		config.Play, config.Workers = r.matches.PlayMatch, r.matches.MatchSeats()
	}
	t, err := arena.NewTournament(path, config, entrants)
	if unusable := (*arena.LogError)(nil); errors.As(err, &unusable) {
		r.log.Warn("setting aside the games of an unfinished match; it begins again", "error", err)
		if err := setAside(filepath.Join(path, arena.GamesFile)); err != nil {
			return nil, fmt.Errorf("setting aside the games of a match: %w", err)
		}
		t, err = arena.NewTournament(path, config, entrants)
	}
	if err != nil {
		return nil, fmt.Errorf("beginning a match: %w", err)
	}
	return t, nil
}

// setAside renames a file, to a name that no file has yet.
func setAside(path string) error {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.aside-%d", path, n)
		_, err := os.Lstat(aside)
		if errors.Is(err, fs.ErrNotExist) {
			return os.Rename(path, aside)
		}
		if err != nil {
			return err
		}
	}
}

// finish plays the remaining games of a tournament of a generation's network. It
// reports false if the context ends first.
func (r *Run) finish(ctx context.Context, t *arena.Tournament, generation int, against string) (done bool, err error) {
	r.observer.Observe(&observe.MatchBegan{Generation: generation, Against: against})
	defer r.observer.Observe(&observe.MatchEnded{Generation: generation, Against: against})
	err = r.saving(ctx, func(ctx context.Context) error {
		return t.Run(ctx, func(p arena.Progress) {
			r.observer.Observe(&observe.MatchPlayed{Games: p.Games, Total: p.Total})
		})
	})
	if ctx.Err() != nil {
		return false, nil
	}
	return err == nil, err
}

// seat returns a network as a player in the run's matches.
func (r *Run) seat(n *eval.Network) *arena.Entrant {
	return arena.Seated(n, generationName(n.Origin.Generation), r.config.MatchSearch())
}

// generationName names a network in the matches of its run.
func generationName(generation int) string { return fmt.Sprintf("gen-%05d", generation) }
