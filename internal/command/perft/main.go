// Package perft checks the rules. It counts and digests the distinct turns of positions,
// counts sequences of steps (perft), and replays archives of games, so that the rules can
// be compared with other programs and with real games.
package perft

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/alecthomas/kong"

	"warren/internal/console"
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

Exit status: 0 on success, 1 if the input is bad or a game breaks the rules, 2 if the command line is wrong, 130 if interrupted.`

type options struct {
	Turns  bool   `help:"Print the number and digest of each position's distinct turns (the default)." xor:"what"`
	Steps  *int   `help:"Print the number of sequences of N legal actions from each position." placeholder:"N" xor:"what"`
	Replay string `help:"Replay the games of a file, report the first illegal turn of each bad game, and print a summary." placeholder:"FILE" xor:"what"`
}

// Validate is called by kong.
func (o *options) Validate() error {
	if o.Steps != nil && *o.Steps < 0 {
		return fmt.Errorf("--steps %d: the number of steps must not be negative", *o.Steps)
	}
	return nil
}

const (
	exitBad         = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// Main runs the command.
func Main(c console.Command) {
	if c.Completes() {
		c.Parse(&options{}, about)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, c.Name(), c.Args(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs the command and returns the exit status.
func run(ctx context.Context, name string, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var (
		o      options
		helped bool
	)
	parser, err := kong.New(&o, kong.Name(name), kong.Description(about), kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }))
	if err != nil {
		console.Print(stderr, name, err)
		return exitUsage
	}
	if _, err = parser.Parse(args); helped {
		return 0
	} else if err != nil {
		fmt.Fprintf(stderr, "%s: %v (see %[1]s -h)\n", name, err)
		return exitUsage
	}
	switch {
	case o.Replay != "":
		err = replayFile(ctx, o.Replay, stdout, stderr)
	case o.Steps != nil:
		err = eachPosition(ctx, stdin, stdout, stderr, countSteps(*o.Steps))
	default:
		err = eachPosition(ctx, stdin, stdout, stderr, countTurns)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "%s: interrupted\n", name)
		return exitInterrupted
	}
	console.Print(stderr, name, err)
	return exitBad
}
