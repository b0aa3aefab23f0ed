package arena

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"warren/game"
	"warren/internal/arena/alphabeta"
)

// AlphaBeta is the player of package alphabeta. The seat's seed chooses its
// setups. With a limit of nodes or depth, everything else depends only on the
// position.
type AlphaBeta struct {
	Nodes  int64         `yaml:"nodes" min:"0" max:"1000000000" doc:"steps searched for a turn; 0 sets no limit"`
	Depth  int           `yaml:"depth" min:"0" max:"60" doc:"length of a line in steps; 0 sets no limit"`
	Time   time.Duration `yaml:"time" min:"0s" max:"1h" doc:"time for a turn; 0s sets no limit"`
	HashMB int           `yaml:"hash" min:"0" max:"4096" doc:"size of the transposition table of each such player in each game, in MB; 0 means 16"`
}

// defaultNodes is the limit of an alphabeta player whose name sets none.
const defaultNodes = 20000

var alphaBetaKind = kind{
	name: "alphabeta", usage: fmt.Sprintf("alphabeta:nodes=%d", defaultNodes), help: "alpha-beta search with hand-written knowledge",
	options: func(*Names) options { return &alphaBetaOptions{} },
}

type alphaBetaOptions struct {
	AlphaBeta
	named
}

func (o *alphaBetaOptions) entrant(_ *Names, _ string, given []string) (*Entrant, error) {
	p := o.AlphaBeta
	if p.Nodes == 0 && p.Depth == 0 && p.Time == 0 {
		for _, word := range given {
			if key, _, _ := strings.Cut(word, "="); key != "hash" && key != "label" {
				return nil, fmt.Errorf("the player alphabeta: %s leaves it without a limit: set nodes, depth or time", word)
			}
		}
		p.Nodes = defaultNodes
	}
	return &Entrant{Player: p}, nil
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

// Sit takes a seat with an engine of its own.
func (p AlphaBeta) Sit(_ context.Context, seed uint64) (Seat, error) {
	if p.Nodes <= 0 && p.Depth <= 0 && p.Time <= 0 {
		return nil, fmt.Errorf("seating %s: it needs a limit of nodes, depth or time", p.Name())
	}
	engine := alphabeta.New(p.HashMB)
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
		found := engine.Turn(search, g, alphabeta.Limits{Nodes: p.Nodes, Depth: p.Depth})
		return found.Actions, ctx.Err()
	}}, nil
}
