package data

import (
	"fmt"

	"warren/game"
)

// row is a record in the Parquet schema of format version [Version], with one row per game. The
// columns, with DuckDB's types:
//
//	hash VARCHAR             identity of the record, SHA-256 in hexadecimal
//	run VARCHAR, game UBIGINT, seed UBIGINT
//	network VARCHAR, generation INTEGER
//	settings VARCHAR
//	eval_path VARCHAR        code that evaluated positions; '' if unknown
//	opening INTEGER          turns at the beginning that were played at random or are those of an earlier game; -1 if unknown
//	winner VARCHAR           'gold', 'silver', or '' without a result
//	reason VARCHAR           'goal', 'elimination', 'immobilization', 'repetition', 'turn limit', 'time', 'resignation', or 'ongoing' without a result
//	turns INTEGER            completed turns, setups not counted
//	positions INTEGER        decisions to train on
//	decisions STRUCT(
//	    action USMALLINT     0-255: direction (n, e, s, w) * 64 + square (a1=0, h1=7, h8=63); 256: pass; 257-262: placement R C D H M E
//	    "full" BOOLEAN       full search or fast one
//	    value FLOAT          root value, the mover's chance to win; 0 if not searched
//	    visits STRUCT(action USMALLINT, count UINTEGER)[]
//	    policy STRUCT(action USMALLINT, share FLOAT)[]   policy target; empty: the shares of the visits
//	    policy_weight FLOAT  0: not a policy target
//	    value_weight FLOAT
//	)[]
//
// For example, this query lists the actions of all games:
//
//	SELECT winner, d.action, d.value FROM (SELECT winner, unnest(decisions) AS d FROM 'games-*.parquet')
type row struct {
	Hash       string     `parquet:"hash"`
	Run        string     `parquet:"run"`
	Game       uint64     `parquet:"game"`
	Seed       uint64     `parquet:"seed"`
	Network    string     `parquet:"network"`
	Generation int32      `parquet:"generation"`
	Settings   string     `parquet:"settings"`
	EvalPath   string     `parquet:"eval_path"`
	Opening    int32      `parquet:"opening"`
	Winner     string     `parquet:"winner"`
	Reason     string     `parquet:"reason"`
	Turns      int32      `parquet:"turns"`
	Positions  int32      `parquet:"positions"`
	Decisions  []Decision `parquet:"decisions,list"`
}

// summary is the part of a row that an index needs. Every format version has these columns with this
// meaning. They can be read without reading the decisions.
type summary struct {
	Hash      string `parquet:"hash"`
	Game      uint64 `parquet:"game"`
	Positions int32  `parquet:"positions"`
}

// rowOf returns the row that stores r.
func rowOf(r *Record) row {
	w := contentOf(r)
	if r.ID == (Hash{}) {
		w.Hash = w.identity().String()
	} else {
		w.Hash = r.ID.String()
	}
	return *w
}

// contentOf returns the row that stores r, except for its hash. The decisions are those of r.
func contentOf(r *Record) *row {
	w := &row{
		Run: r.Run, Game: r.Game, Seed: r.Seed,
		Network: r.Network, Generation: r.Generation,
		Settings: r.Settings, EvalPath: r.EvalPath, Opening: r.Opening,
		Reason: r.Result.Reason.String(),
		Turns:  r.Turns, Positions: int32(r.Positions()),
		Decisions: r.Decisions,
	}
	if r.Result.Over() {
		w.Winner = r.Result.Winner.String()
	}
	return w
}

// record is the inverse of rowOf. The decisions are those of the row.
func (w *row) record() (*Record, error) {
	r := &Record{
		Run: w.Run, Game: w.Game, Seed: w.Seed,
		Network: w.Network, Generation: w.Generation,
		Settings: w.Settings, EvalPath: w.EvalPath, Opening: w.Opening,
		Turns:     w.Turns,
		Decisions: w.Decisions,
	}
	var err error
	if r.ID, err = ParseHash(w.Hash); err != nil {
		return nil, err
	}
	if r.Result, err = ParseResult(w.Winner, w.Reason); err != nil {
		return nil, err
	}
	for i := range r.Decisions {
		d := &r.Decisions[i]
		if len(d.Visits) == 0 {
			d.Visits = nil
		}
		if len(d.Policy) == 0 {
			d.Policy = nil
		}
	}
	return r, nil
}

// ParseResult returns the result that a row gives in its columns winner and reason.
func ParseResult(winner, reason string) (game.Result, error) {
	for r := range game.Reason(game.NumReasons) {
		if r.String() != reason {
			continue
		}
		if r == game.Ongoing && winner == "" {
			return game.Result{}, nil
		}
		for _, c := range []game.Color{game.Gold, game.Silver} {
			if r != game.Ongoing && c.String() == winner {
				return game.Result{Winner: c, Reason: r}, nil
			}
		}
	}
	return game.Result{}, fmt.Errorf("%q is not a winner or %q is not a reason", winner, reason)
}
