package dataset

import (
	"warren/data"
	"warren/game"
)

// Game is a row of the table of games. The tag doc says what a column means, for the card.
type Game struct {
	Hash       string `parquet:"hash" json:"hash" doc:"identity of the game, a SHA-256 in hexadecimal; the same as in its positions"`
	Run        string `parquet:"run,dict" json:"run" doc:"name of the run that played it"`
	Number     uint64 `parquet:"game" json:"game" doc:"number of the game in its run, from 0"`
	Seed       uint64 `parquet:"seed" json:"seed" doc:"seed of the run"`
	Network    string `parquet:"network,dict" json:"network" doc:"hash of the network that played, a SHA-256 in hexadecimal"`
	Generation int32  `parquet:"generation" json:"generation" doc:"generation of that network in its run, from 0"`
	Settings   string `parquet:"settings,dict" json:"settings" doc:"hash of the settings of self-play and search"`
	EvalPath   string `parquet:"eval_path,dict" json:"eval_path" doc:"code that evaluated positions; empty if unknown"`
	Opening    int32  `parquet:"opening" json:"opening" doc:"turns at the beginning that were played at random or taken from an earlier game, as was the setup; 0 if none, -1 if unknown"`
	Winner     string `parquet:"winner,dict" json:"winner" doc:"gold or silver; empty if the game was stopped without a result"`
	Reason     string `parquet:"reason,dict" json:"reason" doc:"how the game ended: goal, elimination, immobilization, repetition, turn limit (the side that was last ahead in pieces wins), time, resignation; ongoing if it was stopped without a result"`
	Turns      int32  `parquet:"turns" json:"turns" doc:"completed turns of both sides, setups not counted"`
	Positions  int32  `parquet:"positions" json:"positions" doc:"rows of the game in the table of positions"`
	Moves      string `parquet:"moves" json:"moves" doc:"the completed turns in Arimaa's notation, a line for each"`
}

// Position is a row of the table of positions: a position, the action that was played there and what the search
// before it found.
type Position struct {
	Hash         string       `parquet:"hash,dict" json:"hash" doc:"the game"`
	Ply          int32        `parquet:"ply" json:"ply" doc:"actions played before in the game, from 0; the first 32 are placements"`
	Turn         int32        `parquet:"turn" json:"turn" doc:"the turn that the action belongs to, from 1, both sides counted; 0 in setups"`
	Step         int32        `parquet:"step" json:"step" doc:"steps played before in the turn, 0 to 3; 0 in setups"`
	Side         string       `parquet:"side,dict" json:"side" doc:"the side to move, gold or silver"`
	Board        string       `parquet:"board" json:"board" doc:"64 characters, a8 to h8 first and a1 to h1 last: RCDHME for Gold's rabbit, cat, dog, horse, camel and elephant, rcdhme for Silver's, a full stop for an empty square"`
	Action       game.Action  `parquet:"action" json:"action" doc:"the action that was played, as a number from 0 to 262 (see below)"`
	Full         bool         `parquet:"full" json:"full" doc:"whether the search was a full one; otherwise it was a fast one, or there was none"`
	Value        *float32     `parquet:"value,optional" json:"value" doc:"root value of the search: the chance to win of the side to move, 0 to 1; that of the network for a placement that was drawn from the policy; null if there was neither"`
	Visits       []data.Visit `parquet:"visits,list" json:"visits" doc:"the actions that the search visited, in ascending order, with the count of visits, at least 1; a placement that was drawn from the policy has one; empty if there was no search"`
	Policy       []data.Share `parquet:"policy,list" json:"policy" doc:"the policy target: actions in ascending order, with shares above 0 that sum to 1; empty if the position is no policy target, and for a placement that was drawn from the policy, whose target followed from all games of the replay window"`
	PolicyWeight float32      `parquet:"policy_weight,dict" json:"policy_weight" doc:"weight of the policy target in the loss, at least 0; 0 if there is none"`
	ValueWeight  float32      `parquet:"value_weight,dict" json:"value_weight" doc:"weight of the value target in the loss, 0 to 1"`
	Outcome      *int32       `parquet:"outcome,optional" json:"outcome" doc:"1 if the side to move won the game, 0 if it lost; null without a result"`
}

// gameRow returns the row of r.
func gameRow(r *data.Record) Game {
	w := Game{
		Hash: r.Hash().String(), Run: r.Run, Number: r.Game, Seed: r.Seed,
		Network: r.Network, Generation: r.Generation, Settings: r.Settings, EvalPath: r.EvalPath,
		Opening: r.Opening, Reason: r.Result.Reason.String(), Turns: r.Turns, Positions: int32(len(r.Decisions)),
	}
	if r.Result.Over() {
		w.Winner = r.Result.Winner.String()
	}
	w.Moves = game.FormatMoveList(completed(r))
	return w
}

// completed returns the actions of r up to the end of its last completed turn, or setup.
func completed(r *data.Record) []game.Action {
	g := game.New()
	actions, n := make([]game.Action, len(r.Decisions)), 0
	for i := range r.Decisions {
		actions[i] = r.Decisions[i].Action
		side := g.Side()
		if g.Play(actions[i]); g.Side() != side || g.Result().Over() {
			n = i + 1
		}
	}
	return actions[:n]
}

// positionRows returns the rows of the positions of r, in order. r must be valid.
func positionRows(r *data.Record) []Position {
	rows := make([]Position, len(r.Decisions))
	hash := r.Hash().String()
	g := game.New()
	for i := range r.Decisions {
		d := &r.Decisions[i]
		w := &rows[i]
		*w = Position{
			Hash: hash, Ply: int32(i), Side: g.Side().String(), Board: g.Board().String(),
			Action: d.Action, Full: d.Full,
			Visits: append([]data.Visit{}, d.Visits...), Policy: []data.Share{}, // empty, not null
			PolicyWeight: d.PolicyWeight, ValueWeight: d.ValueWeight,
		}
		if d.Drawn() {
			w.PolicyWeight = 0 // its policy target is not in the record
		}
		if !g.InSetup() {
			w.Turn, w.Step = int32(g.Turns())+1, int32(4-g.StepsLeft())
		}
		if d.Searched() || d.Value != 0 {
			w.Value = &d.Value
		}
		if w.PolicyWeight > 0 {
			w.Policy = d.Target(w.Policy)
		}
		if r.Result.Over() {
			won := int32(0)
			if g.Side() == r.Result.Winner {
				won = 1
			}
			w.Outcome = &won
		}
		g.Play(d.Action)
	}
	return rows
}
