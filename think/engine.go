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

// Config says with what an engine thinks.
type Config struct {
	Search  mcts.Config
	Threads int   // that evaluate at the same time, at least 1
	Batch   int   // positions that a thread evaluates at once, at least 1; 8 is enough
	Memory  int64 // bytes that the tree may take
	// Backend evaluates positions. Each thread opens a stream of its own.
	Backend eval.Backend
}

// nodeBytes is the most that a node of the tree takes, as mcts.New has it.
const nodeBytes = 1200

// Engine thinks about one game at a time, in one call at a time.
type Engine struct {
	config  Config
	workers []*worker

	mu     sync.Mutex // over what follows, while the workers run
	search *mcts.Search
	ready  bool       // whether the search stands at a game
	landed *sync.Cond // an evaluation came back, or the run is over
	over   bool       // the run
	nodes  int64      // simulations since the turn was asked for
	err    error
}

// New makes an engine. It fails if the back end cannot open a stream.
func New(config Config) (*Engine, error) {
	if config.Threads < 1 || config.Batch < 1 {
		return nil, fmt.Errorf("an engine with %d threads and batches of %d: both must be at least 1", config.Threads, config.Batch)
	}
	e := &Engine{config: config, search: mcts.New(config.Search, int(config.Memory/nodeBytes))}
	e.landed = sync.NewCond(&e.mu)
	for range config.Threads {
		stream, err := config.Backend.Open(config.Batch)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("opening a stream of evaluations: %w", err), e.Close())
		}
		e.workers = append(e.workers, &worker{stream: stream})
	}
	return e, nil
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

// Limits say when a turn has been thought about enough: as soon as the first of
// them is reached. Without any, that is when the tree is full.
type Limits struct {
	Time   time.Duration // of the whole turn or setup; 0 is no limit
	Visits int           // of each step's root, those the tree kept included; 0 is no limit
	// Depth is of the principal variation, in steps from the turn's start. It is
	// looked at after 256 simulations and whenever they have doubled; 0 is no limit.
	Depth int
	// Stop, when it is closed, asks for an answer now.
	Stop <-chan struct{}
}

// Turn returns the turn to play from g, or what is left of it, or the setup,
// with a final game.Pass where one is needed; g must not be over. Report, which
// may be nil, is told now and then what has been found. If the context ends
// first there is no turn, and the error is the context's.
//
// A turn that wins at once is played without a search. Otherwise each step is
// the one that the search's rule plays at temperature 0, and the search goes on below it. The first step
// gets the largest share of the turn's time: with n steps left, a step gets
// 2/(n+1) of the time that is left, so that four steps get 4, 3, 2 and 1 tenths.
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
	for left := actionsLeft(g); play.Side() == g.Side() && !play.Result().Over(); left-- {
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

// actionsLeft is how many actions the turn or setup may still have.
func actionsLeft(g *game.Game) int {
	if !g.InSetup() {
		return g.StepsLeft()
	}
	n := 0
	for k := game.Rabbit; k <= game.Elephant; k++ {
		n += g.SetupLeft(k)
	}
	return n
}

// Ponder thinks about g until the context ends, the tree is full or the winner
// is proven.
func (e *Engine) Ponder(ctx context.Context, g *game.Game) error {
	e.stand(g)
	e.nodes = 0
	return e.run(ctx, nil, 0, e.search.Full)
}

// Follow tells the engine that actions were played in the game before, so that
// what the tree knows of the game that follows is kept.
func (e *Engine) Follow(before *game.Game, actions []game.Action) {
	if e.ready && e.search.Game().Hash() == before.Hash() {
		for _, a := range actions {
			e.search.Advance(a)
		}
	}
}

// stand makes g the root.
func (e *Engine) stand(g *game.Game) {
	if !e.ready || e.search.Game().Hash() != g.Hash() {
		e.search.Reset(g)
		e.ready = true
	}
}

// turnSearch is the search for one turn.
type turnSearch struct {
	engine *Engine
	limits Limits
	begin  time.Time
	report func(Found)
	turn   []game.Action // as far as it is chosen
	next   int64         // nodes at which to report
}

// firstReport is after how many simulations a turn's first report comes; each
// further one comes when they have doubled.
const firstReport = 256

// step searches for the next action, of at most left.
func (t *turnSearch) step(ctx context.Context, left int) (game.Action, error) {
	e := t.engine
	if legal := e.search.Game().Legal(nil); len(legal) == 1 {
		return legal[0], ctx.Err()
	}
	var deadline time.Time
	if t.limits.Time > 0 {
		now := time.Now()
		rest := t.limits.Time - now.Sub(t.begin)
		deadline = now.Add(rest * 2 / time.Duration(left+1))
	}
	e.search.Begin(t.limits.Visits, nil)
	unlimited := t.limits.Time == 0 && t.limits.Visits == 0
	look := firstReport // simulations at which the depth is looked at
	err := e.run(ctx, t.limits.Stop, t.limits.Visits, func() bool {
		t.tell(false)
		switch {
		case e.search.Simulations() == 0:
			return false // there is nothing to choose from
		case !deadline.IsZero() && !time.Now().Before(deadline):
			return true
		case t.limits.Depth > 0 && e.search.Simulations() >= look:
			// Seldom, since in between a line may look deep by chance.
			look *= 2
			return t.deepEnough()
		}
		return unlimited && e.search.Full()
	})
	if err != nil {
		return 0, err
	}
	if len(t.turn) == 0 {
		t.tell(true)
	}
	out, ok := e.search.Outcome(0, nil)
	if !ok {
		return 0, fmt.Errorf("no action is known in a game that is over")
	}
	return out.Action, nil
}

// deepEnough reports whether the principal variation has the depth asked for,
// or ends the game.
func (t *turnSearch) deepEnough() bool {
	s := t.engine.search
	pv := s.PV(nil)
	if len(t.turn)+len(pv) >= t.limits.Depth {
		return true
	}
	play := s.Game().Clone()
	for _, a := range pv {
		play.Play(a)
	}
	return play.Result().Over()
}

// tell reports what has been found, if it is time for that.
func (t *turnSearch) tell(always bool) {
	e := t.engine
	if t.report == nil || e.search.Simulations() == 0 || !always && e.nodes < max(t.next, firstReport) {
		return
	}
	t.next = max(firstReport, t.next)
	for t.next <= e.nodes {
		t.next *= 2
	}
	pv := append([]game.Action(nil), t.turn...)
	pv = e.search.PV(pv)
	t.report(Found{
		Chance: float64(e.search.Value()), Depth: len(pv), Nodes: e.nodes,
		Time: time.Since(t.begin), PV: pv,
	})
}
