package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"warren/game"
	"warren/internal/console"
	"warren/match"
	"warren/metrics"
	"warren/rating"
)

// match plays a match between two players and prints its score.
func (f *flags) match(ctx context.Context, out io.Writer, rules match.Rules, test *rating.SPRT, a, b *match.Entrant) error {
	progress := metrics.NewProgress(os.Stderr, metrics.ProgressOptions{})
	defer progress.Close()
	var won, turns int
	played := 0
	forfeits := map[string]int{}
	tally, err := match.Play(ctx, match.Config{
		Games: f.games(), Seed: f.Seed, TurnLimit: f.TurnLimit, Workers: f.Workers, Openings: rules.Openings, Test: test,
	}, a, b, func(g *match.Played) {
		played++
		turns += g.Turns
		if g.Won() {
			won++
		}
		if g.Forfeit != "" {
			forfeits[g.Forfeit]++
		}
		status := metrics.Status{
			Title: "match", Done: float64(played), Total: float64(f.games() + f.games()%2),
			Values: []metrics.Value{{Name: "won", Value: float64(won)}, {Name: "lost", Value: float64(played - won)},
				{Name: "turns/game", Value: float64(turns) / float64(played)}},
		}
		if test != nil {
			status.Total = 0 // not known in advance
		}
		progress.Update(status)
	})
	progress.Close()
	switch {
	case errors.Is(err, context.Canceled):
		err = nil
		fmt.Fprintln(os.Stderr, "Stopped. The score covers the games finished so far.")
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

// tournament plays or resumes a tournament and prints the standings.
func (f *flags) tournament(ctx context.Context, out io.Writer, config match.TournamentConfig, over axis, entrants []*match.Entrant) (err error) {
	t, err := match.NewTournament(f.Out, config, entrants)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	err = f.play(ctx, t, over)
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	if ctx.Err() != nil {
		again := "With --out DIR it could go on another time."
		if f.Out != "" {
			again = "To go on: " + console.Again("evaluate")
		}
		fmt.Fprintf(os.Stderr, "Stopped. The standings cover the games finished so far. %s\n", again)
	}
	standings, err := t.Standings()
	if err != nil {
		return err
	}
	if f.Out != "" {
		if err := save(f.Out, standings, over); err != nil {
			return err
		}
		if err := saveGames(f.Out); err != nil {
			return err
		}
	}
	if f.JSON {
		return printJSON(out, standings)
	}
	return standings.WriteTable(out)
}

// play plays the games of a tournament and shows its progress.
func (f *flags) play(ctx context.Context, t *match.Tournament, over axis) error {
	progress := metrics.NewProgress(os.Stderr, metrics.ProgressOptions{})
	defer progress.Close()
	if f.Out != "" {
		defer saveEveryMinute(f.Out, t, over, progress.Logger())()
	}
	return t.Run(ctx, func(p match.Progress) {
		status := metrics.Status{
			Title: fmt.Sprintf("%d of %d games", p.Games, p.Total), Done: p.Done, Total: 1, Left: p.Left,
			Values: []metrics.Value{{Name: "turns/game", Value: float64(p.Turns) / float64(p.Games)}},
		}
		if f.Until > 0 {
			status.Title = fmt.Sprintf("%d of about %d games", p.Games, p.Total)
			status.Values = append(status.Values, metrics.Value{Name: "widest +-", Value: p.Widest})
		}
		progress.Update(status)
	})
}
