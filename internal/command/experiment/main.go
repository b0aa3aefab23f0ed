// Package experiment compares ways to train: variants of a preset, several seeds,
// at equal processor time.
package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warren/internal/console"
	"warren/internal/experiment"
	"warren/internal/metrics"
	"warren/internal/recipe"
	"warren/internal/settings"
)

const description = `Compare ways to train: variants of a preset, several seeds, equal processor time.

A variant is a YAML file with the settings that differ from the base, named after the file, or
--variant NAME:KEY=VALUE,KEY=VALUE; NAME alone is the base as it is. Quotes keep a comma in a value. Every run
has one core and a budget of processor time, so other programs on the machine put no variant at a disadvantage.
There is a run on every core, with low priority. Then the networks play each other and reference players of
different styles. The report is in the directory of the experiment, report.md, and is rewritten every minute; report.json
has all figures. Stop it with Ctrl-C, or kill it; the same command continues from there. More seeds, variants,
players and games may be added later.

With --factor, several changes are tried at once: each is in half of the variants, balanced, so the effect of
each change is estimated from all runs. Two changes need 4 variants, four need 8,
eight need 16.

Never decide by one run: seeds differ by more than most effects. docs/research/method.md explains how
to read a report.

Examples:
  warren experiment --variant a --variant c05:search.cpuct_init=0.5          quick against one change, 3 seeds of 30 minutes
  warren experiment quick window.yaml noise.yaml --seeds 5 --budget 1h       variants from files
  warren experiment --variant a --variant b:learner.batch=512 --seeds 1 --budget 5m --games 10    a first look
  warren experiment --factor setups:selfplay.random_openings=0 --factor even:selfplay.surprise_weight=0 --factor far:data.window_positions=2000000 --seeds 2
  warren experiment --variant a:selfplay.visits.games=0,learner.rate.initial=0.0005 --variant b:selfplay.visits.games=0,learner.rate.initial=0.0005,selfplay.visits.final=128 --from n.safetensors
  warren experiment --base desktop a.yaml b.yaml --reference net:racer.safetensors,label=racer --out runs/racers`

type flags struct {
	command console.Command `kong:"-"`

	Files []string `arg:"" optional:"" help:"YAML files with the settings of variants, or presets."`

	Variant []string `placeholder:"NAME:KEY=VALUE,..." sep:"none" help:"A variant by its settings. May be repeated."`
	Factor  []string `placeholder:"NAME:KEY=VALUE,..." sep:"none" help:"A change to try together with others, instead of files and --variant. May be repeated."`
	Base    string   `default:"quick" placeholder:"FILE" help:"What all variants start from: a YAML file, or a preset (${presets}). Default: quick."`
	Out     string   `placeholder:"DIR" help:"Directory of the experiment, made if there is none. Default: runs/experiment- and the names of the variants."`

	Seeds      int           `default:"3" placeholder:"N" help:"Runs of every variant, with the seeds 1 to N. Default: 3."`
	Budget     time.Duration `default:"30m" placeholder:"TIME" help:"Processor time of every run. Default: 30m."`
	From       string        `placeholder:"NETWORK" help:"Begin all runs with the weights of this network (a .safetensors file, the directory of a run, or warren, which comes with this program), to learn what improves a network that already plays. It grows if a variant asks for a larger network or more heads. Set selfplay.visits.games=0 and, if it plays well, a low rate, such as learner.rate.initial=0.0005, in the base. Default: fresh networks."`
	Milestones []float64     `default:"0.3,0.6" placeholder:"F,F" help:"Fractions of the budget whose networks are measured too. Default: 0.3,0.6."`
	Cores      int           `placeholder:"N" help:"Runs at once, then games at once. Default: one for every core."`

	Games                int      `default:"20" placeholder:"N" help:"Games of every two players at the end, rounded up to pairs. Default: 20."`
	ReferenceGames       int      `default:"0" placeholder:"N" help:"Games of a network and a reference player at the end. Default: as --games."`
	MilestoneGames       int      `default:"10" placeholder:"N" help:"Games of every two players at every milestone; 0 measures none. Default: 10."`
	Reference            []string `placeholder:"PLAYER" sep:"none" help:"Another reference player, named as for evaluate: warren, or net:PATH,label=NAME. May be repeated."`
	NoStandardReferences bool     `help:"Leave out the standard reference players: ${fixed}."`
	TurnLimit            int      `default:"200" placeholder:"N" help:"Turns of both players together after which the official score decides a match. Default: 200."`
}

