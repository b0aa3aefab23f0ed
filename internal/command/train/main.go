// Package train learns Arimaa from its rules: self-play, learning, network
// swap, again and again, in one process and one run directory. With a hub the
// games are played on other machines.
package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warren/internal/console"
	"warren/internal/hub"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/page"
	"warren/internal/recipe"
	"warren/internal/settings"
	"warren/internal/train"
)

const description = `Train a network to play Arimaa by self-play, from the rules alone.

Games of self-play fill a replay window, the network is trained on it and goes back to playing.
Everything is kept in the run directory: settings, networks, games, matches and series. Stop it with
Ctrl-C, or kill it; the same command continues from there. A run continues with its own settings unless
--config names others, so --run is enough. Old games are needed only for the replay window: without its
directory games/, a run continues from its newest checkpoint with an empty window.

Examples:
  warren train                                     half an hour on all cores, in runs/quick
  warren train --config desktop --run runs/night   a night on a desktop computer
  warren train --config quick --set network.channels=48 --set loop.duration=2h
  warren train --http 127.0.0.1:8080               with a page to watch it
  warren train --config default --set selfplay.visits.games=0 --set learner.rate.initial=0.0005 --run runs/larger --from runs/quick
  warren train --settings                          every setting: its default, its value in quick, its range and meaning

To have the games played on other machines, which run selfplay --connect (train worker -h says more):
  warren train worker add laptop --run runs/many
  warren train --config desktop --run runs/many --listen nats://0.0.0.0:4222`

type flags struct {
	command console.Command `kong:"-"`

	Config   string   `placeholder:"FILE" help:"Settings: a YAML file, or a preset (${presets}). Default: those of the run, if it has begun, else ${config}."`
	Run      string   `placeholder:"DIR" help:"Directory of the run, made if there is none. Default: runs/ and the name of the settings."`
	Set      []string `placeholder:"KEY=VALUE" sep:"none" help:"Override a setting, such as network.blocks=4. May be repeated."`
	From     string   `placeholder:"NETWORK" help:"Begin a new run with the weights of this network (a .safetensors file, the directory of a run, or warren, which comes with this program), which may be smaller than the settings ask for: it grows, and plays as before. For a network that already plays well, set selfplay.visits.games=0, since its visits need not rise, and a low rate, such as learner.rate.initial=0.0005. It has no effect once the run has begun. Default: a fresh network, from the seed."`
	HTTP     string   `name:"http" placeholder:"ADDRESS" help:"Serve a page to watch the run, study its games and play, such as 127.0.0.1:8080. The page stays open after the training, until Ctrl-C."`
	Metrics  string   `placeholder:"ADDRESS" help:"Serve metrics for Prometheus, such as 127.0.0.1:9100."`
	Listen   string   `placeholder:"URL" help:"Let workers play the games. They connect to this address, such as nats://0.0.0.0:4222."`
	Connect  string   `placeholder:"URL" help:"Let workers play the games, over the NATS server or cluster at this address."`
	Replicas int      `default:"${replicas}" placeholder:"N" help:"With --connect: nodes of the cluster that keep each message. Default: ${default}."`
	Replay   float64  `default:"${replay}" placeholder:"SHARE" help:"With --listen or --connect: share of the workers' games that are played again here, to detect a worker that invents games. Default: ${default}."`
	Settings bool     `help:"List every setting with its default, its value in --config, what is allowed and what it means, and exit."`
}

// The values of flags that are not given.
const (
	usualConfig   = "quick"
	usualReplicas = 1
	usualReplay   = 0.01
)

// Main runs the command.
func Main(c console.Command) {
	switch c.First() {
	case "worker":
		var worker workerFlags
		c = c.Sub()
		c.Parse(&worker, workerAbout, "connections", usualConnections)
		c.Run(func(ctx context.Context, _ io.Writer) error { return worker.run(ctx) })
		return
	case "server":
		var server serverFlags
		c = c.Sub()
		c.Parse(&server, serverAbout)
		c.Run(func(ctx context.Context, _ io.Writer) error { return server.run(ctx) })
		return
	}
	f := flags{command: c}
	c.Parse(&f, description, "presets", strings.Join(settings.Presets(), ", "), "replicas", usualReplicas, "replay", usualReplay, "config", usualConfig)
	c.Run(func(ctx context.Context, _ io.Writer) error { return f.run(ctx) })
}

