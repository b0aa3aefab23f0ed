// Package perft checks the rules. It counts and digests the distinct turns of positions,
// counts sequences of steps (perft), and replays archives of games, so that the rules can
// be compared with other programs and with real games.
package perft

import (
	"context"
	"io"
	"os"

	"warren/internal/console"
	"warren/internal/metrics"
)

const about = `Count the turns and steps that the rules of Arimaa allow, and replay games.

Reads positions from standard input, one per line, and prints one line for each. A position is the side to move (g or s) and,
in brackets, the 64 squares from a8 to h8, then a7 to h7, down to a1 to h1: RCDHME for Gold, rcdhme for Silver, a space or a full
stop for an empty square. Blank lines and lines that begin with # are skipped.

Examples:

    How many distinct turns does the side to move have? Prints the number and the SHA-256
    of the resulting boards (64 characters each, . for empty), sorted, each followed by a newline.

      $ echo 'g [rrrrrrrrhdcemcdh................................HDCMECDHRRRRRRRR]' | warren perft
      3353 a129dfc8a37a50fd4c062d8dacf7c30852f76672a213426fdd5b90c85d08c1fa

    How many sequences of four legal actions (steps, and the pass that ends a turn early)?

      $ warren perft --steps 4 < positions.txt

    Does every turn in an archive of games (tab-separated: id, result, termination, movelist)
    or in a file of move lists obey the rules, and does every game end as recorded?

      $ warren perft --replay archive.tsv

The exit status is not 0 if the input is bad, a game breaks the rules, or Ctrl-C stops the command.`

type flags struct {
	Steps  *int   `help:"Print the number of sequences of N legal actions from each position, not its distinct turns." placeholder:"N" xor:"what"`
	Replay string `help:"Replay the games of a file, report the first illegal turn of each bad game, and print a summary." placeholder:"FILE" xor:"what"`
}

// Main runs the command.
func Main(c console.Command) {
	var f flags
	c.Parse(&f, about)
	c.Run(func(ctx context.Context, out io.Writer) error { return f.run(ctx, os.Stdin, out) })
}

func (f *flags) run(ctx context.Context, in *os.File, out io.Writer) error {
	answer := countTurns
	if f.Steps != nil {
		if err := console.Within("--steps", float64(*f.Steps), 0, 1000); err != nil {
			return err
		}
		answer = countSteps(*f.Steps)
	}
	progress := metrics.NewProgress(os.Stderr)
	defer progress.Close()
	if f.Replay != "" {
		return replayFile(ctx, f.Replay, out, progress)
	}
	return eachPosition(ctx, in, out, progress, answer)
}

// size returns the bytes of a file, or 0 of anything else, such as a pipe.
func size(f *os.File) float64 {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return float64(info.Size())
}
