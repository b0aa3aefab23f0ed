package page

import (
	"math/bits"

	"warren/game"
)

// replayed is a game, position by position. The page does not know the rules, so
// the frames contain everything it shows.
type replayed struct {
	Title      string  `json:"title"`
	Generation int     `json:"generation"` // generation of the network that played; -1: none
	Opening    int     `json:"opening"`    // number of turns at the beginning, random or of an earlier game, that were not searched; below 0: unknown
	Turns      int     `json:"turns"`
	Frames     []frame `json:"frames"`
	Final      string  `json:"final"`      // the final board
	FinalLabel string  `json:"finalLabel"` // label of the next turn
	Winner     string  `json:"winner"`
	Reason     string  `json:"reason"`
	Problem    string  `json:"problem,omitempty"`  // why a submitted game ends here
	Network    string  `json:"network,omitempty"`  // ID of the network that played, if the run still has it
	Missing    []int   `json:"missing,omitempty"`  // squares that the setups of a handicap game leave empty
	Position   string  `json:"position,omitempty"` // with which the game begins, in short notation; empty: with the setups
	Moves      string  `json:"moves"`              // the whole turns of a game that begins with the setups, as a move list
	Mixed      bool    `json:"mixed,omitempty"`    // whether the values in the frames are not chances to win
}

// frame is a position and the action played in it.
type frame struct {
	Board   string       `json:"board"` // 64 characters, a8 to h8 first
	Label   string       `json:"label"` // label of the turn, such as 12g
	Side    string       `json:"side"`
	Left    int          `json:"left"` // steps left in the turn; 0 in the setup
	Action  game.Action  `json:"action"`
	Text    string       `json:"text"`              // the action in notation, with its captures
	Value   *float32     `json:"value,omitempty"`   // Gold's chance to win, by the search or by the network
	Full    bool         `json:"full,omitempty"`    // whether it was a full search
	Drawn   bool         `json:"drawn,omitempty"`   // whether it was none: the placement was drawn from the policy
	Visits  [][2]int     `json:"visits,omitempty"`  // actions with their visit counts
	Policy  [][2]float64 `json:"policy,omitempty"`  // the policy target, if it differs from the shares of the visits
	Priors  [][2]float64 `json:"priors,omitempty"`  // actions with the network's priors, likeliest first
	Network *float32     `json:"network,omitempty"` // Gold's chance to win, by a network without a search
	Prior   *float32     `json:"prior,omitempty"`   // the network's prior of the action
}

// replayOf returns the replay of a game. The pieces on the squares of its missing ones are gone
// when the setups are over.
func replayOf(of *studied) *replayed {
	f, g := &replayed{Generation: -1, Opening: -1, Frames: make([]frame, 0, len(of.actions))}, of.start.Clone()
	turn := 0 // where the present turn began
	for i, a := range of.actions {
		side := g.Side()
		f.Frames = append(f.Frames, frameOf(g, a))
		if g.PlayHandicap(a, of.missing); g.Side() != side || g.Result().Over() {
			turn = i + 1
		}
	}
	for left := of.missing; left != 0; left &= left - 1 {
		f.Missing = append(f.Missing, bits.TrailingZeros64(left))
	}
	if of.start.InSetup() {
		f.Moves = game.FormatHandicapList(of.actions[:turn], of.missing)
	} else {
		f.Position = game.FormatPosition(of.start.Board(), of.start.Side())
	}
	f.Turns, f.Final, f.FinalLabel = g.Turns(), g.Board().String(), g.TurnLabel()
	f.result(g.Result())
	return f
}

func frameOf(g *game.Game, a game.Action) frame {
	f := frame{Board: g.Board().String(), Label: g.TurnLabel(), Side: g.Side().String(), Left: g.StepsLeft(), Action: a}
	if a != game.Pass {
		f.Text = game.FormatTurn(g, []game.Action{a})
	}
	return f
}

func (f *replayed) result(r game.Result) {
	f.Winner, f.Reason = "", r.Reason.String()
	if r.Over() {
		f.Winner = r.Winner.String()
	}
}

// goldChance returns Gold's chance to win, given the chance of the side to
// move.
func goldChance(goldMoves bool, chance float32) *float32 {
	if !goldMoves {
		chance = 1 - chance
	}
	return &chance
}
