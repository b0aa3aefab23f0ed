// Package puzzles makes a file of puzzles from recorded games.
package puzzles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/console"
	"warren/internal/durable"
	"warren/internal/eval/device"
	"warren/internal/metrics"
	"warren/internal/puzzle"
	"warren/internal/puzzle/find"
	"warren/internal/visible"
	"warren/net/bundled"
)

const description = `Make puzzles from recorded games, by exact search.

The games are files of move lists or archives, as evaluate --out writes them (games.tsv). The puzzles are of six kinds:
  goal     score a goal this turn, which takes four steps
  forced   play so that a goal follows next turn, against every reply
  defence  leave the opponent, who threatens a goal, none next turn
  capture  take a piece, so that the reply can take none and score no goal
  trap     choose the one natural turn that gives the opponent no goal
  gain     play so that you take a piece next turn, against every reply, and lose none until then

Every search is complete; a position whose search would take too long is left out. A puzzle has one right answer. A
game gives at most one puzzle of each kind, and its puzzles are at least eight turns apart. Puzzles that are mirror
images of others, or have the same answer on the same squares, are left out.

To solve puzzles: warren play --puzzles. To test players with them: warren evaluate --puzzles, which also measures how
difficult each is. docs/reference/puzzles.md describes the file.

Examples:
  warren puzzles --out puzzles.tsv results/games.tsv
  warren puzzles --each 20 --out few.tsv a.tsv b.tsv
  warren evaluate --puzzles --puzzle-file puzzles.tsv --out rated.tsv warren:visits=1 warren:visits=64`

type flags struct {
	Games []string `arg:"" help:"Files of games."`

	Out     string `required:"" placeholder:"FILE" help:"The file to write."`
	Each    int    `default:"100" placeholder:"N" help:"The most puzzles of each kind. Default: 100."`
	Natural string `default:"${natural}" placeholder:"PLAYER" help:"Whose turns, drawn several times, are the choices of traps. Default: ${natural}."`
	Device  string `default:"auto" placeholder:"NAME" help:"What evaluates networks: auto, cpu, int16, int16/amx, amx, opencl:N or cuda:N. Default: auto, the fastest on the processor."`
	Workers int    `placeholder:"N" help:"Games searched at once. Default: one per core."`
}

// natural is the network alone, whose first choices vary.
const natural = bundled.Name + ":visits=1,temperature=1,temperature_turns=10000"

// Main runs the command.
func Main(c console.Command) {
	var f flags
	c.Parse(&f, description, "natural", natural)
	c.Run(f.run)
}

func (f *flags) run(ctx context.Context, out io.Writer) error {
	if err := cmp.Or(
		console.Within("--each", float64(f.Each), 1, 1e6),
		console.Within("--workers", float64(f.Workers), 0, 1024)); err != nil {
		return err
	}
	if err := device.Check(f.Device); err != nil {
		return err
	}
	if err := puzzle.Writable(f.Out); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	names := &arena.Names{Network: device.Load, Device: f.Device, Search: arena.DefaultSearch()}
	player, err := names.Parse(f.Natural)
	if err != nil {
		return fmt.Errorf("--natural: %w", err)
	}
	if err := player.Startable(); err != nil {
		return fmt.Errorf("--natural: %w", err)
	}
	games, err := f.read(os.Stderr)
	if err != nil {
		return err
	}
	progress := metrics.NewProgress(os.Stderr)
	defer progress.Close()
	var set find.Set
	set.Each = f.Each
	natural := drawer{player: player}
	err = search(ctx, games, natural.draws, &set, f.Workers, func(done int) {
		status := metrics.Status{Title: "games", Done: float64(done), Total: float64(len(games))}
		for k, n := range set.Counts() {
			status.Values = append(status.Values, metrics.Value{Name: puzzle.Kind(k).String(), Value: float64(n)})
		}
		progress.Update(status)
	})
	progress.Close()
	natural.report(os.Stderr)
	return f.save(out, &set, err)
}

// save writes the puzzles and prints how many there are, also of a search that an error has ended.
func (f *flags) save(out io.Writer, set *find.Set, err error) error {
	stopped := errors.Is(err, context.Canceled)
	file := set.File()
	switch {
	case len(file.Puzzles) == 0 && stopped:
		return errors.New("stopped before a puzzle was found; nothing is written")
	case len(file.Puzzles) == 0 && err != nil:
		return err
	case len(file.Puzzles) == 0:
		return errors.New("no puzzle was found: give more games")
	case stopped:
		err = console.ErrStopped
		fmt.Fprintln(os.Stderr, "Stopped. The file has the puzzles found so far.")
	case err != nil:
		fmt.Fprintln(os.Stderr, "The search failed. The file has the puzzles found before.")
	}
	if unsaved := durable.WriteFile(f.Out, file.Write); unsaved != nil {
		return errors.Join(err, unsaved)
	}
	for k, n := range set.Counts() {
		fmt.Fprintf(out, "%4d %v\n", n, puzzle.Kind(k))
	}
	return err
}

// recorded is a game and its name.
type recorded struct {
	source  string
	actions []game.Action
}

// read reads the games of all files in turn, one of each, so that the puzzles come from all. It writes to w how
// many cannot be read, and why the first.
func (f *flags) read(w io.Writer) ([]recorded, error) {
	var files [][]recorded
	most := 0
	for _, path := range f.Games {
		file, err := durable.Open(path)
		if err != nil {
			return nil, fmt.Errorf("reading games: %w", err)
		}
		defer file.Close()
		var games []recorded
		left, first := 0, error(nil)
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		for g, err := range game.ReadGames(file) {
			var list *game.MoveList
			if err == nil {
				if list, err = game.ParseMoveList(g.MoveList); err != nil {
					err = fmt.Errorf("line %d: %w", g.Line, err)
				}
			}
			if err != nil {
				left, first = left+1, cmp.Or(first, err)
				continue
			}
			games = append(games, recorded{name + " " + cmp.Or(g.ID, fmt.Sprint("line ", g.Line)), list.Actions})
		}
		if left > 0 {
			fmt.Fprintf(w, "%s: games that cannot be read are left out: %d. The first: %s.\n", path, left, visible.Text(first.Error()))
		}
		files, most = append(files, games), max(most, len(games))
	}
	var all []recorded
	for i := range most {
		for _, games := range files {
			if i < len(games) {
				all = append(all, games[i])
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("there are no games in the files: give move lists, or games.tsv of evaluate --out")
	}
	return all, nil
}
