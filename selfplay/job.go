package selfplay

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"warren/data"
	"warren/mcts"
)

// Job is a stretch of self-play: which games of a run to play, and how.
type Job struct {
	Config Config
	Search mcts.Config

	Run      string // identifies the run in its records
	Seed     uint64 // of the run
	Settings string // hash of the settings, for the records

	First uint64 // number of the first game
	Count uint64 // how many numbers to play from First on; 0 goes on until the context ends
	// Done says which numbers to leave out because they have been played; nil for none.
	Done func(number uint64) bool
}

// Play plays the job's games until all have been put into games or the context
// ends. What is unfinished then is lost, and played again when the same job is
// resumed. The error is the first of a worker's, or the context's.
func Play(ctx context.Context, job Job, networks Networks, games Games, stats *Stats) error {
	workers := job.Config.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := newPool(&job, workers)
	stop := context.AfterFunc(ctx, p.close)
	defer stop()

	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			w := worker{job: &job, pool: p, networks: networks, out: games, stats: stats, evaluators: map[*Network]Evaluator{}}
			if err := w.run(ctx); err != nil {
				cancel(err)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// worker plays a handful of games on one core.
type worker struct {
	job      *Job
	pool     *pool
	networks Networks
	out      Games
	stats    *Stats

	games      []*episode
	spare      []*mcts.Search
	evaluators map[*Network]Evaluator
	batch      batch
}

func (w *worker) run(ctx context.Context) error {
	for ctx.Err() == nil {
		w.fill()
		if len(w.games) == 0 {
			if w.games = w.pool.wait(); len(w.games) == 0 {
				return nil
			}
		}
		if err := w.round(ctx); err != nil {
			return err
		}
		w.games = w.pool.share(w.games)
	}
	return nil
}

// fill takes up games until the worker has its number of them or none is left.
func (w *worker) fill() {
	for len(w.games) < w.job.Config.GamesPerWorker {
		number, ok := w.pool.take()
		if !ok {
			return
		}
		w.games = append(w.games, begin(w.job, number, w.networks.Latest(), w.takeSearch()))
		w.stats.began()
	}
}

func (w *worker) takeSearch() *mcts.Search {
	if n := len(w.spare); n > 0 {
		s := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return s
	}
	return mcts.New(w.job.Search, w.job.Config.maxVisits())
}

// round brings every game one evaluation further and puts out those that end.
func (w *worker) round(ctx context.Context) error {
	playing := w.games[:0]
	var finished []*data.Record
	for _, e := range w.games {
		if e.next() != nil {
			playing = append(playing, e)
			continue
		}
		finished = append(finished, e.record)
		w.spare = append(w.spare, e.search)
	}
	clear(w.games[len(playing):])
	w.games = playing
	if err := w.evaluate(); err != nil {
		return err
	}
	for _, record := range finished {
		if err := w.out.Put(ctx, record); err != nil {
			return fmt.Errorf("putting out game %d: %w", record.Game, err)
		}
		w.stats.finished(record)
	}
	if len(finished) > 0 {
		w.forget()
	}
	return nil
}

// evaluate brings the leaves of all games to their networks' evaluators.
func (w *worker) evaluate() error {
	for done := 0; done < len(w.games); {
		network := w.games[done].network
		w.batch.clear()
		// The games of one network, moved together, are one batch.
		from := done
		for i := from; i < len(w.games); i++ {
			if w.games[i].network == network {
				w.games[i], w.games[done] = w.games[done], w.games[i]
				w.batch.add(w.games[done].leaf)
				done++
			}
		}
		evaluator, err := w.evaluator(network)
		if err != nil {
			return err
		}
		if err := w.batch.evaluate(evaluator); err != nil {
			return fmt.Errorf("evaluating with the network of generation %d: %w", network.Generation, err)
		}
		for i, e := range w.games[from:done] {
			e.expand(w.batch.priors[i], w.batch.values[i])
		}
		w.stats.evaluated(done - from)
	}
	return nil
}

func (w *worker) evaluator(n *Network) (Evaluator, error) {
	if e, ok := w.evaluators[n]; ok {
		return e, nil
	}
	e, err := n.NewEvaluator(w.job.Config.GamesPerWorker)
	if err != nil {
		return nil, fmt.Errorf("preparing the network of generation %d: %w", n.Generation, err)
	}
	w.evaluators[n] = e
	return e, nil
}

// forget drops the evaluators that no game of the worker needs any more.
func (w *worker) forget() {
	needed := map[*Network]bool{}
	for _, e := range w.games {
		needed[e.network] = true
	}
	for n := range w.evaluators {
		if !needed[n] && n != w.networks.Latest() {
			delete(w.evaluators, n)
		}
	}
}
