package page

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"warren/internal/metrics"
	"warren/net"
)

// run is a run directory. Other processes may be writing to it.
type run struct {
	path, name string
	games      storedGames
	ladder     ladder

	mu      sync.Mutex
	series  series
	stamp   stamp   // of the file when it was read
	read    int64   // bytes of the file that have been read
	damaged []error // for each damaged line of these
}

// stamp distinguishes states of a file.
type stamp struct {
	size int64
	time time.Time
}

func openRun(path string) (*run, error) {
	r := &run{path: path, name: name(path), games: storedGames{folder: filepath.Join(path, "games")}}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is not the directory of a run; train makes one, such as runs/quick", path)
	}
	_, err := os.Stat(filepath.Join(path, "config.yaml"))
	switch {
	case err == nil:
		return r, nil
	case !errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("the run %s cannot be read: %w", path, err)
	case r.state() != (stamp{}):
		return nil, fmt.Errorf("the run %s has lost its settings, config.yaml: put a copy of the file back", path)
	}
	return nil, fmt.Errorf("%s is not the directory of a run: it has no config.yaml", path)
}

func (r *run) metrics() string { return filepath.Join(r.path, "metrics.jsonl") }

// state returns the stamp of the metrics file.
func (r *run) state() stamp {
	info, err := os.Stat(r.metrics())
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// look shows the series of the run and its verdict to f, which must not keep the series. If the file has grown, look
// reads the new lines first. It fails if the file or all its lines cannot be read; some damaged lines are left out.
func (r *run) look(f func(all *series, verdict string)) error {
	now := r.state()
	r.mu.Lock()
	defer r.mu.Unlock()
	if now != r.stamp {
		if now.size < r.read { // another file
			r.series, r.read, r.damaged = series{}, 0, nil
		}
		points, read, err := metrics.ReadLinesFrom(r.metrics(), r.read)
		var damaged interface{ Unwrap() []error }
		switch {
		case err == nil || errors.Is(err, fs.ErrNotExist):
		case errors.As(err, &damaged):
			r.damaged = append(r.damaged, damaged.Unwrap()...)
		default:
			return err
		}
		for _, p := range points {
			r.series.add(p)
		}
		r.read, r.stamp = read, now
	}
	text := verdict(&r.series)
	switch {
	case len(r.damaged) > 0 && len(r.series.steps) == 0:
		return fmt.Errorf("no line of %s can be read; the first: %w", r.metrics(), r.damaged[0])
	case len(r.damaged) > 0:
		text = fmt.Sprintf("%s %d of its measurements are damaged, and left out.", text, len(r.damaged))
	}
	f(&r.series, text)
	return nil
}

// generations returns the generations that have a network, in ascending order.
func (r *run) generations() []int {
	list, _ := net.Generations(r.path)
	return list
}

// network returns the path of a generation's network.
func (r *run) network(generation int) (string, error) {
	if !slices.Contains(r.generations(), generation) {
		return "", missing("the run %s has no network of generation %d", r.name, generation)
	}
	return net.GenerationFile(r.path, generation), nil
}

type runInfo struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Live bool   `json:"live"`
}

func (s *Server) listRuns(*http.Request) (any, error) {
	list := []runInfo{}
	for i, r := range s.runs {
		list = append(list, runInfo{i, r.name, i == 0 && s.config.Live != nil})
	}
	return list, nil
}
