package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/arena/rating"
	"warren/internal/metrics"
)

// match plays a match between two players and prints its score.
func (f *flags) match(ctx context.Context, out io.Writer, rules arena.Rules, test *rating.SPRT, a, b *arena.Entrant) error {
	progress := metrics.NewProgress(os.Stderr)
	defer progress.Close()
	pace := pace{start: time.Now()}
	if test == nil {
		pace.total = f.games() + f.games()%2
	}
	show := func() metrics.Status { return pace.status(time.Now()) }
	stop := progress.Every(show)
	forfeits := map[string]int{}
	tally, err := arena.Play(ctx, arena.Config{
		Rules: rules, Games: f.games(), Workers: f.Workers, Test: test, Meter: &pace.meter,
	}, a, b, func(g *arena.Played) {
		pace.add(g)
		if g.Forfeit != "" {
			forfeits[g.Forfeit]++
		}
	})
	stop()
	progress.Update(show())
	progress.Close()
	played := pace.played
	why, stopped := stopped(err)
	switch {
	case stopped:
		err = nil
		fmt.Fprintf(os.Stderr, "%s The score covers the games finished so far.%s With --out DIR the match could be resumed.\n", why, f.gamesLeft(played))
	case err != nil && played == 0:
		return err
	case err != nil:
		fmt.Fprintln(os.Stderr, "A game failed. The score covers the games finished before.")
	}
	if f.JSON {
		return errors.Join(err, printJSON(out, newScore(a.Name(), b.Name(), rules, test, tally, forfeits)))
	}
	fmt.Fprintf(out, "%s against %s: %v\n", a.Name(), b.Name(), tally)
	for reason, n := range tally.Reasons {
		if n > 0 {
			fmt.Fprintf(out, "  %d by %v\n", n, game.Reason(reason))
		}
	}
	for _, cause := range slices.Sorted(maps.Keys(forfeits)) {
		fmt.Fprintf(out, "  %d by forfeit: %s\n", forfeits[cause], cause)
	}
	if test != nil {
		fmt.Fprintf(out, "Sequential test of %g against %g Elo: %v.\n", test.Elo0, test.Elo1, tally.Test)
	}
	return err
}

// gamesLeft says how many games a match has left, if that is known.
func (f *flags) gamesLeft(played int) string {
	if f.Sprt != "" {
		return ""
	}
	return fmt.Sprintf(" %s.", areLeft(f.games()+f.games()%2-played))
}

// areLeft says that n games are left.
func areLeft(n int) string {
	if n == 1 {
		return "1 game is left"
	}
	return fmt.Sprintf("%d games are left", n)
}

// tournament plays or resumes a tournament and prints the standings.
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
	why, stopped := stopped(err)
	if err != nil && !stopped {
		return err
	}
	if stopped {
		again := "With --out DIR it could be resumed."
		if f.Out != "" {
			again = "To resume: " + f.command.Again()
		}
		fmt.Fprintf(os.Stderr, "%s The standings cover the games finished so far.%s %s\n", why, f.left(last), again)
	}
	standings, err := t.Standings()
	if err != nil {
		return err
	}
	var unsaved error // the standings are shown in any case
	if f.Out != "" {
		if unsaved = save(f.Out, standings); unsaved == nil {
			unsaved = saveGames(f.Out)
		}
	}
	if f.JSON {
		return errors.Join(printJSON(out, standings), unsaved)
	}
	return errors.Join(standings.WriteTable(out), unsaved)
}

// left says what a tournament has left, if that is known.
func (f *flags) left(p arena.Progress) string {
	if p.Games == 0 || f.Sprt != "" {
		return ""
	}
	about := "About"
	if f.Until > 0 {
		about = fmt.Sprintf("The widest interval that games can narrow is +-%.0f; about", p.Widest)
	}
	return fmt.Sprintf(" %s %s, for some %v.", about, areLeft(p.Total-p.Games), p.Left.Round(time.Second))
}

// play plays the games of a tournament and shows its progress. It returns the last.
func (f *flags) play(ctx context.Context, t *arena.Tournament, progress *metrics.Progress, meter *arena.Meter) (arena.Progress, error) {
	if f.Out != "" {
		defer saveEveryMinute(f.Out, t, progress.Logger())()
	}
	var mu sync.Mutex
	last, at := t.Progress(), time.Now()
	show := func() metrics.Status {
		mu.Lock()
		defer mu.Unlock()
		return f.status(last, time.Since(at), meter)
	}
	stop := progress.Every(show)
	err := t.Run(ctx, func(p arena.Progress) {
		mu.Lock()
		defer mu.Unlock()
		last, at = p, time.Now()
	})
	stop()
	progress.Update(show())
	return last, err
}
