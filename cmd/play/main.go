// Command play is a game against a checkpoint or a baseline in the terminal.
package main

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/term"

	"warren/game"
	"warren/internal/console"
	"warren/match"
	"warren/metrics"
	"warren/net"
)

var players = match.Help()

var description = `Play Arimaa against a network or a baseline, in the terminal or over a pipe.

A line of steps is a whole turn: Ed2n Ed3n Hb2n. Captures may be left out. "step Ed2n" makes one step and
leaves the turn open, "end" ends it, "undo" takes back. "setup" alone takes a good setup; "help" lists
everything else: the legal steps, what the network thinks of the position, saving and loading, swapping
sides, resigning.

Opponents:
` + players + `
Examples:
  play runs/quick/networks/gen-00040.safetensors
  play --side silver --visits 800 runs/quick/networks/gen-00040.safetensors
  play --adviser runs/quick/networks/gen-00040.safetensors random
  play alphabeta:time=5s
  play --load game-1.txt runs/quick/networks/gen-00040.safetensors
  printf 'setup\nEe2n Ee3n\nquit\n' | play random`

type flags struct {
	Opponent string `arg:"" help:"Whom to play against."`

	Side    string   `default:"gold" placeholder:"SIDE" help:"The side you play, gold or silver. Default: gold."`
	Visits  int      `default:"200" placeholder:"N" help:"Root visits of a network for every step, the opponent's and a hint's. Default: 200."`
	Set     []string `placeholder:"SETTING=VALUE" sep:"none" help:"A search setting of the opponent's network and of hints, as search.cpuct_init=0.5. May be repeated."`
	Adviser string   `placeholder:"FILE" help:"The network that gives hints and evaluations. Default: the opponent, if it is a network."`
	Load    string   `placeholder:"FILE" help:"Go on with a saved game (an Arimaa move list)."`
	Seed    uint64   `default:"1" placeholder:"N" help:"Seed of what the opponent does by chance. Default: 1."`
}

func main() {
	var f flags
	console.Parse(&f, "play", description)
	console.Run("play", func(ctx context.Context) error { return f.run(ctx, newTerminal()) })
}

// terminal is where the person sits.
type terminal struct {
	in     *lines
	out    *os.File
	prompt bool // whether to ask for input
	color  bool
}

func newTerminal() *terminal {
	isTerminal := func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" }
	return &terminal{
		in: readLines(os.Stdin), out: os.Stdout,
		prompt: isTerminal(os.Stdin) && isTerminal(os.Stdout),
		color:  isTerminal(os.Stdout) && os.Getenv("NO_COLOR") == "",
	}
}

func (f *flags) run(ctx context.Context, t *terminal) error {
	if _, err := net.Kernels(); err != nil {
		return err
	}
	if f.Visits < 1 || f.Visits > 1e6 {
		return fmt.Errorf("--visits is %d, must be from 1 to 1000000", f.Visits)
	}
	side, err := game.ParseColor(f.Side[:min(1, len(f.Side))])
	if err != nil || f.Side != side.String() && f.Side != string(side.Letter()) {
		return fmt.Errorf("--side is %q, must be gold or silver", f.Side)
	}
	names, err := f.names()
	if err != nil {
		return err
	}
	opponent, err := names.Parse(f.Opponent)
	if err != nil {
		return err
	}
	s := &session{
		in: t.in, out: t.out, prompt: t.prompt, color: t.color,
		progress: func() *metrics.Progress { return metrics.NewProgress(os.Stderr, metrics.ProgressOptions{}) },
		opponent: opponent.Player, against: f.Opponent, side: side, seed: f.Seed,
		table: newTable(),
	}
	if s.adviser, err = f.adviser(opponent); err != nil {
		return err
	}
	if f.Load != "" {
		if err := s.table.load(f.Load); err != nil {
			return err
		}
	}
	return s.run(ctx)
}
