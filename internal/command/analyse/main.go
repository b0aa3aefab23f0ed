// Package analyse analyses positions for other programs.
package analyse

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"

	"warren/internal/analysis"
	"warren/internal/arena"
	"warren/internal/console"
	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/mcts"
	"warren/net/bundled"
)

const description = `Analyse positions for other programs: JSON lines in, JSON lines out.

Each line of standard input is a query, an object with an id and a position or the moves of a game. Each answer is a
line with the same id: the chance to win, the best steps with their visits, priors and variations, and what is proven.
Many positions are searched at once, and answers come as they are ready. When the input ends, the rest is answered.
docs/reference/analysis.md has all fields.

Examples:
  echo '{"id":"a","position":"g [rrrrrrrrhdcemcdh................................HDCMECDHRRRRRRRR]"}' | warren analyse
  warren analyse --visits 1000 runs/quick < queries.jsonl > answers.jsonl
  examples/python/annotate.py game.txt`

type flags struct {
	Network string `arg:"" optional:"" help:"The network: a .safetensors file, or the directory of a run, whose newest network it is. Default: ${bundled}."`

	Visits  int      `default:"200" placeholder:"N" help:"Root visits of a query that does not say how many. Default: 200."`
	Device  string   `default:"auto" placeholder:"NAME" help:"What evaluates the network: auto, cpu, int16, int16/amx, amx, opencl:N or cuda:N; warren speed lists them. Default: auto."`
	Threads int      `placeholder:"N" help:"Threads that search. Default: one per core."`
	Memory  int      `default:"1024" placeholder:"MB" help:"Memory of the search trees of all positions that are searched at once, in MB. Default: 1024."`
	Set     []string `placeholder:"SETTING=VALUE" sep:"none" help:"Override a setting of the search, such as search.cpuct_init=0.5 (train --settings lists them). May be repeated."`
}

// Main runs the command.
func Main(c console.Command) {
	var f flags
	c.Parse(&f, description, "bundled", bundled.Name)
	c.Run(func(ctx context.Context, out io.Writer) error { return f.run(ctx, os.Stdin, out) })
}

func (f *flags) run(ctx context.Context, in io.Reader, out io.Writer) error {
	err := cmp.Or(
		console.Within("--visits", float64(f.Visits), 1, analysis.MostVisits),
		console.Within("--threads", float64(f.Threads), 0, 1024),
		console.Within("--memory", float64(f.Memory), 16, 1<<20))
	if err != nil {
		return err
	}
	search := mcts.MatchConfig()
	if err := arena.ReadSearch(f.Set, &search); err != nil {
		return fmt.Errorf("--set: %w", err)
	}
	n, err := device.Load(cmp.Or(f.Network, bundled.Name), f.Device)
	if err != nil {
		return err
	}
	if err := arena.CheckSearch(search, n); err != nil {
		return err
	}
	if n.Attributes().Depth > 1 { // all threads share the device
		shared := *n
		shared.Backend = eval.Merge(n.Backend)
		n = &shared
	}
	return analysis.Serve(ctx, analysis.Config{
		Search: search, Network: n, Visits: f.Visits, Memory: int64(f.Memory) << 20,
		Threads: cmp.Or(f.Threads, runtime.GOMAXPROCS(0)),
	}, in, out)
}
