package selfplay

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"warren/data"
	"warren/eval"
	"warren/gather"
	"warren/mcts"
	"warren/turnsearch"
	"warren/watch"
)

// Job describes a range of self-play games of a run and how to play them.
type Job struct {
	Config Config
	Search mcts.Config
	Turns  turnsearch.Config // used if Config.Unit is turn

	Run      string // identifies the run in its records
	Seed     uint64 // of the run
	Settings string // hash of the settings, for the records

	First uint64 // number of the first game
	Count uint64 // number of games from First on; 0 means until the context ends
	// Openings provides the recorded openings that Config.RecordedOpenings asks for. If it is nil,
	// there are none.
	Openings Openings
	// Done reports whether a game has been played and is to be skipped. It may be nil.
	Done func(number uint64) bool
	// Next, unless nil, says which number to play next, in place of First, Count and Done. It
	// reports false when there is none now. Workers with games ask again, so it must not wait.
	Next func() (number uint64, ok bool)
}

// Play plays the job's games and puts them into games, until all are finished or
// the context ends. Unfinished games are lost, and are played again when the same
// job is resumed. The observer receives the games, actions and evaluations of all
// workers, concurrently. The error is the first worker's error or the context's.
func Play(ctx context.Context, job Job, networks Networks, games Games, observer watch.Observer) error {
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
			w := worker{job: &job, pool: p, networks: networks, out: games, observer: observer, queues: map[*eval.Network]*queue{}}
			if err := w.run(ctx); err != nil {
				cancel(err)
			}
			w.close()
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// worker plays a number of games at once on one core.
type worker struct {
	job      *Job
	pool     *pool
	networks Networks
	out      Games
	observer watch.Observer

	games  []*episode
	spare  []search
	queues map[*eval.Network]*queue
}

// queue has the leaves that wait for a network, of the games that play with it, and
// the stream that evaluates them.
type queue struct {
	stream eval.Stream
	leaves gather.Leaves
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

// fill starts games until the worker has its full number or none is left.
func (w *worker) fill() {
	for len(w.games) < w.job.Config.GamesPerWorker {
		number, ok := w.pool.take()
		if !ok {
			return
		}
		network := w.networks.Latest()
		w.games = append(w.games, begin(w.job, number, network, w.takeSearch(), w.observer))
		w.observer.Observe(&watch.GameBegan{Game: number, Generation: network.Origin.Generation})
	}
}

func (w *worker) takeSearch() search {
	if n := len(w.spare); n > 0 {
		s := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return s
	}
	if w.job.Config.Unit == turnsearch.Turn {
		return turnsearch.New(w.job.Turns, mcts.New(w.job.Search, w.job.Config.SetupVisits))
	}
	return mcts.New(w.job.Search, w.job.Config.maxVisits())
}

// round advances every game by one evaluation and hands over those that end.
func (w *worker) round(ctx context.Context) error {
	playing := w.games[:0]
	var finished []*data.Record
	for _, e := range w.games {
		q, err := w.queue(e.network)
		if err != nil {
			return err
		}
		if e.next(&q.leaves) {
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
		w.observer.Observe(&watch.GameEnded{Record: record})
	}
	if len(finished) > 0 {
		w.forget()
	}
	return nil
}

// evaluate evaluates the leaves of all games, in one batch per network.
func (w *worker) evaluate() error {
	for network, q := range w.queues {
		evaluated := watch.Evaluated{Positions: q.leaves.Len()}
		if err := q.leaves.Evaluate(q.stream); err != nil {
			return fmt.Errorf("evaluating with the network of generation %d: %w", network.Origin.Generation, err)
		}
		q.leaves.Return()
		w.observer.Observe(&evaluated)
	}
	return nil
}

// queue returns the worker's queue for a network, and opens it if need be.
func (w *worker) queue(n *eval.Network) (*queue, error) {
	if q, ok := w.queues[n]; ok {
		return q, nil
	}
	stream, err := n.Open(w.job.Config.GamesPerWorker)
	if err != nil {
		return nil, fmt.Errorf("preparing the network of generation %d: %w", n.Origin.Generation, err)
	}
	w.queues[n] = &queue{stream: stream}
	return w.queues[n], nil
}

// forget closes the queues for networks that the worker's games no longer need.
func (w *worker) forget() {
	needed := map[*eval.Network]bool{w.networks.Latest(): true}
	for _, e := range w.games {
		needed[e.network] = true
	}
	for n, q := range w.queues {
		if !needed[n] {
			q.stream.Close()
			delete(w.queues, n)
		}
	}
}

// close closes all queues.
func (w *worker) close() {
	for _, q := range w.queues {
		q.stream.Close()
	}
}
