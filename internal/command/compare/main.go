// Package compare tells whether two runs played the same games and learned the
// same networks.
package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"warren/internal/console"
	"warren/internal/dataset"
	"warren/internal/metrics"
)

const description = `Compare two runs: their networks, bit for bit, and their games, action by action and visit by visit.

Two synchronous runs with the same settings and seed are the same, whatever the number of workers and
however often they were interrupted, as long as they are evaluated on the same path (WARREN_KERNEL). This
command checks it. The runs may come from two versions of the program, once their games have the same
format (convert). It exits with status 1 if the runs differ. Which of two networks plays better is a question
for warren evaluate.

Examples:
  warren compare runs/a runs/b
  warren compare --games runs/a runs/b         only the games

To compare this version with an older one, from its COMMIT:
  git worktree add ../older COMMIT
  (cd ../older && go run ./cmd/train --config smoke --run /tmp/older/smoke)
  go run ./cmd/train --config smoke --run /tmp/newer/smoke
  go run ./cmd/warren convert /tmp/older/smoke
  go run ./cmd/warren compare /tmp/older/smoke /tmp/newer/smoke`

type flags struct {
	A     string `arg:"" help:"A run, or, with --games, a directory of games."`
	B     string `arg:"" help:"Another."`
	Games bool   `help:"Compare only the games."`
}

// Main runs the command.
func Main(c console.Command) {
	var f flags
	c.Parse(&f, description)
	c.Run(f.run)
}

// errDifferent is the error of two runs that differ.
var errDifferent = errors.New("the runs differ")

func (f *flags) run(ctx context.Context, out io.Writer) error {
	progress := metrics.NewProgress(os.Stderr)
	defer progress.Close()
	return f.compare(ctx, progress, out)
}

// compare compares what the flags ask for, and prints what it finds.
func (f *flags) compare(ctx context.Context, progress *metrics.Progress, out io.Writer) error {
	out = progress.Above(out)
	different := false
	if !f.Games {
		networks, err := compareNetworks(ctx, f.A, f.B)
		if err != nil {
			return err
		}
		networks.write(out, "networks", "numbers")
		different = networks.different()
	}
	switch games, err := compareGames(ctx, f.A, f.B, progress); {
	case errors.Is(err, dataset.ErrNoGames) && !f.Games:
		fmt.Fprintln(out, "games: not compared, because a run has none")
	case err != nil:
		return err
	default:
		games.write(out, "games", "decisions")
		different = different || games.different()
	}
	if different {
		return errDifferent
	}
	return nil
}

// result is what a comparison has found.
type result struct {
	same    int    // things of both runs that are equal
	parts   int    // numbers or decisions in them
	differ  listed // the things that are not
	missing listed // and those that only one run has
}

func (r *result) different() bool { return r.differ.count+r.missing.count > 0 || r.same == 0 }

// shown is the largest number of differences that are listed.
const shown = 5

// listed counts things and has the descriptions of the first: of two long runs, millions may differ.
type listed struct {
	count int
	first []string
}

func (l *listed) add(description string) {
	if l.count++; l.count <= shown {
		l.first = append(l.first, description)
	}
}

func (r *result) write(out io.Writer, things, parts string) {
	fmt.Fprintf(out, "%s: %d are the same (%d %s), %d differ, %d are in one run only\n", things, r.same, r.parts, parts, r.differ.count, r.missing.count)
	for _, list := range []listed{r.differ, r.missing} {
		for _, text := range list.first {
			fmt.Fprintf(out, "  %s\n", text)
		}
		if list.count > shown {
			fmt.Fprintf(out, "  and %d more\n", list.count-shown)
		}
	}
}
