package data

// rowV3 is a record in format version 3. In that version no game begins with missing pieces.
type rowV3 struct {
	Hash               string        `parquet:"hash"`
	Run                string        `parquet:"run"`
	Game               uint64        `parquet:"game"`
	Seed               uint64        `parquet:"seed"`
	Network            string        `parquet:"network"`
	Generation         int32         `parquet:"generation"`
	Opponent           string        `parquet:"opponent"`
	OpponentGeneration int32         `parquet:"opponent_generation"`
	Settings           string        `parquet:"settings"`
	EvalPath           string        `parquet:"eval_path"`
	Opening            int32         `parquet:"opening"`
	Winner             string        `parquet:"winner"`
	Reason             string        `parquet:"reason"`
	Turns              int32         `parquet:"turns"`
	Positions          int32         `parquet:"positions"`
	Decisions          []rowDecision `parquet:"decisions,list"`
}

func (w *rowV3) record() (*Record, error) {
	now := row{
		Hash: w.Hash, Run: w.Run, Game: w.Game, Seed: w.Seed,
		Network: w.Network, Generation: w.Generation,
		Opponent: w.Opponent, OpponentGeneration: w.OpponentGeneration, Settings: w.Settings,
		EvalPath: w.EvalPath, Opening: w.Opening, Winner: w.Winner, Reason: w.Reason,
		Turns: w.Turns, Positions: w.Positions, Decisions: w.Decisions,
	}
	return now.record()
}
