package data

import (
	"encoding/hex"
	"fmt"

	"warren/game"
)

// row is a record as the Parquet schema has it: one row a game. In DuckDB's words:
//
//	hash VARCHAR             identity of the record, SHA-256 in hexadecimal
//	run VARCHAR, game UBIGINT, seed UBIGINT
//	network VARCHAR, generation INTEGER, settings VARCHAR
//	winner VARCHAR           'gold', 'silver', or '' without a result
//	reason VARCHAR           'goal', 'elimination', 'immobilization', 'repetition', 'turn limit', 'time', 'resignation', or 'ongoing' without a result
//	turns INTEGER            completed turns, setups not counted
//	positions INTEGER        decisions that were searched
//	decisions STRUCT(
//	    action USMALLINT     0-255: direction (n, e, s, w) * 64 + square (a1=0, h1=7, h8=63); 256: pass; 257-262: placement R C D H M E
//	    "full" BOOLEAN       full search (policy target) or cheap one
//	    value FLOAT          root value, the mover's chance to win; 0 if not searched
//	    visits STRUCT(action USMALLINT, count UINTEGER)[]
//	)[]
//
// So the opening choices of a shard are, for instance:
//
//	SELECT winner, d.action, d.value FROM (SELECT winner, unnest(decisions) AS d FROM 'games-*.parquet')
type row struct {
	Hash       string        `parquet:"hash"`
	Run        string        `parquet:"run"`
	Game       uint64        `parquet:"game"`
	Seed       uint64        `parquet:"seed"`
	Network    string        `parquet:"network"`
	Generation int32         `parquet:"generation"`
	Settings   string        `parquet:"settings"`
	Winner     string        `parquet:"winner"`
	Reason     string        `parquet:"reason"`
	Turns      int32         `parquet:"turns"`
	Positions  int32         `parquet:"positions"`
	Decisions  []rowDecision `parquet:"decisions,list"`
}

type rowDecision struct {
	Action uint16     `parquet:"action"`
	Full   bool       `parquet:"full"`
	Value  float32    `parquet:"value"`
	Visits []rowVisit `parquet:"visits,list"`
}

type rowVisit struct {
	Action uint16 `parquet:"action"`
	Count  uint32 `parquet:"count"`
}

// summary is the part of a row that an index needs; reading it leaves the decisions untouched.
type summary struct {
	Hash      string `parquet:"hash"`
	Game      uint64 `parquet:"game"`
	Positions int32  `parquet:"positions"`
}

func newRow(r *Record) row {
	w := row{
		Hash: r.Hash().String(),
		Run:  r.Run, Game: r.Game, Seed: r.Seed,
		Network: r.Network, Generation: r.Generation, Settings: r.Settings,
		Reason: r.Result.Reason.String(),
		Turns:  r.Turns, Positions: int32(r.Positions()),
		Decisions: make([]rowDecision, len(r.Decisions)),
	}
	if r.Result.Over() {
		w.Winner = r.Result.Winner.String()
	}
	for i, d := range r.Decisions {
		visits := make([]rowVisit, len(d.Visits))
		for j, v := range d.Visits {
			visits[j] = rowVisit{uint16(v.Action), v.Count}
		}
		w.Decisions[i] = rowDecision{uint16(d.Action), d.Full, d.Value, visits}
	}
	return w
}

// record is the inverse of newRow. It fails if the row is not one that newRow makes.
func (w *row) record() (*Record, error) {
	r := &Record{
		Run: w.Run, Game: w.Game, Seed: w.Seed,
		Network: w.Network, Generation: w.Generation, Settings: w.Settings,
		Turns:     w.Turns,
		Decisions: make([]Decision, len(w.Decisions)),
	}
	var err error
	if r.Result, err = parseResult(w.Winner, w.Reason); err != nil {
		return nil, err
	}
	n := 0
	for i := range w.Decisions {
		n += len(w.Decisions[i].Visits)
	}
	// One array for all the visits of a game.
	all := make([]Visit, 0, n)
	for i, d := range w.Decisions {
		start := len(all)
		for _, v := range d.Visits {
			all = append(all, Visit{game.Action(v.Action), v.Count})
		}
		r.Decisions[i] = Decision{Action: game.Action(d.Action), Full: d.Full, Value: d.Value}
		if len(all) > start {
			r.Decisions[i].Visits = all[start:len(all):len(all)]
		}
	}
	if h := r.Hash().String(); h != w.Hash {
		return nil, fmt.Errorf("game %d does not have the hash stored with it", w.Game)
	}
	return r, nil
}

func parseResult(winner, reason string) (game.Result, error) {
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
	return game.Result{}, fmt.Errorf("%q is no winner or %q no reason", winner, reason)
}

func parseHash(s string) (h Hash, err error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) {
		return h, fmt.Errorf("%q is not a SHA-256 in hexadecimal", s)
	}
	return Hash(b), nil
}
