// Package selfplay plays games with a given network into a directory, or for a
// learner on another machine.
package selfplay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"warren/data"
	"warren/internal/console"
	"warren/internal/durable"
	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/plural"
	"warren/internal/recipe"
	"warren/internal/selfplay"
	"warren/internal/settings"
)

const description = `Play games of self-play with a network and keep them in a directory.

The games are Parquet files with a row for every game: its steps, what the search found at each, and how
it ended. The same network, settings and seed give the same games, whatever the number of workers.
Stop with Ctrl-C; the same command continues with the games that are missing. All games of a directory are of
one network, one seed and the same settings.

With --connect this machine is a worker of a run elsewhere (train --listen): the network and the settings
come from there, and the games go there. Of the settings here only device, selfplay.workers and
selfplay.games_per_worker have an effect.

Examples:
  warren selfplay --network runs/quick/networks/gen-00040.safetensors --out games --games 1000
  warren selfplay --network gen.safetensors --out deeper --seed 7 --set selfplay.visits.final=200
  warren selfplay --connect nats://desktop:4222 --creds laptop.creds`

type flags struct {
	command console.Command `kong:"-"`

	Network string   `placeholder:"FILE" help:"The network that plays: a .safetensors file, the directory of a run, or warren, which comes with this program."`
	Out     string   `placeholder:"DIR" help:"Directory for the games, made if there is none."`
	Games   uint64   `default:"${games}" placeholder:"N" help:"Games to have in the directory in the end, 0 for no limit. Default: ${default}."`
	Seed    uint64   `default:"${seed}" placeholder:"N" help:"Seed of the games. Default: ${default}."`
	Config  string   `default:"quick" placeholder:"FILE" help:"Settings, of which device and the sections selfplay, search and data are used: a YAML file, or a preset (${presets}). Default: quick."`
	Set     []string `placeholder:"KEY=VALUE" sep:"none" help:"Override a setting, such as selfplay.visits.final=200. May be repeated."`
	Connect string   `placeholder:"URL" help:"Play for the run whose hub is at this address, such as nats://desktop:4222."`
	Creds   string   `placeholder:"FILE" help:"With --connect: this worker's credential, which train worker add makes."`
	Metrics string   `placeholder:"ADDRESS" help:"With --connect: serve metrics for Prometheus, such as 127.0.0.1:9101."`
	Spool   string   `placeholder:"DIR" help:"With --connect: directory for finished games until the hub has them; each credential has its own there. Default: one in the user's cache directory."`
}

// The values of flags that are not given.
const (
	usualGames = 100
	usualSeed  = 1
)

// Main runs the command.
func Main(c console.Command) {
	f := flags{command: c}
	c.Parse(&f, description, "presets", strings.Join(settings.Presets(), ", "), "games", usualGames, "seed", usualSeed)
	c.Run(f.run)
}

func (f *flags) run(ctx context.Context, out io.Writer) error {
	config, err := recipe.ReadLast(f.Config, f.Set, os.Stderr)
	if err != nil {
		return err
	}
	if f.Connect != "" || f.Creds != "" {
		return f.work(ctx, out, &config)
	}
	if err := f.check(); err != nil {
		return err
	}
	hash, err := recipe.HashOfGames(config.SelfPlay, config.Search)
	if err != nil {
		return err
	}
	progress := metrics.NewProgress(os.Stderr)
	defer progress.Close()
	devices := device.Choose(config.Device, progress.Logger())
	read, origin, err := device.Read(f.Network)
	if err != nil {
		return err
	}
	network, err := devices.Play(read, origin)
	if err != nil {
		return err
	}
	lock, err := claim(f.Out)
	if err != nil {
		return err
	}
	defer lock.Close()
	index, err := continued(f.Out, begun{f.Seed, network.Hash, hash}, progress.Logger())
	if err != nil {
		return err
	}
	if full(index, f.Games) {
		fmt.Fprintf(out, "%s already has %s; raise --games to play more\n", f.Out, plural.Of(index.Games, "game"))
		return nil
	}

	job := selfplay.Job{
		Rules: selfplay.Rules{Config: config.SelfPlay, Search: config.Search, Settings: hash},
		Run:   "selfplay", Seed: f.Seed,
		Count: f.Games, Done: index.Has, Lost: devices.Lost,
	}
	games := sink{data.NewWriter(f.Out, data.WriterConfig{
		Games: config.Data.GamesPerShard, Every: config.Loop.FlushEvery, Arrival: index.Arrival, ByNumber: true,
	})}
	if err := playAll(ctx, out, job, network, games, index.Games, progress); err != nil {
		return err
	}
	if index, err = data.Scan(f.Out, progress.Logger()); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s holds %s with %s\n", f.Out, plural.Of(index.Games, "game"), plural.Of(index.Positions, "position"))
	if ctx.Err() != nil && !full(index, f.Games) {
		return f.command.Stopped(os.Stderr, "Stopped; every finished game is saved.")
	}
	return nil
}

// continued returns the games that a directory has already. They must be of the same seed, network and
// settings.
func continued(dir string, now begun, log *slog.Logger) (*data.Index, error) {
	index, err := data.Scan(dir, log)
	if err != nil {
		return nil, err
	}
	if err := now.check(dir, index); err != nil {
		return nil, err
	}
	return index, durable.Sweep(dir)
}

// check refuses flags that do not fit together, without a hub.
func (f *flags) check() error {
	if f.Metrics != "" || f.Spool != "" {
		return errors.New("--metrics and --spool are for a worker: they go with --connect")
	}
	if f.Network == "" || f.Out == "" {
		return errors.New("give --network and --out to play into a directory, or --connect and --creds to play for a run elsewhere")
	}
	return nil
}

// playAll plays the games of a job into a sink, and shows how many are done. The end of the context is not an
// error. Afterwards the progress is closed, and out says how busy the network's graphics processor was.
func playAll(ctx context.Context, out io.Writer, job selfplay.Job, network *eval.Network, games sink, before int, progress *metrics.Progress) error {
	var counts observe.Counts
	stop := progress.Every(func() metrics.Status { return counts.SelfPlay(before, int(job.Count)) })
	on, start := network.Attributes(), time.Now()
	busy := on.Usage.Busy() // before
	err := selfplay.Play(ctx, job, selfplay.Always{Network: network}, games, &counts)
	switch {
	case errors.Is(err, context.Canceled):
		err = nil
	case errors.Is(err, eval.ErrLost):
		err = fmt.Errorf("%w; finished games are saved, and the same command continues", err)
	}
	err = errors.Join(err, games.Flush())
	share := (on.Usage.Busy() - busy).Seconds() / time.Since(start).Seconds()
	stop()
	progress.Close()
	if on.Usage != nil && err == nil {
		fmt.Fprintf(out, "%s had a batch in flight for %.0f%% of the time\n", on.Device, 100*share)
	}
	if warning := on.Saturation.Warning(); warning != "" && err == nil {
		fmt.Fprintln(out, warning)
	}
	return err
}

// sink adapts a shard writer to selfplay.Games.
type sink struct{ *data.Writer }

// Put takes a finished game.
func (s sink) Put(_ context.Context, r *data.Record) error { return s.Writer.Put(r) }
