package data

import (
	"crypto/sha256"
	"path/filepath"
	"reflect"
	"testing"
)

// testdata/v2 was written by commit 52e320a, which knew versions 1 and 2:
//
//	train --config smoke --run v2 --set loop.generations=1 --set loop.first_games=10 \
//	    --set selfplay.turn_limit=10 --set data.games_per_shard=5 \
//	    --set selfplay.random_openings=0.3 --set selfplay.random_turns=4 --set search.rule=gumbel \
//	    --set selfplay.setup_policy_weight=0.5 --set match.every=0

// The records of a version 2 shard are those that were written: the hash stored with each matches
// the encoding of version 2.
func TestV2Records(t *testing.T) {
	paths, err := filepath.Glob("testdata/v2/*.parquet")
	if err != nil {
		t.Fatal(err)
	}
	games, openings, shares := 0, 0, 0
	for _, path := range paths {
		records, err := readShard(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			games++
			w := rowOf(r)
			old := reflect.ValueOf(&rowV2{Run: w.Run, Game: w.Game, Seed: w.Seed, Network: w.Network, Generation: w.Generation,
				Settings: w.Settings, EvalPath: w.EvalPath, Opening: w.Opening, Winner: w.Winner, Reason: w.Reason,
				Turns: w.Turns, Positions: w.Positions, Decisions: w.Decisions}).Elem()
			b := []byte("warren record 2\n")
			for i := 1; i < old.NumField(); i++ {
				b = appendValue(b, old.Field(i))
			}
			if want := Hash(sha256.Sum256(b)); r.ID != want {
				t.Errorf("game %d: ID %s, want %s", r.Game, r.ID, want)
			}
			if r.Opponent != "" || r.OpponentGeneration != 0 || r.EvalPath != "uniform" {
				t.Errorf("game %d: opponent %q of generation %d, path %q", r.Game, r.Opponent, r.OpponentGeneration, r.EvalPath)
			}
			if r.Opening > 0 {
				openings++
			}
			for i := range r.Decisions {
				shares += len(r.Decisions[i].Policy)
			}
		}
	}
	if games != 10 || openings == 0 || shares == 0 {
		t.Errorf("%d games, %d random openings, %d shares of policy targets", games, openings, shares)
	}
}
