// Package learn trains a network on the recorded games of runs, without playing.
package learn

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"warren/game"
	"warren/internal/console"
	"warren/internal/metrics"
	"warren/internal/plural"
	"warren/internal/recipe"
	"warren/internal/settings"
	"warren/internal/train"
	"warren/net"
)

const description = `Train a network on the recorded games of a run or several, without playing.

It serves three purposes. Before an experiment of hours, it compares networks, optimisers, targets and loss
weights on the same games in minutes. After a run, it trains a larger network on all games of the run. And it
combines runs: one network learns from the games of all of them.

The settings are those of the first run, or of --config. Of several stages, they are those of the last, whose
rate suits a network that already plays: for a fresh one, set learner.rate.initial=0.004. Only network, data,
learner, device and seed have an effect.

Games are taken newest first, from all runs alike, up to data.window_positions positions. A part of them is
held out, by the same rule as in a run (data.held_out_fraction). Before the first step and at six points from
there to the last, the losses on the held-out games are measured (on learner.held_out_samples samples), and
also how well the value predicts the winners of those games that were decided on the board. Two other
predictions are shown for comparison: by the difference in pieces, weighed by a logistic regression on the
training games, and by the value of the recorded search. A value that predicts less than a count of pieces has
not learned to count them. The weights of the regression show what a piece of each kind was worth in the games.

The directory OUT then holds the network, its settings and metrics.jsonl with all figures. Ctrl-C stops the
training and saves the network as it is. A kill leaves the network of the last measurement, and the same
command then begins anew. With --from, a training continues from its weights.

Examples:
  warren learn runs/quick --steps 1200                     the run's own settings again, from a fresh network
  warren learn runs/quick --steps 1200 --set learner.optimizer.method=adam --set learner.rate.initial=0.001 --out runs/adam
  warren learn runs/quick --steps 1200 --set data.q_ratio=0.6 --out runs/targets
  warren learn runs/quick --config default --all --passes 2 --out runs/larger
  warren learn runs/first runs/second runs/third --all --out runs/united
  warren evaluate --games 100 runs/larger/network.safetensors runs/quick`

type flags struct {
	Runs []string `arg:"" help:"Directories of runs, or of shards (games-*.parquet)."`

	Config string   `placeholder:"FILE" help:"Settings: a YAML file, or a preset (${presets}). Default: those of the first run."`
	Set    []string `placeholder:"KEY=VALUE" sep:"none" help:"Override a setting, such as network.blocks=4. May be repeated."`
	All    bool     `help:"Take all games, however many positions they have; it needs about 110 bytes for each."`
	From   string   `placeholder:"NETWORK" help:"Begin with the weights of this network (a .safetensors file, the directory of a run, or warren, which comes with this program), which may be smaller than the settings ask for: it grows, and plays as before. Default: a fresh network, from the seed."`
	Steps  *int64   `placeholder:"N" help:"Minibatches to train on."`
	Passes *float64 `placeholder:"X" help:"Instead of --steps: train on as many samples as the games have positions, X times. Default: 1."`
	Out    string   `placeholder:"DIR" help:"Directory of the network and its figures, made if there is none. Default: the first run's, with -learned appended."`
}

// Main runs the command.
func Main(c console.Command) {
	var f flags
	c.Parse(&f, description, "presets", strings.Join(settings.Presets(), ", "))
	c.Run(func(ctx context.Context, out io.Writer) error { return f.run(ctx, out, os.Stderr) })
}

func (f *flags) run(ctx context.Context, out, status io.Writer) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	config, err := f.settings()
	if err != nil {
		return err
	}
	words, err := f.words(&config)
	if err != nil {
		return err
	}
	if err := free(f.Out, words); err != nil {
		return err
	}
	from, hash, err := f.from(config)
	if err != nil {
		return err
	}
	progress := metrics.NewProgress(status)
	defer progress.Close()
	log := progress.Logger()
	games, err := f.games(ctx, config, progress)
	if ctx.Err() != nil {
		progress.Close()
		fmt.Fprintln(status, "Stopped before the training began; there is nothing to save.")
		return console.ErrStopped
	}
	if err != nil {
		return err
	}
	steps := f.steps(games, config)
	training, err := train.NewOffline(config, games, from, hash, steps, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, training.Close()) }()
	lock, err := claim(f.Out, words)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	series, err := openOut(f.Out, &config, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, series.Close()) }()
	log.Info("training", "network", config.Network, "steps", steps, "batch", config.Learner.Batch)
	path := filepath.Join(f.Out, train.LearnedFile)
	save := func() error { return training.Save(path, filepath.Base(console.Absolute(f.Out))) }
	if err := work(ctx, training, series, save, progress); err != nil {
		return err
	}
	err = writeForecasts(out, training)
	stopped := writeEnd(status, training.Steps(), steps, path)
	if err != nil {
		return fmt.Errorf("writing how well the winner is predicted: %w", err) // the command can be given again
	}
	return cmp.Or(finish(f.Out), stopped)
}

