package page

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"warren/game"
	"warren/internal/eval"
)

// together is the number of positions that are evaluated at once.
const together = 16

// analyse returns the replay of a game, given as a move list, as a position or by its actions. If
// the request names a network, the replay includes the network's evaluation of
// every position.
func (s *Server) analyse(r *http.Request) (any, error) {
	var ask struct {
		Moves   string `json:"moves"`
		Network string `json:"network"`
		played
	}
	if err := read(r, &ask); err != nil {
		return nil, err
	}
	at, err := ask.game()
	if err != nil {
		return nil, err
	}
	f := replayOf(at)
	f.Title = "A shared game"
	if len(ask.Actions) == 0 && ask.Position == "" {
		var result game.Result
		var problem string
		if at, result, problem, err = studiedList(ask.Moves); err != nil {
			return nil, err
		}
		f = replayOf(at)
		f.result(result)
		f.Title, f.Problem = "A game of your own", problem
	}
	if len(at.actions) == 0 {
		f.Title = "A position"
	}
	if ask.Network == "" {
		return f, nil
	}
	network, err := s.network(ask.Network)
	if err != nil {
		return nil, err
	}
	f.Mixed = s.mixedBy(network)
	release, err := s.takeHeavy(r.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	return f, f.evaluate(r.Context(), network, at)
}

// evaluate adds the network's value and its likeliest actions to every frame.
func (f *replayed) evaluate(ctx context.Context, network *eval.Network, of *studied) error {
	stream, err := network.Open(together)
	if err != nil {
		return err
	}
	defer stream.Close()
	g := of.start.Clone()
	var b eval.Batch
	for done := 0; done < len(of.actions); {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.Reset()
		first := done
		for ; done < len(of.actions) && b.Len() < together; done++ {
			b.Add(g.Clone(), g.Legal(nil))
			g.PlayHandicap(of.actions[done], of.missing)
		}
		if err := eval.Evaluate(stream, &b); err != nil {
			return err
		}
		for i := range b.Len() {
			frame := &f.Frames[first+i]
			frame.Network = goldChance(b.Position(i).Side() == game.Gold, b.Value(i))
			for j, p := range b.Priors(i) {
				if b.Legal(i)[j] == frame.Action {
					frame.Prior = &p
				}
				frame.Priors = append(frame.Priors, [2]float64{float64(b.Legal(i)[j]), float64(p)})
			}
			slices.SortFunc(frame.Priors, func(x, y [2]float64) int { return cmp.Compare(y[1], x[1]) })
			frame.Priors = slices.Clone(frame.Priors[:min(topPriors, len(frame.Priors))])
		}
	}
	return nil
}
