package data

// rowV2 is a record in format version 2. In that version one network plays both sides.
type rowV2 struct {
	Hash       string        `parquet:"hash"`
	Run        string        `parquet:"run"`
	Game       uint64        `parquet:"game"`
	Seed       uint64        `parquet:"seed"`
	Network    string        `parquet:"network"`
	Generation int32         `parquet:"generation"`
	Settings   string        `parquet:"settings"`
	EvalPath   string        `parquet:"eval_path"`
	Opening    int32         `parquet:"opening"`
	Winner     string        `parquet:"winner"`
	Reason     string        `parquet:"reason"`
	Turns      int32         `parquet:"turns"`
	Positions  int32         `parquet:"positions"`
	Decisions  []rowDecision `parquet:"decisions,list"`
}

func (w *rowV2) record() (*Record, error) {
	now := row{
		Hash: w.Hash, Run: w.Run, Game: w.Game, Seed: w.Seed,
		Network: w.Network, Generation: w.Generation, Settings: w.Settings,
		EvalPath: w.EvalPath, Opening: w.Opening, Winner: w.Winner, Reason: w.Reason,
		Turns: w.Turns, Positions: w.Positions, Decisions: w.Decisions,
	}
	return now.record()
}
