package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"warren/internal/arena"
	"warren/internal/eval"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/net"
)

// matches plays the matches of a run's networks, in this process or elsewhere.
type matches struct {
	config    *recipe.Config
	dir       *Dir
	training  *training // whose checkpoints are made in the meantime
	reports   *reports
	elsewhere Matches // nil for this process alone
	alone     string  // hash of the newest network that nobody could be measured against
	log       *slog.Logger
}

// tournament opens the tournament whose log is in the given directory of the
// run's matches. If the log cannot be continued, it is renamed and the tournament
// starts again.
func (m *matches) tournament(name string, config arena.TournamentConfig, entrants []*arena.Entrant) (*arena.Tournament, error) {
	path := filepath.Join(m.dir.matches(), name)
	config.Log = m.log
	if m.elsewhere != nil {
		config.Play, config.Workers = m.elsewhere.PlayMatch, m.elsewhere.MatchSeats()
	}
	t, err := arena.NewTournament(path, config, entrants)
	if errors.As(err, new(*arena.LogError)) {
		m.log.Warn("setting aside the games of an unfinished match; it begins again", "error", err)
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

// finish plays the remaining games of a tournament against the opponents named. It
// reports false if the context ends first.
func (m *matches) finish(ctx context.Context, t *arena.Tournament, against string) (done bool, err error) {
	m.reports.observe(&observe.MatchBegan{Against: against})
	defer m.reports.observe(&observe.MatchEnded{})
	err = m.training.saving(ctx, func(ctx context.Context) error {
		return t.Run(ctx, func(p arena.Progress) {
			m.reports.observe(&observe.MatchPlayed{Games: p.Games, Total: p.Total})
		})
	})
	if ctx.Err() != nil {
		return false, nil
	}
	return err == nil, err
}

// seat returns a network as a player in the run's matches.
func (m *matches) seat(n *eval.Network) *arena.Entrant {
	return arena.Seated(n, net.GenerationName(n.Origin.Generation), m.config.MatchSearch())
}

// record returns the record of a match that me has played.
func (m *matches) record(opponent string, me *eval.Network, tally arena.Tally) (*matchRecord, error) {
	how := m.config.MatchSearch()
	search, err := searchOf(&how)
	if err != nil {
		return nil, err
	}
	low, high := tally.Interval()
	return &matchRecord{
		Player: net.GenerationName(me.Origin.Generation), Opponent: opponent, Generation: me.Origin.Generation, Network: me.Hash,
		TurnLimit: m.config.Match.TurnLimit,
		Visits:    how.Visits, Temperature: how.Temperature, Turns: how.TemperatureTurns, Search: search,
		Score: tally, Rate: tally.Rate(), Low: low, High: high,
	}, nil
}
