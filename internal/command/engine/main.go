// Package engine plays a network as an engine that speaks the Arimaa Engine
// Interface over standard input and output.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"time"

	"warren/internal/arena"
	"warren/internal/arena/aei"
	"warren/internal/console"
	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/internal/think"
	"warren/mcts"
	"warren/net/bundled"
)

const description = `Play a network as an engine that speaks the Arimaa Engine Interface (AEI), version 1. Without an
argument it is warren, the network that comes with this program.

A controller starts this program and talks to it over standard input and output. The program keeps the
controller's time control, thinks on the opponent's time when asked to ('go ponder'), and ends when it is told to
quit or its input ends. Besides the protocol's own options it knows hash (MB), depth (steps), threads, visits and
level, which set the same as the flags of these names. At a level it plays for people, as in warren play, and does not
ponder below the levels by time. docs/reference/aei.md says more.

In the configuration files of the AEI tools (pip install aei):
  roundrobin.cfg   [Warren]
                   cmdline = warren engine
                   bot_hash = 1000
  analyze.cfg      [global]
                   default_engine = warren
                   [warren]
                   cmdline = warren engine --time 30s runs/quick/networks/gen-00040.safetensors
  gameroom.cfg     [bot_warren]
                   cmdline = warren engine --overhead 1s runs/quick/networks/gen-00040.safetensors
                   ponder = True

By hand, a line to the shell and four to the engine:
  warren engine
  aei
  newgame
  go
  quit`

type flags struct {
	Network string `arg:"" optional:"" help:"The network: a .safetensors file, or the directory of a run, whose newest network it is. Default: ${bundled}."`

	Set      []string      `placeholder:"SETTING=VALUE" sep:"none" help:"Override a setting of the search, such as search.cpuct_init=0.5 (train --settings lists them). May be repeated."`
	Device   string        `default:"auto" placeholder:"NAME" help:"What evaluates the network: auto, cpu, int16, int16/amx, amx, opencl:N or cuda:N (warren speed lists them), or several, separated by commas: when one is lost, the next one replaces it. Default: auto, the fastest on the processor."`
	Threads  int           `placeholder:"N" help:"Threads that search. Default: one per core."`
	Batch    int           `default:"0" placeholder:"N" help:"Positions that a thread evaluates at once, at most. Default: 0, which means 8 on the processor, and up to 256 on a device that computes by itself."`
	Hash     int           `default:"1024" placeholder:"MB" help:"Memory of the search tree at most, in MB, up to 10624. It grows with the tree, each time taking up to about twice as much for a moment; a full tree drops the positions with the fewest visits. Default: 1024."`
	Visits   int           `placeholder:"N" help:"Root visits after which a step is played. Default: no limit."`
	Depth    int           `placeholder:"STEPS" help:"Length of the principal variation, in steps, at which the turn is played. Default: no limit."`
	Level    string        `placeholder:"LEVEL" help:"Play at this level of strength, 1 to ${levels} or adapt, as in warren play. Default: 0, as strongly as the limits allow."`
	Time     time.Duration `default:"10s" placeholder:"TIME" help:"Time for a turn if neither the controller nor a flag sets a limit. Default: 10s."`
	Overhead time.Duration `default:"100ms" placeholder:"TIME" help:"Time of each turn kept in reserve, so that the answer reaches the controller in time. Default: 100ms."`
}

// Main runs the command.
func Main(c console.Command) {
	var f flags
	c.Parse(&f, description, "bundled", bundled.Name, "levels", len(arena.Levels()))
	c.Run(f.run)
}

func (f *flags) run(ctx context.Context, out io.Writer) error {
	e, id, err := f.engine()
	if err != nil {
		return err
	}
	return aei.Serve(ctx, os.Stdin, out, id, e)
}

// engine returns the engine that the flags describe.
func (f *flags) engine() (*engine, aei.ID, error) {
	if err := f.check(); err != nil {
		return nil, aei.ID{}, err
	}
	search := mcts.MatchConfig()
	if err := arena.ReadSearch(f.Set, &search); err != nil {
		return nil, aei.ID{}, fmt.Errorf("--set: %w", err)
	}
	devices := device.Choose(f.Device, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	path := cmp.Or(f.Network, bundled.Name)
	read, origin, err := device.Read(path)
	if err != nil {
		return nil, aei.ID{}, err
	}
	n, err := devices.Play(read, origin)
	if err != nil {
		return nil, aei.ID{}, err
	}
	if err := arena.CheckSearch(search, n); err != nil {
		return nil, aei.ID{}, err
	}
	level, err := parseLevel(f.Level)
	if err != nil {
		return nil, aei.ID{}, err
	}
	name := "Warren"
	if path != bundled.Name {
		name += " " + n.Label()
	}
	return &engine{
		overhead: f.Overhead, fallback: f.Time, visits: f.Visits, depth: f.Depth, level: level, adapts: level.Adapts,
		config: think.Config{
			Search: search, Threads: cmp.Or(f.Threads, runtime.GOMAXPROCS(0)),
			Batch: f.Batch, Memory: int64(f.Hash) << 20, Keep: true, Tactics: true,
			Backend: n,
			Lost: func(lost eval.Backend, err error) (eval.Backend, error) {
				instead, err := devices.Lost(lost.(*eval.Network), err)
				if err != nil {
					return nil, err
				}
				return instead, nil
			},
		},
	}, aei.ID{Name: name, Author: "the Warren authors", Version: console.Version()}, nil
}

// check returns an error that names a flag out of range.
func (f *flags) check() error {
	err := cmp.Or(
		console.Within("--threads", float64(f.Threads), 0, 1024),
		console.Within("--batch", float64(f.Batch), 0, 1024),
		console.Within("--hash", float64(f.Hash), 1, mcts.MostBytes>>20),
		console.Within("--visits", float64(f.Visits), 0, 1<<30),
		console.Within("--depth", float64(f.Depth), 0, 1<<20))
	if err != nil {
		return err
	}
	level, err := parseLevel(f.Level)
	if err != nil {
		return fmt.Errorf("--level: %w", err)
	}
	if level != (arena.Level{}) && (f.Visits > 0 || f.Depth > 0) {
		return errors.New("--visits and --depth have no effect with --level, which limits the search itself: leave them out")
	}
	if f.Time <= 0 {
		return errors.New("--time must be more than 0, such as 10s")
	}
	if f.Overhead < 0 {
		return errors.New("--overhead must not be negative")
	}
	return nil
}