// work trains to the end or to the end of the context, shows the progress, and saves the network.
func work(ctx context.Context, training *train.Offline, series metrics.Sink, save func() error, progress *metrics.Progress) error {
	stop := progress.Every(training.Status)
	err := training.Train(ctx, series, save)
	stop()
	progress.Close()
	if err != nil {
		return err
	}
	return save()
}

// writeEnd says how many of the steps were made, and where the network is. Too few are an error.
func writeEnd(w io.Writer, made, steps int64, path string) error {
	if made < steps {
		fmt.Fprintf(w, "Stopped after %d of %d steps. The network as it is then is %s; --from continues from its weights.\n", made, steps, path)
		return console.ErrStopped
	}
	fmt.Fprintf(w, "Finished. The network is %s\n", path)
	return nil
}

// games reads the games, shows how many are read, and logs what there is to learn from.
func (f *flags) games(ctx context.Context, c recipe.Config, progress *metrics.Progress) (*train.Recorded, error) {
	log := progress.Logger()
	games, err := train.FindRecorded(f.Runs, f.All, c.Data, log)
	if err != nil {
		return nil, err
	}
	stop := progress.Every(games.Reading)
	err = games.Read(ctx)
	stop()
	if err != nil {
		return nil, err
	}
	log.Info("learning from", "games", games.Train.Games(), "positions", games.Train.Positions(),
		"held_out_games", games.HeldOut.Games(), "held_out_positions", games.HeldOut.Positions())
	if games.HeldOut.Games() == 0 {
		log.Warn("no game is held out, so only the training losses are measured; data.held_out_fraction sets how many are")
	}
	return games, nil
}

// writeForecasts says how well the winners of held-out games are predicted, if there are any.
func writeForecasts(w io.Writer, training *train.Offline) error {
	list, games, positions := training.Forecasts()
	if len(list) == 0 {
		return nil
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "How well the winner is predicted, on %s of %s that were decided on the board:\n"+
		"the mean of -ln of the chance given to the winner (0.693: nothing is known), by actions to the end.\n\n", plural.Of(positions, "position"), plural.Of(games, "held-out game"))
	train.WriteForecasts(&text, list)
	writeWorth(&text, training.PieceWorth())
	_, err := w.Write(text.Bytes())
	return err
}

// writeWorth says what a piece of each kind was worth in the games.
func writeWorth(w io.Writer, worth []float64) {
	for k, x := range worth {
		if k == 0 {
			fmt.Fprint(w, "\nWhat one piece more adds to the logit of winning in the training games, all else equal:\n")
		}
		fmt.Fprintf(w, "%-14s%9.2f\n", game.Kind(k), x)
	}
}

// check returns an error for flags that are out of range. It also sets the flags that others imply.
func (f *flags) check() error {
	switch {
	case f.Steps != nil && (*f.Steps < 1 || *f.Steps > 1e9):
		return fmt.Errorf("--steps is %d, must be from 1 to 1000000000", *f.Steps)
	case f.Passes != nil && !(*f.Passes > 0 && *f.Passes <= 1e6):
		return fmt.Errorf("--passes is %s, must be above 0 and at most 1000000", strconv.FormatFloat(*f.Passes, 'f', -1, 64))
	case f.Steps != nil && f.Passes != nil:
		return errors.New("--steps and --passes both say how long to train: choose one")
	}
	for i, run := range f.Runs {
		if slices.ContainsFunc(f.Runs[:i], func(other string) bool { return console.Absolute(other) == console.Absolute(run) }) {
			return fmt.Errorf("%s is named twice: leave one out", run)
		}
	}
	if f.Out == "" {
		out := filepath.Clean(f.Runs[0])
		if strings.HasSuffix(out, ".") { // this directory, or one above
			out = console.Absolute(out)
		}
		f.Out = out + "-learned"
	}
	return nil
}

// words returns all that the training depends on, to tell one from another.
func (f *flags) words(c *recipe.Config) (string, error) {
	var b strings.Builder
	if err := settings.Write(&b, c); err != nil {
		return "", err
	}
	same := *f
	same.Config, same.Set, same.Out = "", nil, ""
	err := json.NewEncoder(&b).Encode(same)
	return b.String(), err
}

// steps returns the number of minibatches to train on.
func (f *flags) steps(games *train.Recorded, c recipe.Config) int64 {
	switch {
	case f.Steps != nil:
		return *f.Steps
	case f.Passes != nil:
		return train.StepsOf(*f.Passes, games, c.Learner)
	}
	return train.StepsOf(1, games, c.Learner)
}

// settings returns the settings of the training.
func (f *flags) settings() (recipe.Config, error) {
	if f.Config == "" {
		return train.ReadSettings(f.Runs[0], f.Set)
	}
	return recipe.ReadLast(f.Config, f.Set, os.Stderr)
}

// from returns the network to begin with, nil for a fresh one, and its hash from before it grew.
func (f *flags) from(c recipe.Config) (n *net.Network, hash string, err error) {
	if f.From == "" {
		return nil, "", nil
	}
	return train.LoadFirst(f.From, c)
}
