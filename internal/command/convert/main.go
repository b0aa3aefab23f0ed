// Package convert converts the games of earlier versions of the program.
package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"warren/internal/console"
	"warren/internal/convert"
	"warren/internal/metrics"
)

const description = `Convert the games of earlier versions of this program into the present format.

The program reads games in one format only, and names this command when it meets another. The games of a run
stay as new as they were, and the same ones are held out, so the run continues as if nothing had happened. A
file is removed only when its games have been read back from the new one. Stop it with Ctrl-C, or kill it; the
same command finishes the work.

Games that cannot be converted are left out and counted. A file that had some is kept with the suffix .old.

Examples:
  warren convert runs/first
  warren convert runs/first runs/second          the games of several runs
  warren convert games                           a directory that selfplay --out has filled`

type flags struct {
	command console.Command `kong:"-"`

	Runs []string `arg:"" placeholder:"RUN" help:"The directory of a run, or one of games."`
}

// Main runs the command.
func Main(c console.Command) {
	f := flags{command: c}
	c.Parse(&f, description)
	c.Run(f.run)
}

func (f *flags) run(ctx context.Context, out io.Writer) error {
	progress := metrics.NewProgress(os.Stderr)
	defer progress.Close()
	return f.convert(ctx, progress, out)
}

// convert converts the games, and prints a line about those of each run.
func (f *flags) convert(ctx context.Context, progress *metrics.Progress, out io.Writer) error {
	for _, dir := range f.Runs {
		report, err := convert.Run(ctx, dir, progress.Logger(), func(done, total int) {
			progress.Update(metrics.Status{Title: "converting the games of " + dir, Done: float64(done), Total: float64(total)})
		})
		if report != nil {
			fmt.Fprintf(progress.Above(out), "%s: %v\n", dir, report)
		}
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("stopped; to continue, give the same command again: %s", f.command.Again())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
