package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	gonet "net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"warren/game"
	"warren/internal/arena/alphabeta"
	"warren/internal/console"
	"warren/internal/eval/device"
	"warren/internal/kernel"
	"warren/internal/metrics"
	"warren/internal/page"
	"warren/internal/plural"
	"warren/internal/think"
	"warren/internal/train"
	"warren/internal/visible"
	"warren/mcts"
	"warren/net/bundled"
)

const doctorAbout = `Say what this machine has, whether Warren can work on it, and what to do if not. It takes some seconds.

With the directory of a run, say instead how the run is doing, in the words of its page, and which of its files are damaged,
what warren train does about each, and what to do. Nothing is changed, and the run may go on meanwhile.

Examples:
  warren doctor
  warren doctor runs/quick`

func doctor(c console.Command) {
	var flags struct {
		Run string `arg:"" optional:"" help:"The directory of a run."`
	}
	c.Parse(&flags, doctorAbout)
	c.Run(func(ctx context.Context, out io.Writer) error {
		if flags.Run != "" {
			return health(ctx, out, flags.Run)
		}
		return examine(ctx, out, examinations())
	})
}

// examination looks at one thing. It returns what there is, and what is wrong, with what to
// do about it, or "".
type examination struct {
	name string
	look func(ctx context.Context) (there, wrong string)
}

func examinations() []examination {
	return []examination{
		{"version", func(context.Context) (string, string) { return versionLine(), "" }},
		{"processor", processor},
		{"graphics", graphics},
		{"network", func(ctx context.Context) (string, string) { return searches(ctx, time.Second) }},
		{"disk", func(context.Context) (string, string) { return disk(".", free) }},
		{"directory", func(context.Context) (string, string) { return writable(".") }},
		{"port", func(context.Context) (string, string) { return port("127.0.0.1:8080") }},
	}
}

// examine reports all examinations, and then the problems. Problems are an error.
func examine(ctx context.Context, out io.Writer, all []examination) error {
	var problems []string
	for _, e := range all {
		there, wrong := e.look(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if wrong != "" {
			problems = append(problems, wrong)
		}
		name := e.name
		for line := range strings.SplitSeq(there, "\n") {
			fmt.Fprintf(out, "%-10s %s\n", name, line)
			name = ""
		}
	}
	return conclude(out, problems, "Nothing is wrong.")
}

// health says how a run is doing and what is wrong with its files.
func health(ctx context.Context, out io.Writer, run string) error {
	progress := metrics.NewProgress(os.Stderr)
	problems, err := train.Examine(ctx, run, func(done, total int) {
		progress.Update(metrics.Status{Title: "reading the games", Done: float64(done), Total: float64(total)})
	})
	progress.Close()
	if err != nil {
		return err
	}
	switch text, err := page.Verdict(run); {
	case err == nil:
		fmt.Fprintf(out, "%s\n\nWhat that means and what to do: warren docs, the page \"Is my run healthy?\"\n", text)
	case len(problems) == 0:
		return err
	default:
		problems = append(problems, fmt.Sprintf("%v.", err))
	}
	return conclude(out, problems, "No file that the run needs to continue is damaged.")
}

// conclude reports the problems, which are an error, or that there are none.
func conclude(out io.Writer, problems []string, none string) error {
	if len(problems) == 0 {
		_, err := fmt.Fprintf(out, "\n%s\n", none)
		return err
	}
	fmt.Fprintln(out)
	for i, p := range problems {
		fmt.Fprintf(out, "%d. %s\n", i+1, visible.Text(strings.ReplaceAll(p, "\n", "; ")))
	}
	if len(problems) == 1 {
		return errors.New("there is a problem, as above")
	}
	return fmt.Errorf("there are %d problems, as above", len(problems))
}

func processor(context.Context) (there, wrong string) {
	p, err := kernel.Chosen()
	if err != nil {
		return "no kernels", fmt.Sprintf("%v. Unset the variable.", err)
	}
	there = fmt.Sprintf("%s, kernels %s", plural.Of(runtime.GOMAXPROCS(0), "core"), p.Name)
	if p.Name == "go" && kernel.Forced() == "" {
		wrong = "There are no kernels for this processor, so networks run in plain Go, which is many times slower. Train small networks, or use a graphics card."
	}
	return there, wrong
}

func graphics(context.Context) (there, wrong string) {
	lines := device.Graphics()
	if len(lines) == 0 {
		return "none: built without graphics cards", ""
	}
	cuda := ""
	for _, line := range lines {
		if why, none := strings.CutPrefix(line, "cuda: "); none {
			cuda = why
		}
	}
	if cards, _ := filepath.Glob("/proc/driver/nvidia/gpus/*"); len(cards) > 0 && cuda != "" {
		wrong = fmt.Sprintf("The machine has an NVIDIA card, which cannot be used (%s). Update its driver.", cuda)
	}
	return strings.Join(lines, "\n"), wrong
}

// searches lets the bundled network search a position for some time.
func searches(ctx context.Context, t time.Duration) (there, wrong string) {
	if _, err := kernel.Chosen(); err != nil {
		return "not tried without kernels", "" // what is wrong has been said
	}
	network, err := device.Load(bundled.Name, device.Auto)
	if err != nil {
		return "none", fmt.Sprintf("The network that comes with the program cannot be used: %v. Build the program again.", err)
	}
	engine, err := think.New(think.Config{Search: mcts.MatchConfig(), Threads: runtime.GOMAXPROCS(0), Memory: 1 << 28, Backend: network})
	if err != nil {
		return "none", fmt.Sprintf("The network that comes with the program cannot search: %v.", err)
	}
	defer engine.Close()
	g := game.New()
	for g.InSetup() {
		for _, a := range alphabeta.Setup(g, rand.New(rand.NewPCG(1, uint64(g.Side())))) {
			g.Play(a)
		}
	}
	var found think.Found
	if _, err := engine.Turn(ctx, g, think.Limits{Time: t}, think.Draw{}, func(f think.Found) { found = f }); err != nil {
		return "none", fmt.Sprintf("The network that comes with the program cannot search: %v.", err)
	}
	a := network.Attributes()
	on := a.Path
	if a.Precision != on {
		on += " in " + a.Precision
	}
	return fmt.Sprintf("%s, %.0f visits a second on %s, with whatever else runs now; warren speed measures more",
		bundled.Name, float64(found.Nodes)/found.Time.Seconds(), on), ""
}

// enough is the space, in bytes, below which a run may fill the disk within hours.
const enough = 2e9

// disk looks at the space for files in a directory.
func disk(dir string, free func(dir string) (uint64, error)) (there, wrong string) {
	n, err := free(dir)
	if err != nil {
		return fmt.Sprintf("unknown: %v", err), ""
	}
	there = fmt.Sprintf("%.1f GB free here", float64(n)/1e9)
	if n < enough {
		wrong = "There is little space for runs on this disk. Free some, or name a directory on another disk with --run."
	}
	return there, wrong
}

// writable looks whether files can be written in a directory.
func writable(dir string) (there, wrong string) {
	path, err := filepath.Abs(dir)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".warren-doctor-*"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return path + " cannot be written", fmt.Sprintf("Files cannot be written here: %v. Work in another directory, or name one with --run.", err)
	}
	return path + " can be written", ""
}

// port looks whether the page can be served at an address.
func port(address string) (there, wrong string) {
	l, err := gonet.Listen("tcp", address)
	if err != nil {
		return address + " is in use", fmt.Sprintf("The page cannot be served where it usually is (%v). Name another port, such as --http 127.0.0.1:8090.", err)
	}
	l.Close()
	return address + " is free for the page", ""
}
