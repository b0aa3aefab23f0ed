package train

import (
	"fmt"
	"slices"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/metrics"
)

// Probe positions are a few positions whose value is known. The network is asked about
// them, without a search, after every generation. A network that learns tells them
// apart long before its rating says so. Gold is to move in all of them.

// probe is a position, and what is known of it.
type probe struct {
	name  string
	board string // 64 characters, a8 to h8 first
	step  string // a step that wins at once, if there is one
}

var probes = []probe{
	{name: "even", board: "rrrddrrr" + "rhcmechr" + "................................" + "RHCEMCHR" + "RRRDDRRR"},
	{name: "camel_ahead", board: "rrrddrrr" + "rhc.echr" + "................................" + "RHCEMCHR" + "RRRDDRRR"},
	{name: "rabbit_ahead", board: "rrrddrr." + "rhcmechr" + "................................" + "RHCEMCHR" + "RRRDDRRR"},
	{name: "goal_now", step: "Rb7n", board: "r..ddrrr" + ".R..echr" + ".E......" + "........................" + ".HC.MCH." + "RRRDDRR."},
	{name: "lost", board: "rrrddrrr" + "..c.ech." + ".E......" + "................" + ".H......" + "r......r" + "...RR..."},
}

// evaluateProbes asks a network about the probe positions. It returns the chance to win of the side
// to move in each, and the prior of the step that wins at once.
func evaluateProbes(n *eval.Network) (values []metrics.Value, err error) {
	var b eval.Batch
	for _, c := range probes {
		board, err := game.ParseBoard(c.board)
		if err != nil {
			return nil, fmt.Errorf("the probe position %s: %w", c.name, err)
		}
		g := game.FromBoard(board, game.Gold)
		b.Add(g, g.Legal(nil))
	}
	stream, err := n.Open(b.Len())
	if err != nil {
		return nil, fmt.Errorf("asking about the probe positions: %w", err)
	}
	defer stream.Close()
	if err := eval.Evaluate(stream, &b); err != nil {
		return nil, fmt.Errorf("asking about the probe positions: %w", err)
	}
	for i, c := range probes {
		values = append(values, metrics.Value{Name: "probe/" + c.name, Value: float64(b.Value(i))})
		if c.step == "" {
			continue
		}
		steps, err := game.ParseSteps(b.Position(i), c.step)
		if err != nil {
			return nil, fmt.Errorf("the probe position %s: %w", c.name, err)
		}
		if j := slices.Index(b.Legal(i), steps[0]); j >= 0 {
			values = append(values, metrics.Value{Name: "probe/" + c.name + "_prior", Value: float64(b.Priors(i)[j])})
		}
	}
	return values, nil
}
