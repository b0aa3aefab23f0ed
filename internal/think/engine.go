package think

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"warren/game"
	"warren/game/tactics"
	"warren/internal/eval"
	"warren/mcts"
)

// Config configures an engine.
type Config struct {
	Search  mcts.Config
	Threads int   // threads that search at the same time, at least 1
	Batch   int   // positions that a thread evaluates at once, at most; 0 means as the back end needs
	Memory  int64 // limit on the tree's size in bytes, at least 1<<18; a full tree is pruned
	// Keep has a search from another position than the tree's root begin with what the tree knows of that position, by
	// whatever order of steps. Without it such a search begins anew.
	Keep bool
	// Tactics has the rules test what is played: a turn that wins at once is played without a
	// search, and an action after which the opponent wins next turn, whatever the rest of the
	// turn is, is refused. With [mcts.Config.Proofs] off nothing is refused.
	Tactics bool
	// Backend evaluates positions. Each thread opens a stream of its own.
	Backend eval.Backend
	// Lost, unless nil, is called when the device of a back end is lost. It returns the back end
	// with which the search continues, or the error that ends it.
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

	tests tactics.Finder // of the actions chosen

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
	e := &Engine{config: config}
	e.Forget()
	e.landed = sync.NewCond(&e.mu)
	if err := e.attempt(func() error { return nil }); err != nil {
		return nil, err
	}
	return e, nil
}

// open opens the streams, unless they are open.
func (e *Engine) open() error {
	if len(e.workers) > 0 {
		return nil
	}
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

// attempt opens the streams and calls f. Where the back end is lost, it does so again with the
// one that takes its place, if there is one.
func (e *Engine) attempt(f func() error) error {
	for {
		err := e.open()
		if err == nil {
			err = f()
		}
		if !errors.Is(err, eval.ErrLost) || e.config.Lost == nil {
			return err
		}
		instead, err := e.config.Lost(e.config.Backend, err)
		if err != nil {
			return err
		}
		e.Close() // a lost device may fail to
		e.config.Backend = instead
	}
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

// Limits end a search. The first limit reached applies. Without limits on time and
// visits, a full tree also ends the search.
type Limits struct {
	Time time.Duration // for the whole turn or setup, or for a single action; 0 means no limit
	// Visits is the number of root visits per step, including those of the kept tree and without those
	// of refused steps; 0 means no limit.
	Visits int
	// Depth is the length of the principal variation, in steps and passes from the turn's
	// start. It is checked after 256 simulations and each time they have doubled;
	// 0 means no limit.
	Depth int
	// Stop asks for an immediate answer when it is closed.
	Stop <-chan struct{}
	// Progress, unless nil, is called before every batch, with the actions of the turn that
	// are chosen and the root visits of the next one, which fall where a step is refused.
	Progress func(chosen, visits int)
}

// Draw says how freely an action is chosen. The zero value chooses the best.
type Draw struct {
	Temperature float64    // as for [mcts.Search.Outcome]
	Rand        *rand.Rand // not nil if the temperature is not 0; also the source of root noise, if the settings of the search have any
}

// Turn returns the rest of the turn or setup to play from g, including a final
// game.Pass where one is needed. The game must not be over. Turn calls report, if
// it is not nil, at intervals with what it has found. If the context ends first,
// Turn returns the context's error.
//
// Each step is the choice of the search's rule, drawn as d says, and the search
// continues below it. With n steps left, a step gets 2/(n+1) of the remaining time, so
// four steps get 4, 3, 2 and 1 tenths of the turn's time. A step after which the rest of
// the turn is forced gets the time of that rest. When a step is refused
// ([Config.Tactics]), its visits no longer count, and the search continues within the limits.
func (e *Engine) Turn(ctx context.Context, g *game.Game, l Limits, d Draw, report func(Found)) ([]game.Action, error) {
	t := e.begin(g, l)
	t.draw, t.report = d, report
	if turn := e.winning(g); turn != nil {
		if report != nil {
			report(Found{Chance: 1, Time: time.Since(t.begin), PV: turn})
		}
		return turn, nil
	}
	play := g.Clone()
	for left := g.ActionsLeft(); ; left-- {
		a, err := t.step(ctx, left)
		if err != nil {
			return nil, err
		}
		t.turn = append(t.turn, a)
		if play.Play(a); play.Side() != g.Side() || play.Result().Over() {
			return t.turn, nil // a large tree takes a moment to move, which the next call has time for
		}
		e.search.Advance(a)
	}
}

// Act returns the next action to play from g, whose game must not be over. Unlike Turn,
// it also searches where only one action is legal. An error is as for Turn.
func (e *Engine) Act(ctx context.Context, g *game.Game, l Limits, d Draw) (game.Action, error) {
	t := e.begin(g, l)
	t.draw = d
	if turn := e.winning(g); turn != nil {
		return turn[0], nil
	}
	a, err := t.choose(ctx, 1)
	if err == nil {
		e.search.Advance(a)
	}
	return a, err
}

// Analyse searches g, whose game must not be over, for its next action alone. It returns
// the chance to win of the side to move, 0 to 1, and the legal actions in the order of
// [mcts.Search.Root]. A turn that is asked for next continues from there. An error is as
// for Turn.
func (e *Engine) Analyse(ctx context.Context, g *game.Game, l Limits) (value float32, actions []mcts.ActionStats, err error) {
	if _, err := e.begin(g, l).choose(ctx, 1); err != nil {
		return 0, nil, err
	}
	return e.search.Value(), e.search.Root(nil), nil
}

// Line returns the principal variation from g, over any number of turns, and none where the tree does
// not stand at g. With [Config.Keep] it first moves the tree to g, if the tree knows g. After Turn the
// tree stands before the last action, unless the turn needed no search.
func (e *Engine) Line(g *game.Game) []game.Action {
	if !e.moved(g) {
		return nil
	}
	return e.search.PV(nil)
}

// Evaluate returns the chance to win of the side to move, 0 to 1, by the back end without
// a search.
func (e *Engine) Evaluate(g *game.Game) (float32, error) {
	var b eval.Batch
	b.Add(g, g.Legal(nil))
	if err := e.attempt(func() error { return eval.Evaluate(e.workers[0].stream, &b) }); err != nil {
		return 0, err
	}
	return b.Value(0), nil
}

// begin returns the search for what to play from g.
func (e *Engine) begin(g *game.Game, l Limits) *turnSearch {
	t := &turnSearch{engine: e, limits: l, begin: time.Now(), next: firstReport}
	e.stand(g) // which takes a moment with a large tree
	e.nodes = 0
	return t
}

// Ponder searches from g until the context ends or the winner is proven. It prunes
// a full tree.
func (e *Engine) Ponder(ctx context.Context, g *game.Game) error {
	e.stand(g)
	e.nodes = 0
	e.search.Hold(false)
	return e.run(ctx, nil, 0, func() bool {
		if e.search.Full() {
			e.search.Prune()
		}
		return false
	})
}

// Forget drops the tree and its memory.
func (e *Engine) Forget() {
	e.ready = false
	e.search = mcts.NewWithin(e.config.Search, e.config.Memory)
}

// stand makes g the root, and keeps the tree if it can.
func (e *Engine) stand(g *game.Game) {
	if e.moved(g) {
		return
	}
	e.search.Reset(g)
	e.tests.Forget()
	e.ready = true
}

// moved makes g the root if the tree knows g and is to be kept. It reports whether g is the root, which it may have
// been before.
func (e *Engine) moved(g *game.Game) bool {
	return e.ready && (g.Hash() == e.search.Game().Hash() || e.config.Keep && e.search.AdvanceTo(g))
}
