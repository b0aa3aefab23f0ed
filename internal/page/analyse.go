package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"net/http"
	"slices"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/eval"
	"warren/internal/session"
	"warren/mcts"
)

// The limits of an analysis.
const (
	maxActions = 1 << 14 // actions of an analysed game
	maxVisits  = 5000    // visits of one search
	together   = 16      // positions evaluated at once
	topPriors  = 12      // priors sent per position

	mostMissing = 8 // pieces that a side lacks, of which a move list can tell
)

// analyse returns the replay of a game, given as a move list or by its actions. If
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
	var f *replayed
	actions, missing, err := ask.game()
	switch {
	case err != nil:
		return nil, err
	case len(actions) > 0:
		f = replayOf(actions, missing)
	default:
		list, err := game.ParseHandicapList(ask.Moves)
		if len(list.Actions) == 0 {
			if err == nil {
				err = fmt.Errorf("there are no moves in it")
			}
			return nil, wrong("this is not a game in Arimaa's notation: %v", err)
		}
		if len(list.Actions) > maxActions {
			return nil, wrong("%d steps: longer than any game", len(list.Actions))
		}
		actions, missing = list.Actions, list.Missing
		f = replayOf(actions, missing)
		f.result(list.Result)
		if err != nil {
			f.Problem = err.Error()
		}
	}
	f.Title = "A pasted game"
	if ask.Network == "" {
		return f, nil
	}
	network, err := s.network(ask.Network)
	if err != nil {
		return nil, err
	}
	f.Mixed = mixedBy(network)
	release, err := s.takeHeavy(r.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	return f, f.evaluate(r.Context(), network, actions, missing)
}

// played is a game, as a request gives it by its actions.
type played struct {
	Actions []int `json:"actions"`
	Missing []int `json:"missing"` // squares that the setups leave empty
}

// game returns the actions and the missing squares if they are legal.
func (p *played) game() (actions []game.Action, missing uint64, err error) {
	if len(p.Actions) > maxActions {
		return nil, 0, wrong("%d steps: longer than any game", len(p.Actions))
	}
	if len(p.Missing) > game.Placements {
		return nil, 0, wrong("%d squares without a piece", len(p.Missing))
	}
	for _, n := range p.Missing {
		if n < 0 || n > 63 {
			return nil, 0, wrong("there is no square %d", n)
		}
		missing |= 1 << n
	}
	if n := max(bits.OnesCount64(missing&0xffff), bits.OnesCount64(missing>>48)); n > mostMissing {
		return nil, 0, wrong("a side without %d pieces: at most %d", n, mostMissing)
	}
	g := game.New()
	for i, n := range p.Actions {
		if n < 0 || n >= game.NumActions || !slices.Contains(g.Legal(nil), game.Action(n)) {
			return nil, 0, wrong("step %d of the game is not legal", i+1)
		}
		actions = append(actions, game.Action(n))
		g.PlayHandicap(game.Action(n), missing)
	}
	return actions, missing, nil
}

