package think

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"warren/eval"
	"warren/game"
	"warren/mcts"
	"warren/tactics"
)

// Config configures an engine.
type Config struct {
	Search  mcts.Config
	Threads int   // threads that search at the same time, at least 1
	Batch   int   // positions that a thread evaluates at once, at most; 0 means as the back end needs
	Memory  int64 // limit on the tree's size in bytes
	// Backend evaluates positions. Each thread opens a stream of its own.
	Backend eval.Backend
	// Lost, unless nil, is called when the device of a back end is lost. It returns the back end
	// with which the search goes on, or the error that ends it.
	Lost func(b eval.Backend, err error) (eval.Backend, error)
}

const (
	batchOfVectors = 8   // is enough for the processor
	batchOfDevice  = 256 // limits the leaves that a thread has in flight
)

// batch returns the positions that a thread evaluates at once, at most. All threads together
// fill the best batch of a device that computes by itself.
func (c *Config) batch() int {
	a := c.Backend.Attributes()
	switch {
	case c.Batch > 0:
		return c.Batch
	case a.Depth <= 1:
		return batchOfVectors
	}
	return min(max(batchOfVectors, a.Best/c.Threads), batchOfDevice)
}

// Engine thinks about one game at a time, in one call at a time.
type Engine struct {
	config  Config
	most    int // size of a worker's largest batch
	workers []*worker

	mu     sync.Mutex // guards the fields below while the workers run
	search *mcts.Search
	ready  bool       // whether the search has a game
	landed *sync.Cond // signals that an evaluation came back or that over is set
	over   bool       // whether the workers should stop
	nodes  int64      // simulations since Turn or Ponder was called
	err    error
}

// New returns a new engine. It fails if the backend cannot open a stream.
func New(config Config) (*Engine, error) {
	if config.Threads < 1 || config.Batch < 0 {
		return nil, fmt.Errorf("making an engine with %d threads and batches of %d: there must be at least 1 thread, and a batch of at least 0", config.Threads, config.Batch)
	}
	e := &Engine{config: config, search: mcts.NewWithin(config.Search, config.Memory)}
	e.landed = sync.NewCond(&e.mu)
	err := e.open()
	if errors.Is(err, eval.ErrLost) {
		err = e.move(err)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// open opens the streams.
func (e *Engine) open() error {
	e.most = e.config.batch()
	for range e.config.Threads {
		stream, err := e.config.Backend.Open(e.most)
		if err != nil {
			return errors.Join(fmt.Errorf("opening a stream of evaluations: %w", err), e.Close())
		}
		e.workers = append(e.workers, &worker{stream: stream})
	}
	return nil
}

// move opens the streams of the back end that takes the place of a lost one. If there is none,
// it returns the error.
func (e *Engine) move(err error) error {
	for errors.Is(err, eval.ErrLost) && e.config.Lost != nil {
		var instead eval.Backend
		if instead, err = e.config.Lost(e.config.Backend, err); err != nil {
			return err
		}
		e.Close() // a lost device may fail to
		e.config.Backend = instead
		err = e.open()
	}
	return err
}

// Close releases the streams. The engine must not be used afterwards.
func (e *Engine) Close() error {
	var errs []error
	for _, w := range e.workers {
		errs = append(errs, w.stream.Close())
	}
	e.workers = nil
	return errors.Join(errs...)
}

// Limits end the search for a turn. The first limit reached applies. Without
// limits on time and visits, a full tree also ends the search.
type Limits struct {
	Time   time.Duration // for the whole turn or setup; 0 means no limit
	Visits int           // root visits per step, including those of the kept tree; 0 means no limit
	// Depth is the length of the principal variation, in steps from the turn's
	// start. It is checked after 256 simulations and each time they have doubled;
	// 0 means no limit.
	Depth int
	// Stop asks for an immediate answer when it is closed.
	Stop <-chan struct{}
}

// Turn returns the rest of the turn or setup to play from g, including a final
// game.Pass where one is needed. The game must not be over. Turn calls report, if
// it is not nil, at intervals with what it has found. If the context ends first,
// Turn returns the context's error.
//
// A turn that wins at once is played without a search. Otherwise each step is the
// choice of the search's rule at temperature 0, and the search continues below
// it. With n steps left, a step gets 2/(n+1) of the remaining time, so four steps
// get 4, 3, 2 and 1 tenths of the turn's time. A step after which the rest of the turn
// is forced gets the time of that rest. A step whose choice no more simulations
// can change leaves its time to the others, if [mcts.Config.EarlyStop] is set.
// A step after which the opponent wins next turn, whatever the rest of the turn is,
// is refuted by a test, and the search goes on in the time that is left, if
// [mcts.Config.Proofs] is set.
func (e *Engine) Turn(ctx context.Context, g *game.Game, l Limits, report func(Found)) ([]game.Action, error) {
	begin := time.Now()
	if turn := tactics.Winning(g); turn != nil {
		if report != nil {
			report(Found{Chance: 1, Depth: len(turn), Time: time.Since(begin), PV: turn})
		}
		return turn, nil
	}
	e.stand(g)
	e.nodes = 0
	t := &turnSearch{engine: e, limits: l, begin: begin, report: report}
	play := g.Clone()
	for left := g.ActionsLeft(); play.Side() == g.Side() && !play.Result().Over(); left-- {
		a, err := t.step(ctx, left)
		if err != nil {
			return nil, err
		}
		t.turn = append(t.turn, a)
		e.search.Advance(a)
		play.Play(a)
	}
	return t.turn, nil
}

// Ponder searches from g until the context ends, the tree is full or the winner
// is proven.
func (e *Engine) Ponder(ctx context.Context, g *game.Game) error {
	e.stand(g)
	e.nodes = 0
	return e.run(ctx, nil, 0, e.search.Full)
}

// Follow tells the engine that actions were played from the game before. It keeps
// the part of the tree below them, and has no effect if the tree's root is at
// another game.
func (e *Engine) Follow(before *game.Game, actions []game.Action) {
	if e.ready && e.search.Game().Hash() == before.Hash() {
		for _, a := range actions {
			e.search.Advance(a)
		}
	}
}

// stand makes g the root, and keeps the tree if g is the root already.
func (e *Engine) stand(g *game.Game) {
	if !e.ready || e.search.Game().Hash() != g.Hash() {
		e.search.Reset(g)
		e.ready = true
	}
}
