package data

import "warren/game"

// rowV1 is a record in format version 1. In that version the visits of a full search are the policy
// target, every searched decision is a position to train on, and the opening and the evaluation path
// are not recorded.
type rowV1 struct {
	Hash       string          `parquet:"hash"`
	Run        string          `parquet:"run"`
	Game       uint64          `parquet:"game"`
	Seed       uint64          `parquet:"seed"`
	Network    string          `parquet:"network"`
	Generation int32           `parquet:"generation"`
	Settings   string          `parquet:"settings"`
	Winner     string          `parquet:"winner"`
	Reason     string          `parquet:"reason"`
	Turns      int32           `parquet:"turns"`
	Positions  int32           `parquet:"positions"`
	Decisions  []rowDecisionV1 `parquet:"decisions,list"`
}

type rowDecisionV1 struct {
	Action uint16       `parquet:"action"`
	Full   bool         `parquet:"full"`
	Value  float32      `parquet:"value"`
	Visits []rowVisitV1 `parquet:"visits,list"`
}

type rowVisitV1 struct {
	Action uint16 `parquet:"action"`
	Count  uint32 `parquet:"count"`
}

func (w *rowV1) record() (*Record, error) {
	r := &Record{
		Run: w.Run, Game: w.Game, Seed: w.Seed,
		Network: w.Network, Generation: w.Generation, Settings: w.Settings,
		Opening: UnknownOpening, Turns: w.Turns,
		Decisions: make([]Decision, len(w.Decisions)),
	}
	var err error
	if r.ID, err = parseHash(w.Hash); err != nil {
		return nil, err
	}
	if r.Result, err = parseResult(w.Winner, w.Reason); err != nil {
		return nil, err
	}
	for i := range w.Decisions {
		from, d := &w.Decisions[i], &r.Decisions[i]
		*d = Decision{Action: game.Action(from.Action), Full: from.Full, Value: from.Value}
		for _, v := range from.Visits {
			d.Visits = append(d.Visits, Visit{game.Action(v.Action), v.Count})
		}
		if d.Searched() {
			d.ValueWeight = 1
			if d.Full {
				d.PolicyWeight = 1
			}
		}
	}
	return r, nil
}