// Main runs the command.
func Main(c console.Command) {
	if c.First() == experiment.Worker {
		c.Run(func(ctx context.Context, out io.Writer) error {
			return experiment.Work(ctx, c.Args()[1:], os.Stdin, out, os.Stderr)
		})
		return
	}
	f := flags{command: c}
	c.Parse(&f, description,
		"presets", strings.Join(settings.Presets(), ", "), "fixed", strings.Join(experiment.StandardReferences(), ", "))
	c.Run(func(ctx context.Context, _ io.Writer) error { return f.run(ctx) })
}

func (f *flags) run(ctx context.Context) (err error) {
	plan, err := f.plan()
	if err != nil {
		return err
	}
	self, err := f.command.Executable()
	if err != nil {
		return err
	}
	progress := metrics.NewProgress(os.Stderr)
	defer progress.Close()
	x, err := experiment.Open(f.Out, *plan, experiment.Program{Command: self}, f.Cores, progress.Logger())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	stop := progress.Every(x.Status)
	complete, err := x.Run(ctx)
	stop()
	progress.Close()
	report := filepath.Join(f.Out, "report.md")
	if err != nil {
		return err
	}
	if !complete {
		stopped := f.command.Stopped(os.Stderr, "Stopped; everything is saved.")
		fmt.Fprintf(os.Stderr, "The report so far is %s\n", report)
		return stopped
	}
	fmt.Fprintf(os.Stderr, "Finished. The report is %s\n", report)
	return nil
}

// plan returns what the flags ask for. It fills in the directory.
func (f *flags) plan() (*experiment.Plan, error) {
	if f.Cores < 0 || f.Cores > 1024 {
		return nil, fmt.Errorf("--cores is %d, must be from 0 to 1024", f.Cores)
	}
	plan := &experiment.Plan{
		Seeds: f.Seeds, Budget: f.Budget, From: f.From, Milestones: f.Milestones,
		Games: f.Games, ReferenceGames: f.ReferenceGames, MilestoneGames: f.MilestoneGames, TurnLimit: f.TurnLimit,
	}
	var names []string
	add := func(v experiment.Variant, err error) error {
		plan.Variants = append(plan.Variants, v)
		names = append(names, v.Name)
		return err
	}
	for _, file := range append([]string{f.Base}, f.Files...) {
		if _, err := recipe.Read(file, nil, os.Stderr); err != nil { // says once what is renamed
			return nil, err
		}
	}
	for _, file := range f.Files {
		if err := add(experiment.ReadVariant(f.Base, file)); err != nil {
			return nil, err
		}
	}
	for _, text := range f.Variant {
		if err := add(experiment.ParseVariant(f.Base, text)); err != nil {
			return nil, err
		}
	}
	if len(f.Factor) > 0 {
		if len(plan.Variants) > 0 {
			return nil, errors.New("--factor makes the variants of the experiment: leave out files and --variant")
		}
		variants, err := experiment.Factorial(f.Base, f.Factor)
		if err != nil {
			return nil, err
		}
		plan.Variants = variants
		for _, text := range f.Factor {
			name, _, _ := strings.Cut(text, ":")
			names = append(names, name)
		}
	}
	if !f.NoStandardReferences {
		plan.References = experiment.StandardReferences()
	}
	plan.References = append(plan.References, f.Reference...)
	if f.Out == "" {
		f.Out = filepath.Join("runs", "experiment-"+strings.Join(names, "-"))
	}
	return plan, nil
}
