package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"warren/internal/durable"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/train"
)

// Worker is the first argument of a process that works for an experiment.
const Worker = "worker"

// The two kinds of work, which follow the word Worker:
//
//	train DIR VARIANT SEED
//	measure DIR GAMES-AT-ONCE
const (
	workTrain   = "train"
	workMeasure = "measure"
)

// news is a line that a worker writes to its parent.
type news struct {
	What  string  `json:"what"`
	Done  float64 `json:"done"`            // 0 to 1
	Games int     `json:"games,omitempty"` // of the matches, finished
	Total int     `json:"total,omitempty"` // of the matches
}

// Work does the work that args ask for. It ends early, with everything saved,
// when the context ends or stdin ends, which means that its parent is gone. It
// reports its progress to the parent on stdout, and to people on stderr.
func Work(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	signal.Ignore(syscall.SIGPIPE) // of a parent that is gone while the run is saved
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		io.Copy(io.Discard, stdin)
		cancel()
	}()
	if len(args) < 2 {
		return errors.New("a worker is started by the experiment itself")
	}
	d := dir(args[1])
	p, err := d.read()
	if err != nil {
		return err
	}
	w := &worker{dir: d, plan: p, log: slog.New(slog.NewTextHandler(stderr, nil)), out: json.NewEncoder(stdout)}
	switch {
	case args[0] == workTrain && len(args) == 4:
		seed, err := strconv.Atoi(args[3])
		if err != nil {
			return fmt.Errorf("the seed %q is not a number", args[3])
		}
		return w.train(ctx, Run{args[2], seed})
	case args[0] == workMeasure && len(args) == 3:
		workers, err := strconv.Atoi(args[2])
		if err != nil {
			return fmt.Errorf("the number of games at once %q is not a number", args[2])
		}
		return w.measure(ctx, workers)
	}
	return errors.New("a worker is started by the experiment itself")
}

type worker struct {
	dir  dir
	plan *Plan
	log  *slog.Logger

	mu  sync.Mutex // guards out
	out *json.Encoder
}

// tell sends news to the parent. The end of stdin shows when the parent is
// gone.
func (w *worker) tell(n news) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out.Encode(n)
}

// tellEvery is the interval between two reports to the parent.
const tellEvery = time.Second

// train works on a run until it is finished or the context ends.
func (w *worker) train(ctx context.Context, r Run) (err error) {
	v := w.plan.variant(r.Variant)
	if v == nil {
		return fmt.Errorf("the experiment has no variant %s", r.Variant)
	}
	if err := released(ctx, w.dir.run(r)); err != nil {
		if errors.Is(err, context.Canceled) {
			return nil // nothing was begun
		}
		return err
	}
	directory, err := train.OpenDir(w.dir.run(r))
	if err != nil {
		return err
	}
	defer directory.Close()
	settings := w.plan.settings(v, r.Seed)
	if w.plan.From != "" {
		if err := directory.Begin(settings, w.dir.first(), w.log); err != nil {
			return err
		}
	}
	run, err := train.Open(ctx, directory, settings, observe.Nobody, nil, w.log)
	if err != nil {
		if errors.Is(err, ctx.Err()) {
			return nil // as where Train is interrupted
		}
		return err
	}
	stop := metrics.Every(tellEvery, func() { w.tell(news{What: r.String(), Done: run.Progress()}) })
	err = run.Train(ctx)
	stop()
	over, minutes := run.Finished(), run.Progress()*w.plan.Budget.Minutes()
	if err := errors.Join(err, run.Close()); err != nil || !over {
		return err
	}
	return durable.WriteJSON(w.dir.finished(r), finished{minutes}, "  ")
}

// released makes a directory, or waits while a process that has lost its parent is still saving its
// work there.
func released(ctx context.Context, path string) error {
	if err := os.MkdirAll(path, 0o777); err != nil {
		return fmt.Errorf("making a directory to work in: %w", err)
	}
	for {
		lock, err := durable.Lock(filepath.Join(path, "lock"))
		if err == nil {
			return lock.Close()
		}
		if !errors.Is(err, durable.ErrLocked) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