// settings returns the settings and their name. A run that has begun continues with its own
// unless --config names others. It also names the directory of the run.
func (f *flags) settings() (c recipe.Config, name string, err error) {
	file := cmp.Or(f.Config, usualConfig)
	name = strings.TrimSuffix(filepath.Base(file), ".yaml")
	f.Run = cmp.Or(f.Run, filepath.Join("runs", name))
	if f.Config == "" {
		if own, err := train.Settings(f.Run, f.Set); err != nil {
			return c, "", err
		} else if own != nil {
			return *own, filepath.Base(f.Run), nil
		}
	}
	c, err = recipe.Read(file, f.Set, os.Stderr)
	return c, name, err
}

// check returns an error for flags that would have no effect, and for settings and addresses
// with which no run can begin. It makes nothing.
func (f *flags) check(c *recipe.Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	opponents, err := c.Match.Opponents()
	if err != nil {
		return err
	}
	for _, b := range opponents {
		if err := b.Startable(); err != nil {
			return fmt.Errorf("match.baselines: %w", err)
		}
	}
	elsewhere := f.Listen != "" || f.Connect != ""
	switch {
	case f.Listen != "" && f.Connect != "":
		return errors.New("--listen starts a hub and --connect uses one that runs elsewhere: give one of the two")
	case elsewhere && c.Loop.Mode == recipe.Sync:
		return errors.New("loop.mode sync plays in one process: leave out --listen and --connect, or set loop.mode=async")
	case f.Replicas != usualReplicas && f.Connect == "":
		return errors.New("--replicas is for a cluster: it goes with --connect")
	case f.Replay != usualReplay && f.Listen == "" && f.Connect == "":
		return errors.New("--replay is for games that workers play: it goes with --listen or --connect")
	case !(f.Replay >= 0 && f.Replay <= 1):
		return fmt.Errorf("--replay is %v: it is a share of the games, from 0 to 1", f.Replay)
	}
	if err := console.Within("--replicas", float64(f.Replicas), 1, 5); err != nil { // NATS keeps at most 5
		return err
	}
	return f.addresses()
}

// addresses returns an error for an address on which the program cannot listen.
func (f *flags) addresses() error {
	workers := ""
	if f.Listen != "" {
		address, err := hub.ListenAddress(f.Listen)
		if err != nil {
			return fmt.Errorf("--listen: %w", err)
		}
		workers = address
	}
	for _, a := range []struct{ flag, address string }{{"--http", f.HTTP}, {"--metrics", f.Metrics}, {"--listen", workers}} {
		if a.address == "" {
			continue
		}
		l, err := net.Listen("tcp", a.address)
		if err != nil {
			return fmt.Errorf("%s %s: %w; choose another address, such as 127.0.0.1:8081", a.flag, a.address, err)
		}
		defer l.Close() // until all are known to be different
	}
	return nil
}

func (f *flags) run(ctx context.Context) error {
	config, name, err := f.settings()
	if err != nil {
		return err
	}
	if f.Settings {
		return describe(os.Stdout, &config, name)
	}
	if err := f.check(&config); err != nil {
		return err
	}
	dir, err := train.OpenDir(f.Run)
	if err != nil {
		return err
	}
	defer dir.Close()

	progress := metrics.NewProgress(os.Stderr)
	defer progress.Close()
	log := progress.Logger()
	if err := f.warn(&config, log); err != nil {
		return err
	}
	elsewhere, err := f.openHub(ctx, dir, &config, log)
	if err != nil {
		return err
	}
	defer elsewhere.close()
	if f.From != "" {
		if err := dir.Begin(config, f.From, log); err != nil {
			elsewhere.undo()
			return err
		}
	}
	return f.begun(ctx, dir, config, elsewhere, progress)
}

// warn tells which overrides do not hold for the whole run.
func (f *flags) warn(c *recipe.Config, log *slog.Logger) error {
	var keys []string
	for _, text := range f.Set {
		key, _, _ := strings.Cut(text, "=")
		keys = append(keys, strings.TrimSpace(key))
	}
	lines, err := c.ChangedLater(keys)
	for _, line := range lines {
		log.Warn("--set: " + line)
	}
	return err
}

// describe writes all settings and what changes in the stages of the run.
func describe(w io.Writer, c *recipe.Config, name string) error {
	stages, err := c.StageList()
	if err != nil {
		return err
	}
	if err := settings.Describe(w, recipe.DefaultConfig(), c, name); err != nil {
		return err
	}
	return recipe.DescribeStages(w, stages)
}

