// Command play is a game against a network or another player in the terminal.
// What happens at the board is package session's; this package reads lines,
// knows the words of the commands, and draws.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"warren/eval/device"
	"warren/game"
	"warren/internal/console"
	"warren/match"
	"warren/metrics"
	"warren/page"
	"warren/session"
)

var players = match.Help()

var description = `Play Arimaa against a network or a baseline, in the terminal or over a pipe.

A line of steps is a whole turn: Ed2n Ed3n Hb2n. Captures may be left out. "step Ed2n" makes one step and
leaves the turn open, "end" ends it, "undo" takes back. "setup" without placements chooses a good setup. "help"
lists the other commands: the legal steps, the network's opinion of the position, saving and loading, swapping
sides, resigning.

Opponents:
` + players + `
Examples:
  play runs/quick/networks/gen-00040.safetensors
  play --side silver --visits 800 runs/quick/networks/gen-00040.safetensors
  play --adviser runs/quick/networks/gen-00040.safetensors random
  play alphabeta:time=5s
  play --web runs/quick/networks/gen-00040.safetensors
  play --load game-1.txt runs/quick/networks/gen-00040.safetensors
  printf 'setup\nEe2n Ee3n\nquit\n' | play random`

type flags struct {
	Opponent string `arg:"" optional:"" help:"The player to play against."`

	Side    string   `default:"gold" placeholder:"SIDE" help:"The side you play, gold or silver. Default: gold."`
	Visits  int      `default:"200" placeholder:"N" help:"Root visits for every step of a network, as the opponent and for hints. Default: 200."`
	Set     []string `placeholder:"SETTING=VALUE" sep:"none" help:"A search setting of the opponent's network and of hints, as search.cpuct_init=0.5. May be repeated."`
	Device  string   `default:"auto" placeholder:"NAME" help:"What evaluates networks: auto, cpu, amx, opencl:N or cuda:N; cmd/speed lists them. Default: auto, the fastest."`
	Adviser string   `placeholder:"FILE" help:"The network that gives hints and evaluations. Default: the opponent, if it is a network."`
	Load    string   `placeholder:"FILE" help:"Go on with a saved game (an Arimaa move list)."`
	Seed    uint64   `default:"1" placeholder:"N" help:"Seed of the opponent's random choices. Default: 1."`
	Web     bool     `help:"Play in the browser, against a network or, without one, the hand-written opponents."`
	HTTP    string   `name:"http" default:"127.0.0.1:8080" placeholder:"ADDRESS" help:"With --web: where to serve the page. Default: 127.0.0.1:8080."`
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
	if err := device.Check(f.Device); err != nil {
		return err
	}
	if f.Web {
		if f.Opponent != "" && !strings.HasSuffix(f.Opponent, ".safetensors") {
			return fmt.Errorf("--web %s: name a network, a .safetensors file, or nothing; the other opponents are on the page", f.Opponent)
		}
		return page.Open(ctx, f.HTTP, page.Config{Network: f.Opponent, Start: "play/now"}, func(url string) {
			fmt.Fprintf(os.Stderr, "Play at %s\nCtrl-C ends it.\n", url)
		})
	}
	if f.Opponent == "" {
		return errors.New("play OPPONENT: name the player to play against, such as greedy, or play in the browser with --web")
	}
	if f.Visits < 1 || f.Visits > session.MaxVisits {
		return fmt.Errorf("--visits is %d, must be from 1 to %d", f.Visits, session.MaxVisits)
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
	adviser, err := f.adviser(opponent)
	if err != nil {
		return err
	}
	s := session.New(session.Config{Opponent: opponent.Player, Side: side, Seed: f.Seed, Adviser: adviser})
	if f.Load != "" {
		if err := s.Load(f.Load); err != nil {
			return err
		}
	}
	c := &conversation{
		in: t.in, out: t.out, prompt: t.prompt, color: t.color,
		progress: func() *metrics.Progress { return metrics.NewProgress(os.Stderr, metrics.ProgressOptions{}) },
		session:  s, against: f.Opponent,
	}
	return c.run(ctx)
}
