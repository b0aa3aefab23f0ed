package analysis

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/gather"
	"warren/mcts"
)

// Config configures an engine.
type Config struct {
	Search  mcts.Config
	Network *eval.Network
	Visits  int   // of a query that does not say how many
	Threads int   // at least 1
	Memory  int64 // of the trees of all positions that are searched at once, in bytes
}

// nodeBytes is about the memory of a node of a tree, and its edges.
const nodeBytes = 660

// engine searches positions.
type engine struct {
	config Config
	send   func(any) // sends an answer

	mu      sync.Mutex
	changed *sync.Cond // signals that there is a job, that room is free, or that no more jobs come
	queue   queue
	room    int // visits that may still be searched at once
	closed  bool
}

// job is a position of a query.
type job struct {
	query  *Query
	game   *game.Game
	turn   int
	order  int // in which it came
	visits int
	steps  int

	search    *mcts.Search
	network   *float32
	end       time.Time // zero: no limit
	next      time.Time // of the next partial answer; zero: none
	cancelled atomic.Bool
}

func newEngine(c Config, send func(any)) *engine {
	e := &engine{config: c, send: send, queue: queue{most: longestQueue}, room: int(c.Memory / nodeBytes)}
	e.changed = sync.NewCond(&e.mu)
	return e
}

// run searches on one thread until no more jobs come or the context ends.
func (e *engine) run(ctx context.Context) (err error) {
	a := e.config.Network.Attributes()
	width := max(1, a.Best)
	if a.Depth > 1 { // a device of all threads
		width = max(1, a.Depth*a.Best/e.config.Threads)
	}
	stream, err := e.config.Network.Open(width)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stream.Close()) }()
	var active []*job
	var leaves gather.Leaves
	for ctx.Err() == nil {
		active = e.take(ctx, active, width)
		if len(active) == 0 {
			return nil
		}
		rest := active[:0]
		for _, j := range active {
			if e.advance(j, &leaves) {
				rest = append(rest, j)
			}
		}
		clear(active[len(rest):])
		active = rest
		if err := leaves.Evaluate(stream); err != nil {
			return fmt.Errorf("evaluating positions: %w", err)
		}
		leaves.Return()
	}
	return ctx.Err()
}

// advance runs simulations of a job until one needs an evaluation, which it adds to leaves. It reports
// false if the job is done with.
func (e *engine) advance(j *job, leaves *gather.Leaves) bool {
	now := time.Now()
	for {
		if j.search != nil && j.network == nil && j.search.Simulations() == 1 && j.search.Proof() == mcts.Unproven {
			value := j.search.Value() // of the root's evaluation
			j.network = &value
		}
		switch {
		case j.cancelled.Load():
			e.release(j)
			return false
		case j.over(now):
			e.release(j) // first, so that a job that cancel has counted gets no answer
			if !j.cancelled.Load() {
				e.send(j.answer(false))
			}
			return false
		}
		if !j.next.IsZero() && now.After(j.next) && j.search.Simulations() > 0 {
			j.next = now.Add(seconds(j.query.Report))
			e.send(j.answer(true))
		}
		if leaves.Take(j.search) == mcts.Evaluate {
			return true
		}
	}
}

// over reports whether the search of a job has ended.
func (j *job) over(now time.Time) bool {
	if j.search == nil { // the game is over
		return true
	}
	n := j.search.Simulations()
	return n >= j.visits || j.search.Settled() || n > 0 && !j.end.IsZero() && now.After(j.end)
}

// begin makes the search of a job.
func (e *engine) begin(j *job) {
	if j.game.Result().Over() {
		return
	}
	j.search = mcts.New(e.config.Search, j.visits)
	j.search.Reset(j.game)
	j.search.Begin(j.visits, nil)
	now := time.Now()
	if limit := seconds(j.query.Seconds); limit > 0 {
		j.end = now.Add(limit)
	}
	if every := seconds(j.query.Report); every > 0 {
		j.next = now.Add(every)
	}
}

// take adds jobs to those that a thread searches, up to width and to its share of all jobs. With none it
// waits for one, and returns none when no more come.
func (e *engine) take(ctx context.Context, active []*job, width int) []*job {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(active) < min(width, e.share()) {
		j := e.queue.first()
		switch {
		case j != nil && j.visits <= e.room:
			e.queue.remove()
			e.room -= j.visits
			e.changed.Broadcast() // there is room in the queue
			e.begin(j)
			active = append(active, j)
			continue
		case len(active) > 0 || j == nil && e.closed || ctx.Err() != nil:
			return active
		}
		e.changed.Wait()
	}
	return active
}

// share returns how many jobs a thread takes at most, so that few jobs keep all threads busy. The caller
// holds the lock.
func (e *engine) share() int {
	all, threads := len(e.queue.active)+len(e.queue.waiting), max(1, e.config.Threads)
	return max(1, (all+threads-1)/threads)
}

func (e *engine) release(j *job) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.room += j.visits
	e.queue.forget(j)
	e.changed.Broadcast()
}

// add puts jobs into the queue, and waits while it is full.
func (e *engine) add(ctx context.Context, jobs []*job) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, j := range jobs {
		for e.queue.full() && ctx.Err() == nil {
			e.changed.Broadcast() // the searches may still wait for the first of these jobs
			e.changed.Wait()
		}
		e.queue.add(j)
	}
	e.changed.Broadcast()
}

// cancel drops the positions of the queries with an ID, or of all queries, and returns how many.
func (e *engine) cancel(id string, all bool) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := e.queue.cancel(func(j *job) bool { return all || j.query.ID == id })
	e.changed.Broadcast()
	return n
}

// close says that no more jobs come.
func (e *engine) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	e.changed.Broadcast()
}
