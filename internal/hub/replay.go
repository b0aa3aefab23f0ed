package hub

import (
	"context"
	"fmt"

	"warren/data"
	"warren/internal/eval"
	"warren/internal/selfplay"
)

// replay is a game to be replayed.
type replay struct {
	worker *worker
	record *data.Record
}

// replay replays games, one at a time, until the context ends. A game is a function of its network,
// settings, seed and number, and of the evaluation path. If the result differs, the game was not
// played as its record says, and the worker is removed.
func (in *intake) replay(ctx context.Context) error {
	networks := opener{hub: in.hub}
	for {
		select {
		case <-ctx.Done():
			return nil
		case r := <-in.replays:
			same, checked, err := in.again(ctx, &networks, r.record)
			switch {
			case ctx.Err() != nil:
				return nil
			case err != nil:
				in.hub.o.Log.Warn("hub: a game cannot be played again", "game", r.record.Game, "error", err)
				checked = false
			case checked && !same:
				in.hub.quarantine(r.worker, fmt.Sprintf("game %d is not what its number, network and settings give", r.record.Game))
			}
			r.worker.replayed(checked)
		}
	}
}

// again replays a game and compares the two. Checked is false if this machine cannot evaluate by the
// worker's path.
func (in *intake) again(ctx context.Context, networks *opener, r *data.Record) (same, checked bool, err error) {
	network, err := networks.open(ctx, current{Hash: r.Network, Generation: int(r.Generation)})
	if err != nil {
		return false, false, err
	}
	network, ok := onPath(network, r.EvalPath)
	if !ok {
		return false, false, nil
	}
	job, known := in.hub.known.job(r.Settings)
	if !known {
		return false, false, nil
	}
	again, err := selfplay.Again(ctx, job, r.Game, labelled(network, int(r.Generation), 0))
	if err != nil {
		return false, false, err
	}
	return again.Hash() == r.Hash(), true, nil
}

// onPath returns the network on the given evaluation path. It reports false if this machine does not have
// the path.
func onPath(n *eval.Network, path string) (*eval.Network, bool) {
	if n.Attributes().Path != path && n.Reproduce != nil {
		other, err := n.Reproduce(path)
		if err != nil {
			return nil, false
		}
		n = other
	}
	return n, n.Attributes().Path == path
}
