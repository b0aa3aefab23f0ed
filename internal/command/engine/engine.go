package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/arena/aei"
	"warren/internal/think"
	"warren/mcts"
)

// engine is a think.Engine behind the protocol.
type engine struct {
	overhead time.Duration
	fallback time.Duration // for a turn that nothing else limits

	mu      sync.Mutex // guards what options set
	config  think.Config
	visits  int
	depth   int
	level   arena.Level // limits the strength; the zero value does not
	adapts  bool        // whether level changes with the game
	begun   time.Time   // the game in which it last did
	changed bool        // whether what the thinker is made of has changed since then

	thinker *think.Engine
	rng     *rand.Rand // draws setups and the weaker choices of a level; nil until it is needed
}

// options holds the ranges of the engine's options by name.
var options = map[string][2]int{
	"hash":    {1, mcts.MostBytes >> 20}, // MB
	"threads": {1, 1024},
	"visits":  {0, 1 << 30},
	"depth":   {-1 << 30, 1 << 30}, // steps; 0 and less is no limit
}

// SetOption sets hash, threads, visits, depth or level from the next search on.
func (e *engine) SetOption(name, value string) error {
	if name == "level" {
		return e.setLevel(value)
	}
	bounds, ok := options[name]
	if !ok {
		return aei.ErrUnknownOption
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < bounds[0] || n > bounds[1] {
		return fmt.Errorf("%.40q is not a whole number from %d to %d", value, bounds[0], bounds[1])
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch name {
	case "hash":
		e.changed = e.changed || e.config.Memory != int64(n)<<20
		e.config.Memory = int64(n) << 20
	case "threads":
		e.changed = e.changed || e.config.Threads != n
		e.config.Threads = n
	case "visits":
		e.visits = n
	case "depth":
		e.depth = max(n, 0)
	}
	return nil
}

// Think finds the turn to play.
func (e *engine) Think(ctx context.Context, t aei.Task, report func(aei.Info)) ([]game.Action, error) {
	limits, level, err := e.prepare(t)
	if err != nil {
		return nil, err
	}
	// On stop the search answers with what the tree knows. If the context ends
	// for another reason, there is no answer.
	stop := make(chan struct{})
	limits.Stop = stop
	search, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), aei.ErrStop) {
			close(stop)
		} else {
			cancel()
		}
	})()
	if t.Ponder {
		if err := e.ponder(ctx, t.Game, level); err != nil {
			return nil, err
		}
		if limits.Stop = nil; !weak(level) {
			limits = think.Limits{Stop: stop}
		}
	}
	draw := e.draw(level, t.Game)
	if t.Game.InSetup() {
		return e.thinker.Setup(search, t.Game, draw.Temperature, draw.Rand)
	}
	return e.thinker.Turn(search, t.Game, limits, draw, func(f think.Found) {
		report(aei.Info{Score: f.CentiRabbits(), Nodes: f.Nodes, Time: f.Time, PV: f.PV})
	})
}

// ponder thinks until the context ends, or waits at a weak level. It returns nil if the
// controller then wants an answer, and an error otherwise.
func (e *engine) ponder(ctx context.Context, g *game.Game, level arena.Level) error {
	if !weak(level) {
		if err := e.thinker.Ponder(ctx, g); err != nil && ctx.Err() == nil {
			return err
		}
	}
	<-ctx.Done() // the winner may be proven earlier
	if errors.Is(context.Cause(ctx), aei.ErrStop) {
		return nil
	}
	return ctx.Err()
}

// prepare makes a thinker if the options have changed, and returns how long to
// think, and at which level.
func (e *engine) prepare(t aei.Task) (think.Limits, arena.Level, error) {
	began := time.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.adapt(t); err != nil {
		return think.Limits{}, arena.Level{}, err
	}
	if e.thinker == nil || e.changed {
		thinker, err := think.New(configured(e.config, e.level))
		if err != nil {
			return think.Limits{}, arena.Level{}, err
		}
		if e.thinker != nil {
			if err := e.thinker.Close(); err != nil {
				return think.Limits{}, arena.Level{}, fmt.Errorf("closing the search with the old options: %w", err)
			}
		}
		e.thinker, e.changed = thinker, false
	}
	t.Clock.MoveUsed += time.Since(began)
	l := think.Limits{
		Visits: e.visits, Depth: e.depth,
		Time: think.Budget(&t.Clock, t.Game, e.overhead),
	}
	if e.level != (arena.Level{}) {
		l = limited(l, e.level)
	}
	if l.Time == 0 && l.Visits == 0 && l.Depth == 0 {
		l.Time = e.fallback
	}
	return l, e.level, nil
}