// evaluate adds the network's value and its likeliest actions to every frame.
func (f *replayed) evaluate(ctx context.Context, network *eval.Network, actions []game.Action, missing uint64) error {
	stream, err := network.Open(together)
	if err != nil {
		return err
	}
	defer stream.Close()
	g := game.New()
	var b eval.Batch
	for done := 0; done < len(actions); {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.Reset()
		first := done
		for ; done < len(actions) && b.Len() < together; done++ {
			b.Add(g.Clone(), g.Legal(nil))
			g.PlayHandicap(actions[done], missing)
		}
		if err := eval.Evaluate(stream, &b); err != nil {
			return err
		}
		for i := range b.Len() {
			frame := &f.Frames[first+i]
			frame.Network = goldChance(b.Position(i).Side() == game.Gold, b.Value(i))
			for j, p := range b.Priors(i) {
				if int(b.Legal(i)[j]) == frame.Action {
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

// advice is the result of a search, as sent to the page.
type advice struct {
	Visits  int          `json:"visits"`
	Value   float32      `json:"value"`   // Gold's chance to win, by the search
	Network float32      `json:"network"` // Gold's chance to win, by the network alone
	Mixed   bool         `json:"mixed"`   // whether these are not chances to win
	Steps   []adviceStep `json:"steps"`   // most visited first
	Turn    []int        `json:"turn"`    // the actions to play
	Text    string       `json:"text"`    // Turn in notation
	Line    string       `json:"line"`    // the expected continuation
	Wins    bool         `json:"wins"`
}

type adviceStep struct {
	Action int     `json:"action"`
	Text   string  `json:"text"`
	Visits int     `json:"visits"`
	Q      float32 `json:"q"` // the mover's chance to win
	Prior  float32 `json:"prior"`
}

// ask searches the current position of s. Mixed says whether the values of the
// adviser's network are not chances to win.
func ask(ctx context.Context, s *session.Session, visits int, mixed bool) (*advice, error) {
	found, err := s.Hint(ctx, visits, nil)
	if err != nil {
		return nil, err
	}
	g := s.Game()
	gold := g.Side() == game.Gold
	a := &advice{Visits: found.Visits, Value: *goldChance(gold, found.Value), Network: *goldChance(gold, found.Network), Mixed: mixed, Wins: found.Wins,
		Text: game.FormatTurn(g, found.Turn), Line: line(g, found.Line)}
	for _, s := range found.Steps[:min(topPriors, len(found.Steps))] {
		a.Steps = append(a.Steps, adviceStep{int(s.Action), text(g, s.Action), s.Visits, s.Q, s.Prior})
	}
	for _, action := range found.Turn {
		a.Turn = append(a.Turn, int(action))
	}
	return a, nil
}

// text returns an action in notation. A pass is written as "end".
func text(g *game.Game, a game.Action) string {
	if a == game.Pass {
		return "end"
	}
	return game.FormatTurn(g, []game.Action{a})
}

// line returns actions in notation, each turn preceded by its label. The
// actions may span any number of turns.
func line(g *game.Game, actions []game.Action) string {
	g = g.Clone()
	all := ""
	for len(actions) > 0 {
		next, n := g.Clone(), 0
		for n < len(actions) && next.TurnLabel() == g.TurnLabel() {
			next.Play(actions[n])
			n++
		}
		if all != "" {
			all += "  "
		}
		all += g.TurnLabel() + " " + game.FormatTurn(g, actions[:n])
		g, actions = next, actions[n:]
	}
	return all
}

// search returns the result of a network's search of a position. The request
// gives the position by the actions that lead to it.
func (s *Server) search(r *http.Request) (any, error) {
	var q struct {
		Network string `json:"network"`
		Visits  int    `json:"visits"`
		played
	}
	if err := read(r, &q); err != nil {
		return nil, err
	}
	if q.Visits < 1 || q.Visits > maxVisits {
		return nil, wrong("a search of %d visits: must be from 1 to %d", q.Visits, maxVisits)
	}
	network, err := s.network(q.Network)
	if err != nil {
		return nil, err
	}
	actions, missing, err := q.game()
	if err != nil {
		return nil, err
	}
	at, err := sessionAt(actions, missing, network)
	if errors.Is(err, session.ErrOver) {
		return nil, wrong("%v", err)
	}
	if err != nil {
		return nil, err
	}
	defer at.Close()
	release, err := s.takeHeavy(r.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	return ask(r.Context(), at.Session, q.Visits, mixedBy(network))
}

// asked is a session used only for advice.
type asked struct {
	*session.Session
	adviser *session.Adviser
}

func (a *asked) Close() error {
	a.Session.Close()
	return a.adviser.Close()
}

// sessionAt returns a session at the position reached by legal actions.
func sessionAt(played []game.Action, missing uint64, network *eval.Network) (*asked, error) {
	g := game.New()
	turn := 0 // start of the current turn
	for i, a := range played {
		side := g.Side()
		g.PlayHandicap(a, missing)
		if g.Side() != side {
			turn = i + 1
		}
	}
	adviser, err := session.NewAdviser(network, mcts.MatchConfig(), 1)
	if err != nil {
		return nil, err
	}
	at := &asked{session.New(session.Config{Opponent: arena.Random{}, Side: g.Side(), Adviser: adviser}), adviser}
	if turn > 0 {
		err = at.Resume(game.FormatHandicapList(played[:turn], missing))
	}
	if err == nil {
		err = at.Play(played[turn:]...)
	}
	if err != nil {
		at.Close()
		return nil, err
	}
	return at, nil
}
