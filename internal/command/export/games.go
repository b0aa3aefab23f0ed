package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"warren/internal/dataset"
	"warren/internal/metrics"
	"warren/internal/plural"
	"warren/internal/recipe"
	"warren/internal/train"
	"warren/net/bundled"
)

const gamesDescription = `Write recorded games as a data set for others, with a card that explains it.

The games are those of a run, without the discarded ones, or of a directory that selfplay has filled. OUT
gets two tables, games and positions, with a file for each split (train, validation, test), and README.md,
the card: the licence, the networks and the settings of the games, counts, columns, splits, hashes, known
limits. It has the form that the Hugging Face Hub reads.

The same games give the same bytes. A game's split depends on its number alone; the test split is held out
from training by default. OUT appears when it is complete.

Examples:
  warren export games runs/quick quick-games
  warren export games --format jsonl --config games.yaml games sample`

type gamesFlags struct {
	Games string `arg:"" help:"The directory of a run, or one of games."`
	Out   string `arg:"" help:"The directory to write, which must be new or empty."`

	Format  string   `default:"parquet" enum:"parquet,jsonl" placeholder:"NAME" help:"The format of the tables: parquet, or jsonl, lines of JSON compressed by gzip. Default: parquet."`
	Licence string   `default:"mit" placeholder:"NAME" help:"The licence for the card, by its name on the Hugging Face Hub, such as cc-by-4.0. Default: mit."`
	Network string   `placeholder:"FILE" help:"A network that played the games, for the card: a .safetensors file, or the directory of a run. Default: warren, the one that comes with this program, if it did."`
	Config  string   `placeholder:"FILE" help:"Settings that the games were played under, for the card: a YAML file, or a preset (${presets}). Default: those of the run."`
	Set     []string `placeholder:"KEY=VALUE" sep:"none" help:"With --config: override a setting, as selfplay had it. May be repeated."`
}

// licences are the names that a card may have.
var licences = regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*$`)

func (f *gamesFlags) run(ctx context.Context, out io.Writer) error {
	if !licences.MatchString(f.Licence) {
		return fmt.Errorf("--licence %q: the name of a licence has small letters, digits, hyphens and full stops, such as cc-by-4.0", f.Licence)
	}
	network, err := f.network()
	if err != nil {
		return err
	}
	progress := metrics.NewProgress(os.Stderr)
	defer progress.Close()
	games, err := f.settings(progress.Logger())
	if err != nil {
		return err
	}
	discarded, err := train.Discarded(f.Games)
	if err != nil {
		return err
	}
	written, err := dataset.Write(ctx, f.Games, f.Out, dataset.Options{
		Format: f.Format, Licence: f.Licence, Settings: games, Networks: []*dataset.Known{network}, Without: discarded,
		Progress: func(p dataset.Progress) {
			progress.Update(metrics.Status{
				Title: "writing the data set", Done: float64(p.Shards), Total: float64(p.Of),
				Counts: []metrics.Value{{Name: "games", Value: float64(p.Games)}, {Name: "positions", Value: float64(p.Positions)}},
			})
		},
	})
	progress.Close()
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("stopped; nothing is written")
	case err != nil:
		return err
	}
	fmt.Fprintf(out, "%s holds %s with %s; %s describes them\n", f.Out, plural.Of(written.Games, "game"), plural.Of(written.Positions, "position"), filepath.Join(f.Out, dataset.Card))
	return nil
}

// network returns what the card says of a network that played.
func (f *gamesFlags) network() (*dataset.Known, error) {
	name := cmp.Or(f.Network, bundled.Name)
	n, meta, err := bundled.Checkpoint(name)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("%s (blocks x channels), %d parameters", n.Config, n.NumParams())
	if meta["run"] != "" && meta["generation"] != "" {
		text += fmt.Sprintf(", generation %s of the run %s", meta["generation"], meta["run"])
	}
	return &dataset.Known{Hash: n.Hash(), Text: text, Source: "the network " + name, Must: f.Network != ""}, nil
}

// settings returns the settings of the games: those that --config names, or else those of the run, if it is one. If
// the run's cannot be read, as those of an older version, the card goes without.
func (f *gamesFlags) settings(log *slog.Logger) ([]*dataset.Known, error) {
	if f.Config != "" {
		return readSettings(f.Config, f.Set)
	}
	if len(f.Set) > 0 {
		return nil, errors.New("--set changes the settings that --config names: give --config too")
	}
	run, err := train.RunOf(f.Games)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(run, "config.yaml")
	if _, err := os.Stat(name); err != nil {
		return nil, nil
	}
	s, err := readSettings(name, nil)
	if err != nil {
		log.Warn("the card will not have the settings, because they cannot be read; name others with --config", "error", err)
		return nil, nil
	}
	for _, k := range s {
		k.Must = false // they may have changed since
	}
	return s, nil
}

// readSettings returns the settings of the games of each stage, different ones once. With set they are those of the last
// stage with some set to other values.
func readSettings(name string, set []string) (list []*dataset.Known, err error) {
	config, err := recipe.Read(name, nil, os.Stderr)
	if err != nil {
		return nil, err
	}
	stages, err := config.StageList()
	if err != nil {
		return nil, fmt.Errorf("the settings %s: %w", name, err)
	}
	if len(set) > 0 { // selfplay changes the last stage, and plays that
		last, err := config.Last(set)
		if err != nil {
			return nil, err
		}
		stages = []recipe.Stage{{Config: last}}
	}
	for _, s := range stages {
		hash, err := recipe.HashOfGames(s.SelfPlay, s.Search)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(k *dataset.Known) bool { return k.Hash == hash }) {
			continue
		}
		text, err := recipe.TextOfGames(s.SelfPlay, s.Search)
		if err != nil {
			return nil, err
		}
		list = append(list, &dataset.Known{Hash: hash, Text: text, Source: "the settings " + name, Must: true})
	}
	return list, nil
}
