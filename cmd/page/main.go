// Command page shows runs in the browser: their learning curves, their games,
// and a board to play on.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"warren/internal/console"
	"warren/page"
)

const description = `Show runs in the browser: whether they learn, their games, and a board to play at.

A run may be finished, or in the work of another process. Without a run there is the board alone, with the
hand-written opponents. The page is for this machine only, unless --http names another address; then the address
printed has a token, without which nobody gets in.

Examples:
  page                                 play, without a run
  page runs/quick                      one run
  page runs/quick runs/night           two, their curves laid over each other
  page --http 0.0.0.0:8080 runs/quick  for the local network`

type flags struct {
	Runs []string `arg:"" optional:"" placeholder:"RUN" help:"Run directories."`
	HTTP string   `name:"http" default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"Where to serve the page. Default: 127.0.0.1:8080."`
}

func main() {
	var f flags
	console.Parse(&f, "page", description)
	console.Run("page", f.run)
}

func (f *flags) run(ctx context.Context) error {
	c := page.Config{Runs: f.Runs, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	if len(f.Runs) == 0 {
		c.Start = "play"
	}
	return page.Open(ctx, f.HTTP, c, func(url string) {
		fmt.Fprintf(os.Stderr, "The page is at %s\nCtrl-C ends it.\n", url)
	})
}
