package train

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"

	"warren/data"
	"warren/data/replay"
	"warren/internal/durable"
	"warren/internal/metrics"
	"warren/internal/recipe"
)

// Recorded holds recorded games of one run or several, in the windows that a run itself would learn from. It
// changes nothing in their directories; other processes may continue playing there.
type Recorded struct {
	*replay.Windows
	Last    uint64 // highest number of the games
	runs    string // their names
	sources []replay.Source
	total   int // positions that Read will find, about
}

// ReadSettings returns the settings of the run in the directory at path, those of its last stage, with some of
// them set to other values, each as KEY=VALUE.
func ReadSettings(path string, set []string) (c recipe.Config, err error) {
	d := &Dir{path: path}
	if err := d.isDir(); err != nil {
		return c, err
	}
	if !d.hasBegun() {
		return c, fmt.Errorf("the run %s has no settings (config.yaml): name a preset or a file with --config", path)
	}
	if c, _, err = d.readSettings(); err != nil {
		return c, err
	}
	return c.Last(set)
}

// isDir returns an error if there is no directory of a run.
func (d *Dir) isDir() error {
	if !durable.IsDir(d.path) {
		return fmt.Errorf("there is no run %s: name the directory of one", d.path)
	}
	return nil
}

// FindRecorded lists the games in the run directories at paths, or in directories of shards. If the games of
// several runs do not all fit into the windows, the oldest of each run are left out, unless all is set,
// which makes the windows large enough. [Recorded.Read] reads them.
func FindRecorded(paths []string, all bool, c replay.Config, log *slog.Logger) (*Recorded, error) {
	r := new(Recorded)
	var names []string
	positions := 0
	for i, path := range paths {
		d, err := newDir(path)
		if err != nil {
			return nil, err
		}
		if err := r.find(d, log); err != nil {
			return nil, err
		}
		names = append(names, d.name)
		positions += r.sources[i].Index.Positions
	}
	r.runs = strings.Join(names, ", ")
	if all {
		c = c.Holding(positions)
	}
	r.Windows = replay.NewWindows(c)
	r.total = min(c.WindowPositions, replay.Positions(r.sources...))
	return r, nil
}

// find adds the games of a run, without the discarded ones, to the sources.
func (r *Recorded) find(d *Dir, log *slog.Logger) error {
	if err := d.isDir(); err != nil {
		return err
	}
	games := d.games()
	if !durable.IsDir(games) {
		games = d.path
	}
	x, err := data.Look(games, log, nil)
	if err != nil {
		return err
	}
	if x.Games == 0 {
		return fmt.Errorf("there are no games in %s", games)
	}
	discarded, err := Discarded(d.path)
	if err != nil {
		return err
	}
	r.Last = max(r.Last, x.Next()-1)
	r.sources = append(r.sources, replay.Source{Index: x, Without: discarded})
	return nil
}

// Read reads the games, newest first, until the windows are full. At the end of the context it returns its
// error, and r must not be used.
func (r *Recorded) Read(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- r.Restore(r.sources...) }()
	select {
	case err := <-done:
		return cmp.Or(err, ctx.Err())
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Reading returns the progress of Read.
func (r *Recorded) Reading() metrics.Status {
	return metrics.Status{
		Title: "reading the games of " + r.runs,
		Done:  float64(r.Train.Positions() + r.HeldOut.Positions()), Total: float64(r.total),
	}
}
