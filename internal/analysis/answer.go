package analysis

import (
	"cmp"

	"warren/game"
	"warren/mcts"
)

// Answer is what a search of a position has found.
type Answer struct {
	ID      string   `json:"id"`
	Turn    int      `json:"turn"`              // turns of both sides before the position
	Label   string   `json:"label"`             // of the turn, such as 12g
	Side    string   `json:"side"`              // gold or silver, to move
	Partial bool     `json:"partial,omitempty"` // whether the search continues, and another answer follows
	Visits  int      `json:"visits"`            // of the root
	Value   float32  `json:"value"`             // chance of the side to move to win, 0 to 1
	Gold    float32  `json:"gold"`              // the same for Gold
	Network *float32 `json:"network,omitempty"` // chance of the side to move to win, by the network without a search; absent where the rules decide
	Proven  string   `json:"proven,omitempty"`  // won or lost for the side to move, if the search has proven it
	Winner  string   `json:"winner,omitempty"`  // gold or silver, if the game is over: nothing is searched then
	Reason  string   `json:"reason,omitempty"`  // why it is over
	Steps   []Step   `json:"steps"`             // the one that is played first, the others as mcts.Rank has them
	Line    string   `json:"line,omitempty"`    // the principal variation, each turn with its label
	Priors  []Prior  `json:"priors,omitempty"`  // of all legal steps, if asked for
}

// Step is what is known of a step, or of a placement in the setup.
type Step struct {
	Step   string  `json:"step"` // in notation, with its captures; pass ends the turn
	Visits int     `json:"visits"`
	Value  float32 `json:"value"`            // chance of the side to move to win after it; 0 without visits
	Prior  float32 `json:"prior"`            // of the network, 0 to 1, with at most search.pass_prior for a pass
	Proven string  `json:"proven,omitempty"` // won or lost, if that is proven
	Turn   string  `json:"turn"`             // the turn that it begins: the step with what follows it in the turn
	Line   string  `json:"line"`             // the variation that it begins, each turn with its label
}

// Prior is the network's prior of a step.
type Prior struct {
	Step  string  `json:"step"`
	Prior float32 `json:"prior"`
}

// answer says how a job stands.
func (j *job) answer(partial bool) *Answer {
	g := j.game
	a := &Answer{ID: j.query.ID, Turn: j.turn, Label: g.TurnLabel(), Side: g.Side().String(), Partial: partial, Steps: []Step{}}
	if r := g.Result(); r.Over() {
		a.Winner, a.Reason = r.Winner.String(), r.Reason.String()
		if a.Gold = 0; r.Winner == game.Gold {
			a.Gold = 1
		}
		a.Value = seen(a.Gold, g.Side())
		return a
	}
	s := j.search
	a.Visits, a.Value, a.Network, a.Proven = s.Simulations(), s.Value(), j.network, words[s.Proof()]
	a.Gold = seen(a.Value, g.Side())
	a.Line = game.FormatLine(g, s.PV(nil))
	moves := s.Root(nil)
	if out, ok := s.Outcome(0, nil); ok {
		mcts.Rank(moves, out.Action)
	}
	for i, m := range moves {
		if i < j.steps {
			follow := s.Line(m.Action, nil)
			if len(follow) == 0 {
				follow = []game.Action{m.Action}
			}
			a.Steps = append(a.Steps, Step{
				Step: name(g, m.Action), Visits: m.Visits, Value: m.Q, Prior: m.Prior, Proven: words[m.Proof],
				Turn: game.FormatTurn(g, within(g, follow)), Line: game.FormatLine(g, follow),
			})
		}
		if j.query.Priors {
			a.Priors = append(a.Priors, Prior{name(g, m.Action), m.Prior})
		}
	}
	return a
}

var words = map[mcts.Proof]string{mcts.Won: "won", mcts.Lost: "lost"}

// seen turns a chance of Gold into one of side, and the other way round.
func seen(chance float32, side game.Color) float32 {
	if side == game.Silver {
		return 1 - chance
	}
	return chance
}

func name(g *game.Game, a game.Action) string {
	return cmp.Or(game.FormatTurn(g, []game.Action{a}), "pass")
}

// within returns the actions of a line that belong to the present turn.
func within(g *game.Game, actions []game.Action) []game.Action {
	play := g.Clone()
	for i, a := range actions {
		if play.Side() != g.Side() || play.Result().Over() {
			return actions[:i]
		}
		play.Play(a)
	}
	return actions
}