// begun works on a run in its directory, and serves the page and the metrics in the meantime.
func (f *flags) begun(ctx context.Context, dir *train.Dir, config recipe.Config, elsewhere *elsewhere, progress *metrics.Progress) error {
	log := progress.Logger()
	var status observe.Status
	var newest metrics.Newest
	observers := []observe.Observer{&status, observe.NewSeries(metrics.Tee(summary(log), &newest))}
	var live page.Live
	if f.HTTP != "" {
		observers = append(observers, &live)
	}
	run, err := train.Open(ctx, dir, config, observe.Tee(observers...), progress, log)
	if err != nil {
		elsewhere.undo()
		if errors.Is(err, ctx.Err()) {
			progress.Close()
			return f.command.Stopped(os.Stderr, everything)
		}
		return err
	}
	if run.Finished() {
		log.Info(fmt.Sprintf("the run is finished; to continue, raise %s, or choose another --run", strings.Join(run.Reached(), " and ")), "run", f.Run)
	}
	if f.HTTP != "" {
		live.Status = func() metrics.Status { return status.Now(run.Progress()) }
		close, err := serve(ctx, f.HTTP, page.Config{Runs: []string{f.Run}, Live: &live, Log: log})
		if err != nil {
			return errors.Join(err, run.Close())
		}
		defer close()
	}
	elsewhere.play(run, f.command.Line("worker", "add", "NAME", "--run", f.Run), log)
	if f.Metrics != "" {
		closeMetrics, err := f.serveMetrics(&newest, &status, run, elsewhere, log)
		if err != nil {
			return errors.Join(err, run.Close())
		}
		defer closeMetrics()
	}
	if err := work(ctx, run, &status, progress); err != nil {
		return err
	}
	if ctx.Err() != nil && !run.Complete() {
		return f.command.Stopped(os.Stderr, everything)
	}
	text, err := finished(f.Run, dir.Network(run.Latest().Origin.Generation))
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, text)
	if f.HTTP != "" && ctx.Err() == nil {
		live.End()
		elsewhere.close()
		dir.Close() // another process may continue with the run
		linger(ctx)
	}
	return nil
}

// everything is what is kept of a run that is stopped.
const everything = "Stopped; everything is saved."

// summary logs the progress at a glance; the series have all the figures.
func summary(log *slog.Logger) metrics.Sink {
	return metrics.Log(log, "trained", "generation", "loss/policy", "loss/value", "held_out/policy", "held_out/value",
		"speed/games", "device/busy", "games/turns", "games/end_goal", "total/games", "total/steps")
}

// work trains until the run is finished or the context ends, shows the progress, and closes both.
func work(ctx context.Context, run *train.Run, status *observe.Status, progress *metrics.Progress) error {
	stop := progress.Every(func() metrics.Status {
		now := status.Now(run.Progress())
		now.Left = run.Left()
		return now
	})
	err := run.Train(ctx)
	stop()
	err = errors.Join(err, run.Close())
	progress.Close()
	return err
}

// serveMetrics serves the metrics of the run for Prometheus until they are closed, also after the hub is.
func (f *flags) serveMetrics(newest *metrics.Newest, status *observe.Status, run *train.Run, elsewhere *elsewhere, log *slog.Logger) (close func(), err error) {
	h := elsewhere.hub // which may be closed meanwhile
	url, close, err := metrics.Serve(f.Metrics, func(ctx context.Context) []metrics.Family {
		list := slices.Concat(newest.Families(), status.Families(), []metrics.Family{
			metrics.Gauge("warren_progress", "Fraction of the run that is done, 0 to 1.", run.Progress())})
		if h != nil {
			list = append(list, h.Metrics(ctx)...)
		}
		return list
	})
	if err == nil {
		log.Info("the metrics are at " + url)
	}
	return close, err
}

// linger lets people look at the page of a run that has ended.
func linger(ctx context.Context) {
	fmt.Fprintln(os.Stderr, "The page stays open until Ctrl-C. (Without --http the program ends here; warren page shows the run at any time.)")
	<-ctx.Done()
}

// serve serves a page during the training until it is closed.
func serve(ctx context.Context, address string, c page.Config) (close func(), err error) {
	ctx, stop := context.WithCancel(ctx)
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- page.Open(ctx, address, c, func(url string) { ready <- url }) }()
	select {
	case url := <-ready:
		c.Log.Info("the page is at " + url)
		return func() {
			stop()
			if err := <-ended; err != nil {
				c.Log.Warn("the page could not be served to the end", "error", err)
			}
		}, nil
	case err := <-ended:
		stop()
		return nil, err
	}
}
