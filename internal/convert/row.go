package convert

import (
	"warren/data"
	"warren/game"
)

// row has the columns of every version before the present one. A column that a file lacks is zero.
//
//   - Version 1 has no eval_path and no opening. The visits of a full search are its policy target, and
//     every searched decision is trained on, so decisions have no policy and no weights.
//   - Versions 1 and 2 have no opponent: one network plays both sides. In versions 3 and 4 an older network
//     may play a side. Its decisions have no searches and are not trained on, so they can stay as they are.
//   - Versions 1 to 3 have no missing pieces. In version 4 a game can have a handicap, pieces that are gone
//     when the first turn begins. Such games are left out.
type row struct {
	Hash               string     `parquet:"hash"`
	Run                string     `parquet:"run"`
	Game               uint64     `parquet:"game"`
	Seed               uint64     `parquet:"seed"`
	Network            string     `parquet:"network"`
	Generation         int32      `parquet:"generation"`
	Opponent           string     `parquet:"opponent"`
	OpponentGeneration int32      `parquet:"opponent_generation"`
	Settings           string     `parquet:"settings"`
	EvalPath           string     `parquet:"eval_path"`
	Opening            int32      `parquet:"opening"`
	Missing            uint64     `parquet:"missing"`
	Winner             string     `parquet:"winner"`
	Reason             string     `parquet:"reason"`
	Turns              int32      `parquet:"turns"`
	Decisions          []decision `parquet:"decisions,list"`
}

type decision struct {
	Action       uint16  `parquet:"action"`
	Full         bool    `parquet:"full"`
	Value        float32 `parquet:"value"`
	Visits       []visit `parquet:"visits,list"`
	Policy       []share `parquet:"policy,list"`
	PolicyWeight float32 `parquet:"policy_weight"`
	ValueWeight  float32 `parquet:"value_weight"`
}

type visit struct {
	Action uint16 `parquet:"action"`
	Count  uint32 `parquet:"count"`
}

type share struct {
	Action uint16  `parquet:"action"`
	Share  float32 `parquet:"share"`
}

// record returns the row of a file of the given version as a record. It keeps the identity that was
// stored with the game.
func (w *row) record(version int) (*data.Record, error) {
	r := &data.Record{
		Run: w.Run, Game: w.Game, Seed: w.Seed, Network: w.Network, Generation: w.Generation,
		Settings: w.Settings, EvalPath: w.EvalPath, Opening: w.Opening, Turns: w.Turns,
		Decisions: make([]data.Decision, len(w.Decisions)),
	}
	if version == 1 {
		r.Opening = data.UnknownOpening
	}
	var err error
	if r.ID, err = data.ParseHash(w.Hash); err != nil {
		return nil, err
	}
	if r.Result, err = data.ParseResult(w.Winner, w.Reason); err != nil {
		return nil, err
	}
	for i := range w.Decisions {
		r.Decisions[i] = w.Decisions[i].decision(version)
	}
	return r, nil
}

func (w *decision) decision(version int) data.Decision {
	d := data.Decision{
		Action: game.Action(w.Action), Full: w.Full, Value: w.Value,
		PolicyWeight: w.PolicyWeight, ValueWeight: w.ValueWeight,
	}
	for _, v := range w.Visits {
		d.Visits = append(d.Visits, data.Visit{Action: game.Action(v.Action), Count: v.Count})
	}
	for _, s := range w.Policy {
		d.Policy = append(d.Policy, data.Share{Action: game.Action(s.Action), Share: s.Share})
	}
	if version == 1 && d.Searched() {
		d.ValueWeight = 1
		if d.Full {
			d.PolicyWeight = 1
		}
	}
	return d
}
