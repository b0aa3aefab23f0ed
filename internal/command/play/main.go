// Package play lets a person play against a network or another player in the
// terminal. Package session does what happens at the board; this package reads
// lines, knows the words of the commands, and draws.
package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/console"
	"warren/internal/durable"
	"warren/internal/eval/device"
	"warren/internal/metrics"
	"warren/internal/page"
	"warren/internal/session"
	"warren/net/bundled"
)

var players = arena.Help()

var description = `Play Arimaa against a network or a baseline, in the terminal or over a pipe.

A line of steps is a whole turn: Ed2n Ed3n Mb2n. Captures may be left out. "step Ed2n" makes one step and
leaves the turn open, "end" ends it, "undo" takes back. "setup" without placements chooses a good setup. "help"
lists the other commands: the legal steps, the network's opinion of the position, saving and loading, swapping
sides, resigning. Without an opponent you play against warren, the network that comes with this program.

--puzzles has positions with one right answer, with hints: to score, to defend, to take a piece. Each has a difficulty.

"hint" and "eval" show each side's chance to win according to the network. If the network was trained with
data.material_weight above 0, as by the preset quick, pieces count in this number too.

At a terminal the arrow keys edit a line and bring back earlier ones, and the tab key completes commands and steps.
Nothing is written unless you ask: "save FILE" saves the game, and --save FILE saves it after every turn.

Levels, from one for beginners. Each is as strong as its network; docs/reference/levels.md has the strength of warren's:
` + levels() + `
Opponents:
` + players + `
Examples:
  warren play
  warren play --level 3 --side silver
  warren play --level adapt --save game.txt
  warren play runs/quick/networks/gen-00040.safetensors
  warren play --visits 800 runs/quick/networks/gen-00040.safetensors
  warren play --adviser runs/quick/networks/gen-00040.safetensors random
  warren play alphabeta:time=5s
  warren play --web runs/quick/networks/gen-00040.safetensors
  warren play --puzzles --kind defence --difficulty easy
  warren play --load game-1.txt runs/quick/networks/gen-00040.safetensors
  printf 'setup\nEd2n Ed3n\nquit\n' | warren play`

// usualAddress is where the page is served unless a flag says otherwise.
const usualAddress = "127.0.0.1:8080"

type flags struct {
	command console.Command `kong:"-"`

	Opponent string `arg:"" optional:"" help:"The player to play against. Default: warren."`

	Level      string   `placeholder:"LEVEL" help:"How strong a network plays, as above. Default: ${first} for warren, and ${usual} for other networks or with --visits."`
	Side       string   `default:"gold" placeholder:"SIDE" help:"The side you play, gold or silver. Default: gold."`
	Visits     int      `placeholder:"N" help:"Root visits for every step of a network, as the opponent and for hints. Default: 0, which means the level's for the opponent, and ${hint} for hints."`
	Set        []string `placeholder:"SETTING=VALUE" sep:"none" help:"A search setting of the opponent's network and of hints, such as search.cpuct_init=0.5. May be repeated."`
	Device     string   `default:"auto" placeholder:"NAME" help:"What evaluates networks: auto, cpu, int16, int16/amx, amx, opencl:N or cuda:N; warren speed lists them. Default: auto, the fastest on the processor."`
	Adviser    string   `placeholder:"FILE" help:"The network that gives hints and evaluations. Default: the opponent, if it is a network, and else warren."`
	Load       string   `placeholder:"FILE" help:"Continue with a saved game (an Arimaa move list)."`
	Save       string   `placeholder:"FILE" help:"Save the game in this file after every turn. Default: it is saved only by the command save."`
	Seed       uint64   `default:"1" placeholder:"N" help:"Seed of the opponent's random choices. Default: 1."`
	Puzzles    bool     `help:"Solve puzzles instead of playing."`
	Kind       string   `placeholder:"KIND" help:"With --puzzles: goal, forced, defence, capture, trap or gain. Default: all kinds."`
	Difficulty string   `placeholder:"WORD" help:"With --puzzles: easy, medium or hard. Default: any."`
	PuzzleFile string   `placeholder:"FILE" help:"With --puzzles: the file they are in. Default: those of the program."`

	Web  bool   `help:"Play in the browser, against a network (default: warren) or a hand-written opponent."`
	HTTP string `name:"http" placeholder:"ADDRESS" help:"With --web: where to serve the page. Default: ${address}."`
}

// Main runs the command.
func Main(c console.Command) {
	f := flags{command: c}
	c.Parse(&f, description, "first", arena.FirstLevel, "usual", arena.UsualLevel, "hint", hintVisits, "address", usualAddress)
	c.Run(func(ctx context.Context, out io.Writer) error { return f.run(ctx, newTerminal(out)) })
}

// terminal is the terminal of the person who plays.
type terminal struct {
	in     input
	out    io.Writer
	prompt bool // whether a person types
	color  bool
}

func newTerminal(out io.Writer) *terminal {
	isTerminal := func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" }
	t := &terminal{
		out:    out,
		prompt: isTerminal(os.Stdin) && isTerminal(os.Stdout),
		color:  isTerminal(os.Stdout) && os.Getenv("NO_COLOR") == "",
	}
	if t.prompt {
		t.in = newEditor()
	} else {
		t.in = readLines(os.Stdin)
	}
	return t
}

