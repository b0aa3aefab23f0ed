package selfplay

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"warren/data"
	"warren/internal/eval"
	"warren/internal/gather"
	"warren/internal/observe"
	"warren/mcts"
)

// Job describes a range of self-play games of a run and how to play them.
type Job struct {
	Rules         // of the first stage of the run
	Later []Rules // of the later stages, which have the same numbers of workers and of games per worker

	Run  string // identifies the run in its records
	Seed uint64 // of the run

	First uint64 // number of the first game
	Count uint64 // number of games from First on; 0 means until the context ends
	// Done reports whether a game has been played and is to be skipped. It may be nil.
	Done func(number uint64) bool
	// Next, unless nil, says which number to play next, instead of First, Count and Done. It
	// reports false when there is none now. Workers with games ask again, so it must not wait.
	Next func() (number uint64, ok bool)
	// Lost, unless nil, is called when the device that evaluates with a network is lost. It returns
	// the same network on another device, with which the network's unfinished games begin again, or
	// the error that ends the job. Workers call it concurrently, each for its own games.
	Lost func(n *eval.Network, err error) (*eval.Network, error)
}

// Rules are the settings of games.
type Rules struct {
	Config   Config
	Search   mcts.Config
	Settings string // hash of both, for the records
}

// Stage returns the job of a stage alone, from 0. A job of fewer stages has its last one.
func (j Job) Stage(stage int) Job {
	j.Rules = *j.rules(stage)
	j.Later = nil
	return j
}

// rules returns the settings of the games of a stage.
func (j *Job) rules(stage int) *Rules {
	if stage = min(stage, len(j.Later)); stage > 0 {
		return &j.Later[stage-1]
	}
	return &j.Rules
}

// Play plays the job's games, each under the settings of its network's stage, and puts them into games,
// until all are finished or the context ends. Unfinished games are lost, and are played again when the
// same job is resumed. The observer receives the games, actions and evaluations of all workers,
// concurrently. The error is the first worker's error or the context's.
func Play(ctx context.Context, job Job, networks Networks, games Games, observer observe.Observer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	p := newPool(&job)
	p.start = func() {
		group.Go(func() {
			w := worker{job: &job, pool: p, networks: networks, out: games, observer: observer, queues: map[*eval.Network]*queue{}}
			if err := w.run(ctx); err != nil {
				cancel(err)
			}
			w.close()
		})
	}
	stop := context.AfterFunc(ctx, p.close)
	defer stop()
	p.staff(networks.Latest().Attributes())
	group.Wait()
	return context.Cause(ctx)
}

// worker plays a number of games at once.
type worker struct {
	job      *Job
	pool     *pool
	networks Networks
	out      Games
	observer observe.Observer

	games  []*episode
	rules  *Rules         // of the newest game
	spare  []*mcts.Search // for games with these rules
	queues map[*eval.Network]*queue
}

// mostCached bounds the evaluations that a worker keeps for a network. There are at most twice as
// many at a time, which take some 8 MB.
const mostCached = 1 << 14

// queue holds the leaves that wait for a network, from the games that play with it,
// and the stream that evaluates them.
type queue struct {
	stream eval.Stream
	leaves gather.Leaves
	failed error // of the present batch
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
	for {
		network := w.networks.Latest()
		device := network.Attributes()
		if _, games := w.job.Config.Load(device); len(w.games) >= games {
			return
		}
		number, ok := w.pool.take()
		if !ok {
			return
		}
		w.pool.staff(device)
		rules := w.job.rules(network.Origin.Stage)
		w.games = append(w.games, begin(w.job, rules, number, network, w.takeSearch(rules), w.observer))
		w.observer.Observe(&observe.GameBegan{Game: number})
	}
}

func (w *worker) takeSearch(rules *Rules) *mcts.Search {
	if rules != w.rules {
		w.rules, w.spare = rules, nil
	}
	if n := len(w.spare); n > 0 {
		s := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return s
	}
	return mcts.New(rules.Search, rules.Config.maxVisits())
}

// round advances every game by one evaluation and hands over those that end.
func (w *worker) round(ctx context.Context) error {
	if err := w.prepare(); err != nil {
		return err
	}
	playing := w.games[:0]
	var finished []*data.Record
	for _, e := range w.games {
		if e.next(&w.queues[e.network].leaves) {
			playing = append(playing, e)
			continue
		}
		finished = append(finished, e.record)
		if e.rules == w.rules {
			w.spare = append(w.spare, e.search)
		}
	}
	clear(w.games[len(playing):])
	w.games = playing
	failed := w.evaluate()
	for _, record := range finished {
		if err := w.out.Put(ctx, record); err != nil {
			return fmt.Errorf("saving game %d: %w", record.Game, err)
		}
		w.observer.Observe(&observe.GameEnded{Record: record})
	}
	if len(finished) > 0 {
		w.forget()
	}
	return failed
}

// prepare opens a queue for every network of the worker's games.
func (w *worker) prepare() error {
	for i := 0; i < len(w.games); {
		n := w.games[i].network
		if w.queues[n] != nil {
			i++
			continue
		}
		stream, err := w.open(n)
		if err == nil {
			w.queues[n] = &queue{stream: stream}
			continue
		}
		err = fmt.Errorf("preparing the network of generation %d: %w", n.Origin.Generation, err)
		if err = w.replace(n, err); err != nil {
			return err
		}
	}
	return nil
}

// open opens a stream of the network for the worker's games. On the processor it keeps the latest
// evaluations, because a search comes back to positions that an earlier search reached by another
// step. With 64 visits this is about one evaluation in thirteen. Other devices take no longer for a
// full batch than for the part of it that is not cached.
func (w *worker) open(n *eval.Network) (eval.Stream, error) {
	device := n.Attributes()
	_, games := w.job.Config.Load(device)
	if device.Depth > 1 {
		return n.Open(games)
	}
	return eval.Cached(n, min(games*w.job.rules(n.Origin.Stage).Config.maxVisits(), mostCached)).Open(games)
}

// evaluate evaluates the leaves of all games, in one batch per network. It submits all
// batches before it waits for any, so that a device has them all.
func (w *worker) evaluate() error {
	for _, q := range w.queues {
		q.failed = q.leaves.Submit(q.stream)
	}
	for _, q := range w.queues {
		if q.failed == nil {
			q.failed = q.leaves.Collect(q.stream)
		}
		if q.failed == nil {
			evaluated := observe.Evaluated{Positions: q.leaves.Len()}
			q.leaves.Return()
			w.observer.Observe(&evaluated)
		}
	}
	for network, q := range w.queues {
		if q.failed == nil {
			continue
		}
		err := fmt.Errorf("evaluating with the network of generation %d: %w", network.Origin.Generation, q.failed)
		if err = w.replace(network, err); err != nil {
			return err
		}
	}
	return nil
}

// replace begins the games of a network again on another device, if that of the network is
// lost and the job has another. Otherwise it returns the error. A game does not change
// its device, because its record names the one path that it was evaluated by.
func (w *worker) replace(n *eval.Network, err error) error {
	if !errors.Is(err, eval.ErrLost) || w.job.Lost == nil {
		return err
	}
	instead, err := w.job.Lost(n, err)
	if err != nil {
		return err
	}
	for i, e := range w.games {
		if e.network == n {
			w.games[i] = begin(w.job, e.rules, e.record.Game, instead, e.search, w.observer)
		}
	}
	if q := w.queues[n]; q != nil {
		q.stream.Close()
		delete(w.queues, n)
	}
	return nil
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
