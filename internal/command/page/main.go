// Package page shows runs in the browser: their learning curves, their games,
// and a board to play on.
package page

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"warren/internal/arena"
	"warren/internal/console"
	"warren/internal/metrics"
	"warren/internal/page"
	"warren/net/bundled"
)

const description = `Show runs in the browser: their curves, their games, and a board to play at.

A run may be finished, or another process may be training it. Without a run the page has the board alone, to
play against the network that comes with this program and the hand-written opponents. Only this machine can
open the page, unless --http names another address. Access then needs the token in the printed address.

Examples:
  warren page                                 play, without a run
  warren page runs/quick                      one run
  warren page runs/quick runs/night           two, with their curves in the same plots
  warren page --rate 10 runs/quick            first rate the levels of the newest network, by games among them
  warren page --http 0.0.0.0:8080 runs/quick  for the local network`

type flags struct {
	command console.Command `kong:"-"`

	Runs []string `arg:"" optional:"" placeholder:"RUN" help:"Run directories."`
	Rate int      `placeholder:"GAMES" help:"First rate the levels of the run's newest network and the hand-written players, by this many games of each two that are close in strength. After Ctrl-C the same command continues."`
	HTTP string   `name:"http" default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Where to serve the page. Default: 127.0.0.1:8080."`
}

// Main runs the command.
func Main(c console.Command) {
	f := flags{command: c}
	c.Parse(&f, description)
	c.Run(func(ctx context.Context, _ io.Writer) error { return f.run(ctx, os.Stderr) })
}

func (f *flags) run(ctx context.Context, status io.Writer) error {
	if f.Rate != 0 {
		if err := f.rate(ctx); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return f.command.Stopped(status, "Stopped; every finished game is saved.")
		}
	}
	c := page.Config{Runs: f.Runs, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	if len(f.Runs) == 0 {
		c.Start, c.Network = "play", bundled.Name
	}
	return page.Open(ctx, f.HTTP, c, func(url string) {
		fmt.Fprintf(status, "The page is at %s\nCtrl-C ends it.\n", url)
	})
}

// rate rates the levels of the newest network of the run.
func (f *flags) rate(ctx context.Context) error {
	if f.Rate < 2 || len(f.Runs) != 1 {
		return fmt.Errorf("--rate %d: name one run, and at least 2 games", f.Rate)
	}
	l, err := page.Listen(f.HTTP) // games that take hours are not to end at a port that is taken
	if err != nil {
		return err
	}
	l.Close()
	progress := metrics.NewProgress(os.Stderr)
	defer progress.Close()
	return page.RateLevels(ctx, f.Runs[0], f.Rate, progress.Logger(), func(p arena.Progress) {
		progress.Update(metrics.Status{Title: fmt.Sprintf("rating the levels, %d of %d games", p.Games, p.Total), Done: p.Done, Total: 1, Left: p.Left})
	})
}