func (f *flags) run(ctx context.Context, t *terminal) error {
	if err := device.Check(f.Device); err != nil {
		return err
	}
	against := cmp.Or(f.Opponent, bundled.Name)
	if f.Web {
		return f.openWeb(ctx, against)
	}
	if f.Puzzles {
		return f.solve(ctx, t)
	}
	if f.given("kind", "difficulty", "puzzle-file") != "" {
		return errors.New("--kind, --difficulty and --puzzle-file are for puzzles: add --puzzles")
	}
	if f.HTTP != "" {
		return fmt.Errorf("--http %s: add --web to play in the browser", f.HTTP)
	}
	if f.Visits < 0 || f.Visits > session.MaxVisits {
		return fmt.Errorf("--visits is %d, must be from 0 to %d", f.Visits, session.MaxVisits)
	}
	side, err := game.ParseColor(f.Side[:min(1, len(f.Side))])
	if err != nil || f.Side != side.String() && f.Side != string(side.Letter()) {
		return fmt.Errorf("--side is %q, must be gold or silver", f.Side)
	}
	names, err := f.names()
	if err != nil {
		return err
	}
	opponent, err := names.Parse(against)
	if err != nil {
		return err
	}
	if f.Level != "" && opponent.Network == nil {
		return fmt.Errorf("--level %s: only networks have levels, and %s is none", f.Level, against)
	}
	adviser, err := f.adviser(opponent)
	if err != nil {
		return err
	}
	s := session.New(session.Config{Opponent: opponent.Player, Side: side, Seed: f.Seed, Adviser: adviser})
	if err := f.mayKeep(); err != nil {
		return err
	}
	games := 0
	if f.Load != "" {
		if games, err = s.Load(f.Load); err != nil {
			return err
		}
	}
	c := &conversation{
		in: t.in, out: t.out, prompt: t.prompt, color: t.color,
		progress: func() *metrics.Progress { return metrics.NewProgress(os.Stderr) },
		session:  s, command: f.command.Line(), kept: f.Save, against: f.again(against), level: levelOf(opponent.Player), other: isOther(opponent),
	}
	if e, ok := t.in.(*editor); ok {
		e.words = c.words
	}
	c.loaded(f.Load, games)
	return c.run(ctx)
}

// given returns the first of some flags that the command line has, or "" if it has none of them.
func (f *flags) given(names ...string) string {
	given := map[string]bool{
		"level": f.Level != "", "side": cmp.Or(f.Side, "gold") != "gold", "visits": f.Visits != 0, "set": len(f.Set) > 0,
		"device": cmp.Or(f.Device, device.Auto) != device.Auto, "adviser": f.Adviser != "", "load": f.Load != "", "save": f.Save != "", "seed": f.Seed > 1,
		"puzzles": f.Puzzles, "kind": f.Kind != "", "difficulty": f.Difficulty != "", "puzzle-file": f.PuzzleFile != "", "http": f.HTTP != "",
	}
	if i := slices.IndexFunc(names, func(name string) bool { return given[name] }); i >= 0 {
		return names[i]
	}
	return ""
}

// openWeb opens the page with a board to play at.
func (f *flags) openWeb(ctx context.Context, against string) error {
	against, err := bundled.Find(against)
	if err != nil {
		return fmt.Errorf("--web: %w", err)
	}
	if against != bundled.Name && !strings.HasSuffix(against, ".safetensors") {
		return fmt.Errorf("--web %s: name a network, a .safetensors file, or nothing; the other opponents are on the page", against)
	}
	if name := f.given("level", "side", "visits", "set", "device", "adviser", "load", "save", "seed"); name != "" {
		return fmt.Errorf("--%s has no effect with --web: the level, the side and a saved game are chosen on the page", name)
	}
	if name := f.given("puzzles", "kind", "difficulty", "puzzle-file"); name != "" {
		return fmt.Errorf("--%s has no effect with --web: puzzles are chosen on the page", name)
	}
	return page.Open(ctx, cmp.Or(f.HTTP, usualAddress), page.Config{Network: against, Start: "play/now"}, func(url string) {
		fmt.Fprintf(os.Stderr, "Play at %s\nCtrl-C ends it.\n", url)
	})
}

// mayKeep returns an error if no game can be saved in the file of --save.
func (f *flags) mayKeep() error {
	if f.Save == "" {
		return nil
	}
	switch info, err := os.Lstat(f.Save); {
	case err == nil && info.IsDir():
		return fmt.Errorf("--save %s: this is a directory; name a file in it", f.Save)
	case err == nil && f.Save != f.Load:
		return fmt.Errorf("--save %s: the file is there already; choose another name, or continue with it by --load", f.Save)
	}
	dir := filepath.Dir(f.Save)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("--save %s: there is no directory %s; make it first", f.Save, dir)
	}
	if err := durable.Writable(f.Save); err != nil {
		return fmt.Errorf("--save: %w", err)
	}
	return nil
}
