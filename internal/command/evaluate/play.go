package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"warren/internal/arena"
	"warren/internal/metrics"
)

// tournament plays or resumes a tournament, or plays a match, and prints the results.
func (f *flags) tournament(ctx context.Context, out io.Writer, config arena.TournamentConfig, entrants []*arena.Entrant) (err error) {
	progress := metrics.NewProgress(os.Stderr)
	defer progress.Close()
	config.Log, config.Meter = progress.Logger(), new(arena.Meter)
	t, err := arena.NewTournament(f.Out, config, entrants)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	last, err := f.play(ctx, t, progress, config.Meter)
	progress.Close()
	why, err := stopped(err)
	switch {
	case why != "":
		again := "With --out DIR the games could be resumed."
		if f.Out != "" {
			again = "To resume: " + f.command.Again()
		}
		fmt.Fprintf(os.Stderr, "%s The results cover the games finished so far.%s %s\n", why, f.left(last), again)
	case err != nil && last.Games == 0:
		return err
	case err != nil:
		fmt.Fprintln(os.Stderr, "The results cover the games finished before the error.")
	}
	standings, unrated := t.Standings()
	if unrated != nil {
		return errors.Join(err, unrated)
	}
	var unsaved error // the standings are shown in any case
	if f.Out != "" {
		if unsaved = save(f.Out, standings); unsaved == nil {
			unsaved = saveGames(f.Out)
		}
	}
	return errors.Join(err, f.print(out, standings, entrants), unsaved)
}

// print prints the score of a match or the standings of a tournament.
func (f *flags) print(out io.Writer, standings *arena.Standings, entrants []*arena.Entrant) error {
	if !f.match(entrants) {
		if f.JSON {
			return printJSON(out, standings)
		}
		return standings.WriteTable(out)
	}
	s := newScore(standings, entrants[0].Name(), entrants[1].Name())
	if f.JSON {
		return printJSON(out, s)
	}
	s.write(out)
	return nil
}

// left says what a tournament has left, if that is known.
func (f *flags) left(p arena.Progress) string {
	if f.Sprt != "" || f.Until > 0 && p.Games == 0 {
		return ""
	}
	are := "games are"
	if p.Total-p.Games == 1 {
		are = "game is"
	}
	left := fmt.Sprintf("%d %s left", p.Total-p.Games, are)
	if f.Until > 0 {
		left = fmt.Sprintf("The widest interval that games can narrow is +-%.0f; about %s", p.Widest, left)
	}
	if p.Games > 0 {
		left += fmt.Sprintf(", for some %v", p.Left.Round(time.Second))
	}
	return " " + left + "."
}

// play plays the games of a tournament and shows its progress. It returns the last.
func (f *flags) play(ctx context.Context, t *arena.Tournament, progress *metrics.Progress, meter *arena.Meter) (arena.Progress, error) {
	if f.Out != "" {
		defer saveEveryMinute(f.Out, t, progress.Logger())()
	}
	var mu sync.Mutex
	last, at := t.Progress(), time.Now()
	stop := progress.Every(func() metrics.Status {
		mu.Lock()
		defer mu.Unlock()
		return f.limited(f.status(last, time.Since(at), meter), time.Until(f.end))
	})
	err := t.Run(ctx, func(p arena.Progress) {
		mu.Lock()
		defer mu.Unlock()
		last, at = p, time.Now()
	})
	stop()
	return last, err
}
