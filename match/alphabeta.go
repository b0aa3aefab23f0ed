package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"warren/alphabeta"
	"warren/game"
)

// AlphaBeta is the player of package alphabeta. Its setups are chosen by the
// seat's seed; with a limit of nodes or depth all else follows from the position.
type AlphaBeta struct {
	Nodes  int64         // steps searched a turn; 0 is no limit
	Depth  int           // steps of a line; 0 is no limit
	Time   time.Duration // a turn; 0 is no limit
	HashMB int           // size of the transposition table in MiB; 0 is the engine's default
}

// DefaultNodes limits an alphabeta player whose name on the command line has no
// limit.
const DefaultNodes = 20000

// alphaBeta returns the player that the options of its name describe.
func alphaBeta(o *options) AlphaBeta {
	p := AlphaBeta{
		Nodes:  int64(o.whole("nodes", 0, 1, 1e9)),
		Depth:  o.whole("depth", 0, 1, 60),
		Time:   o.duration("time", time.Millisecond, time.Hour),
		HashMB: o.whole("hash", 0, 1, 1<<14),
	}
	if p.Nodes == 0 && p.Depth == 0 && p.Time == 0 {
		p.Nodes = DefaultNodes
	}
	return p
}

// Name returns a name such as "alphabeta:nodes=2000".
func (p AlphaBeta) Name() string {
	var limits []string
	if p.Nodes > 0 {
		limits = append(limits, fmt.Sprintf("nodes=%d", p.Nodes))
	}
	if p.Depth > 0 {
		limits = append(limits, fmt.Sprintf("depth=%d", p.Depth))
	}
	if p.Time > 0 {
		limits = append(limits, fmt.Sprintf("time=%v", p.Time))
	}
	if p.HashMB > 0 {
		limits = append(limits, fmt.Sprintf("hash=%d", p.HashMB))
	}
	if len(limits) == 0 {
		return "alphabeta"
	}
	return "alphabeta:" + strings.Join(limits, ",")
}

// Sit takes a seat, with an engine of its own.
func (p AlphaBeta) Sit(seed uint64) (Seat, error) {
	if p.Nodes <= 0 && p.Depth <= 0 && p.Time <= 0 {
		return nil, fmt.Errorf("seating %s: it needs a limit of nodes, depth or time", p.Name())
	}
	engine := alphabeta.New(alphabeta.Config{HashMB: p.HashMB})
	rng := rand.New(rand.NewPCG(seed, 3))
	return &turnSeat{choose: func(ctx context.Context, g *game.Game) ([]game.Action, error) {
		if g.InSetup() {
			return alphabeta.Setup(g, rng), nil
		}
		search := ctx
		if p.Time > 0 {
			var cancel context.CancelFunc
			search, cancel = context.WithTimeout(ctx, p.Time)
			defer cancel()
		}
		found, err := engine.Turn(search, g, alphabeta.Limits{Nodes: p.Nodes, Depth: p.Depth}, nil)
		if err == nil {
			err = ctx.Err()
		}
		return found.Actions, err
	}}, nil
}
