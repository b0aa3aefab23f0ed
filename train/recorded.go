package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"warren/configs"
	"warren/data"
	"warren/metrics"
	"warren/settings"
)

// Recorded holds recorded games of a run, in the windows that the run itself would learn from. It
// changes nothing in the run's directory but the names of damaged shards; another process may go on playing there.
type Recorded struct {
	*data.Replay
	First, Last uint64 // lowest and highest number of the games
	run         string // the run's name
	index       *data.Index
	bound       int // positions that fit into both windows
}

// ReadSettings returns the settings of the run in the directory at path, with some of them set to
// other values, each as KEY=VALUE.
func ReadSettings(path string, set []string) (c settings.Config, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("there is no run %s", path)
	}
	d := &Dir{path: path}
	if _, err := os.Stat(d.config()); err != nil {
		return c, fmt.Errorf("the run %s has no settings (config.yaml): name a preset or a file with --config", path)
	}
	c = settings.DefaultConfig()
	return c, configs.Read(d.config(), set, &c)
}

// FindRecorded lists the games in the run directory at path, or in a directory of shards. It keeps those
// with numbers from first to last; a negative last means the newest. [Recorded.Read] reads them.
func FindRecorded(path string, first, last int, c data.Config, log *slog.Logger) (*Recorded, error) {
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding the run directory: %w", err)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("there is no run %s", path)
	}
	d := &Dir{path: path, name: filepath.Base(whole)}
	games := d.games()
	if info, err := os.Stat(games); err != nil || !info.IsDir() {
		games = path
	}
	index, err := data.Scan(games, log)
	if err != nil {
		return nil, err
	}
	if index.Games == 0 {
		return nil, fmt.Errorf("there are no games in %s", games)
	}
	r := &Recorded{
		Replay: data.NewReplay(c), First: uint64(max(0, first)), Last: index.Next() - 1, run: d.name, index: index,
		bound: max(c.WindowPositions, int(c.WindowFraction*float64(index.Positions))),
	}
	if last >= 0 {
		r.Last = min(r.Last, uint64(last))
	}
	if r.First > r.Last {
		return nil, fmt.Errorf("%s has no games from number %d to %d: its games end with number %d", path, first, last, index.Next()-1)
	}
	discarded, err := d.discarded()
	if err != nil {
		return nil, err
	}
	if err := r.Discard(r.outside(discarded), &data.Index{}); err != nil {
		return nil, err
	}
	return r, nil
}

// outside returns the numbers of games that are not among those to learn from: those below First and above
// Last, and the discarded ones.
func (r *Recorded) outside(discarded []data.Range) (out []data.Range) {
	add := func(first, end uint64) {
		if first < end {
			out = append(out, data.Range{First: first, Count: int(end - first)})
		}
	}
	add(0, r.First)
	add(r.Last+1, r.index.Next())
	for _, d := range discarded {
		add(max(d.First, r.First), min(d.First+uint64(d.Count), r.Last+1))
	}
	return out
}

// Read reads the games, newest first, until the windows are full. At the end of the context it returns its
// error, and r must not be used.
func (r *Recorded) Read(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- r.Restore(r.index) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Reading returns the progress of Read.
func (r *Recorded) Reading() metrics.Status {
	return metrics.Status{
		Title: "reading the games of " + r.run,
		Done:  float64(r.Train.Positions() + r.HeldOut.Positions()), Total: float64(min(r.bound, r.index.Positions)),
	}
}
