package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"warren/game"
	"warren/internal/arena/aei"
	"warren/internal/think"
)

// engine is a think.Engine behind the protocol.
type engine struct {
	overhead time.Duration
	fallback time.Duration // for a turn that nothing else limits

	mu      sync.Mutex // guards what options set
	config  think.Config
	visits  int
	depth   int
	changed bool // whether config has changed since the thinker was made

	thinker *think.Engine
}

// options holds the ranges of the engine's options by name.
var options = map[string][2]int{
	"hash":    {1, 1 << 20}, // MB
	"threads": {1, 1024},
	"visits":  {0, 1 << 30},
	"depth":   {-1 << 30, 1 << 30}, // steps; 0 and less is no limit
}

// SetOption sets hash, threads, visits or depth from the next search on.
func (e *engine) SetOption(name, value string) error {
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

// Follow keeps the part of the tree that belongs to the game's new position.
func (e *engine) Follow(before *game.Game, turn []game.Action) {
	if e.thinker != nil {
		e.thinker.Follow(before, turn)
	}
}

// Think finds the turn to play.
func (e *engine) Think(ctx context.Context, t aei.Task, report func(aei.Info)) ([]game.Action, error) {
	limits, err := e.prepare(t)
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
		limits = think.Limits{Stop: stop}
		if err := e.ponder(ctx, t.Game); err != nil {
			return nil, err
		}
	}
	return e.thinker.Turn(search, t.Game, limits, func(f think.Found) {
		report(aei.Info{Score: f.CentiRabbits(), Depth: f.Depth, Nodes: f.Nodes, Time: f.Time, PV: f.PV})
	})
}

// ponder thinks until the context ends. It returns nil if the controller then
// wants an answer, and an error otherwise.
func (e *engine) ponder(ctx context.Context, g *game.Game) error {
	err := e.thinker.Ponder(ctx, g)
	if err != nil && ctx.Err() == nil {
		return err
	}
	<-ctx.Done() // the tree may be full earlier
	if errors.Is(context.Cause(ctx), aei.ErrStop) {
		return nil
	}
	return ctx.Err()
}

// prepare makes a thinker if the options have changed, and returns how long to
// think.
func (e *engine) prepare(t aei.Task) (think.Limits, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.thinker == nil || e.changed {
		thinker, err := think.New(e.config)
		if err != nil {
			return think.Limits{}, err
		}
		if e.thinker != nil {
			if err := e.thinker.Close(); err != nil {
				return think.Limits{}, fmt.Errorf("closing the search with the old options: %w", err)
			}
		}
		e.thinker, e.changed = thinker, false
	}
	l := think.Limits{
		Visits: e.visits, Depth: e.depth,
		Time: think.Budget(&t.Clock, t.Game, e.overhead),
	}
	if l.Time == 0 && l.Visits == 0 && l.Depth == 0 {
		l.Time = e.fallback
	}
	return l, nil
}
