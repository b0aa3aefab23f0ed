package data

import (
	"crypto/sha256"
	"path/filepath"
	"reflect"
	"testing"
)

// testdata/v3 was written by commit a3401cc, which knew versions 1 to 3:
//
//	train --config smoke --run v3 --set loop.generations=4 --set loop.first_games=4 \
//	    --set loop.games_per_generation=4 --set selfplay.turn_limit=10 --set data.games_per_shard=8 \
//	    --set selfplay.random_openings=0.3 --set selfplay.random_turns=4 \
//	    --set selfplay.older_opponents=0.6 --set match.every=0

// The records of a version 3 shard are those that were written: the hash stored with each matches
// the encoding of version 3.
func TestV3Records(t *testing.T) {
	paths, err := filepath.Glob("testdata/v3/*.parquet")
	if err != nil {
		t.Fatal(err)
	}
	games, openings, opponents := 0, 0, 0
	for _, path := range paths {
		records, err := readShard(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			games++
			w := rowOf(r)
			old := reflect.ValueOf(&rowV3{Run: w.Run, Game: w.Game, Seed: w.Seed, Network: w.Network, Generation: w.Generation,
				Opponent: w.Opponent, OpponentGeneration: w.OpponentGeneration, Settings: w.Settings, EvalPath: w.EvalPath,
				Opening: w.Opening, Winner: w.Winner, Reason: w.Reason, Turns: w.Turns, Positions: w.Positions,
				Decisions: w.Decisions}).Elem()
			b := []byte("warren record 3\n")
			for i := 1; i < old.NumField(); i++ {
				b = appendValue(b, old.Field(i))
			}
			if want := Hash(sha256.Sum256(b)); r.ID != want {
				t.Errorf("game %d: ID %s, want %s", r.Game, r.ID, want)
			}
			if r.Missing != 0 {
				t.Errorf("game %d: missing squares %#x", r.Game, r.Missing)
			}
			if r.Opening > 0 {
				openings++
			}
			if r.Opponent != "" {
				opponents++
			}
		}
	}
	if games != 16 || openings == 0 || opponents == 0 {
		t.Errorf("%d games, %d random openings, %d games against older networks", games, openings, opponents)
	}
}
