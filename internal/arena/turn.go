package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"warren/game"
)

// Turn returns the turn that a player plays from g, at whose start it takes a seat. An
// illegal action is a [Forfeit]. It leaves g as it was.
func Turn(ctx context.Context, p Player, g *game.Game, seed uint64) (turn []game.Action, err error) {
	seat, err := p.Sit(ctx, seed)
	if err != nil {
		return nil, err
	}
	if c, ok := seat.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	play, side := g.Clone(), g.Side()
	for play.Side() == side && !play.Result().Over() {
		a, err := seat.Act(ctx, play)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(play.Legal(nil), a) {
			return nil, &Forfeit{Cause: fmt.Sprintf("the illegal action %d", a)}
		}
		if w, ok := seat.(Watcher); ok {
			if err := w.Watch(play, a); err != nil {
				return nil, err
			}
		}
		play.Play(a)
		turn = append(turn, a)
	}
	return turn, nil
}
