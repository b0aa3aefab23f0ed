// Command train learns Arimaa from its rules: self-play, learning, network
// swap, again and again, in one process and one run directory.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warren/configs"
	"warren/internal/console"
	"warren/metrics"
	"warren/settings"
	"warren/train"
	"warren/watch"
)

const description = `Train a network to play Arimaa from the rules alone.

Games of self-play fill a replay window, the network is trained on it and goes back to playing.
Everything is kept in the run directory: settings, networks, games, matches and series. Stop it with
Ctrl-C, or kill it; the same command goes on from there.

Examples:
  train                                     half an hour on two cores, in runs/quick
  train --config desktop --run runs/night   a night on a desktop computer
  train --config quick --set network.channels=48 --set loop.duration=2h
  train --settings                          every setting, its default, range and meaning`

type flags struct {
	Config   string   `default:"quick" placeholder:"FILE" help:"Settings: a YAML file, or a preset (${presets}). Default: quick."`
	Run      string   `placeholder:"DIR" help:"Directory of the run, made if there is none. Default: runs/ and the name of the settings."`
	Set      []string `placeholder:"KEY=VALUE" sep:"none" help:"Override a setting, as network.blocks=4. May be repeated."`
	Settings bool     `help:"List every setting with its default, what is allowed and what it means, and exit."`
}

func main() {
	var f flags
	console.Parse(&f, "train", description, "presets", strings.Join(configs.Presets(), ", "))
	console.Run("train", f.run)
}

func (f *flags) run(ctx context.Context) error {
	config := settings.DefaultConfig()
	if err := configs.Read(f.Config, f.Set, &config); err != nil {
		return err
	}
	if f.Settings {
		return configs.Describe(os.Stdout, &config)
	}
	if f.Run == "" {
		f.Run = filepath.Join("runs", strings.TrimSuffix(filepath.Base(f.Config), ".yaml"))
	}
	dir, err := train.OpenDir(f.Run)
	if err != nil {
		return err
	}
	defer dir.Close()

	progress := metrics.NewProgress(os.Stderr, metrics.ProgressOptions{})
	defer progress.Close()
	log := progress.Logger()
	// The log shows progress at a glance; the series have all the figures.
	summary := metrics.Log(log, "trained", "loss/policy", "loss/value", "held_out/policy", "held_out/value",
		"speed/games", "games/turns", "games/end_goal", "total/games", "total/steps")
	var status watch.Status
	run, err := train.Open(dir, config, watch.Tee(&status, watch.NewSeries(summary)), log)
	if err != nil {
		return err
	}
	if run.Finished() {
		log.Info("the run is finished; to go on, raise loop.duration or loop.generations, or choose another --run", "run", f.Run)
		return run.Close()
	}
	stop := progress.Every(func() metrics.Status { return status.Now(run.Progress()) })
	err = run.Train(ctx)
	stop()
	err = errors.Join(err, run.Close())
	progress.Close()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		fmt.Fprintf(os.Stderr, "Stopped; everything is saved. To go on, give the same command again:\n  %s\n", console.Again("train"))
		return nil
	}
	fmt.Fprintf(os.Stderr, "Finished. The newest network is %s\n", dir.Network(run.Latest().Origin.Generation))
	return nil
}
