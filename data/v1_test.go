package data

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"warren/game"
)

// testdata/v1 was written by commit 7eb7886, which knew version 1 only:
//
//	train --config smoke --run v1 --set loop.generations=1 --set loop.first_games=10 \
//	    --set selfplay.turn_limit=10 --set data.games_per_shard=5 \
//	    --set selfplay.random_openings=0.3 --set selfplay.random_turns=4 --set match.every=0

// appendV1 is the encoding whose hash a version 1 shard stores. It covers everything that version 1
// records about a game.
func appendV1(b []byte, r *Record) []byte {
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	b = append(b, "warren record 1\n"...)
	text(r.Run)
	b = binary.LittleEndian.AppendUint64(b, r.Game)
	b = binary.LittleEndian.AppendUint64(b, r.Seed)
	text(r.Network)
	b = binary.AppendUvarint(b, uint64(uint32(r.Generation)))
	text(r.Settings)
	b = binary.AppendUvarint(b, uint64(len(r.Decisions)))
	for _, d := range r.Decisions {
		b = binary.AppendUvarint(b, uint64(d.Action))
		b = append(b, byte(d.PolicyWeight)) // 1 if full
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(d.Value))
		b = binary.AppendUvarint(b, uint64(len(d.Visits)))
		var last game.Action
		for _, v := range d.Visits {
			b = binary.AppendUvarint(b, uint64(v.Action-last))
			b = binary.AppendUvarint(b, uint64(v.Count))
			last = v.Action
		}
	}
	b = append(b, byte(r.Result.Winner), byte(r.Result.Reason))
	return binary.AppendUvarint(b, uint64(uint32(r.Turns)))
}

// The records of a version 1 shard are those that were written: the hash stored with each matches
// the record that is read.
func TestV1Records(t *testing.T) {
	paths, err := filepath.Glob("testdata/v1/*.parquet")
	if err != nil {
		t.Fatal(err)
	}
	games, openings, fast := 0, 0, 0
	for _, path := range paths {
		records, err := readShard(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			games++
			if want := Hash(sha256.Sum256(appendV1(nil, r))); r.ID != want || r.Hash() != want {
				t.Errorf("game %d: ID %s, hash %s, want %s", r.Game, r.ID, r.Hash(), want)
			}
			if r.Opening != UnknownOpening || r.EvalPath != "" {
				t.Errorf("game %d: opening %d, path %q", r.Game, r.Opening, r.EvalPath)
			}
			if !r.Decisions[0].Searched() {
				openings++
			}
			for i, d := range r.Decisions {
				if d.Full != (d.PolicyWeight == 1) || d.Searched() != (d.ValueWeight == 1) || d.Policy != nil {
					t.Errorf("game %d: decision %d is %+v", r.Game, i, d)
				}
				if d.Searched() && !d.Full {
					fast++
				}
			}
		}
	}
	if games != 10 || openings == 0 || fast == 0 {
		t.Errorf("%d games, %d random openings and %d fast searches", games, openings, fast)
	}
}

// A replay restored from version 1 shards gives the samples that the commit that wrote them gives.
func TestV1Replay(t *testing.T) {
	x, err := Scan("testdata/v1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if x.Games != 10 || x.Positions != 486 || x.Arrival != 0 || x.Next() != 10 {
		t.Errorf("index is %+v", x)
	}
	p := NewReplay(Config{WindowPositions: 250, HeldOutFraction: 0.15, RootValueWeight: 0.25, LimitValue: 0.9})
	if err := p.Restore(x); err != nil {
		t.Fatal(err)
	}
	if p.Train.Games() != 5 || p.Train.Positions() != 233 || p.HeldOut.Games() != 1 || p.HeldOut.Positions() != 38 {
		t.Errorf("%d games with %d positions and %d games with %d",
			p.Train.Games(), p.Train.Positions(), p.HeldOut.Games(), p.HeldOut.Positions())
	}
	const want = "351848c12f4eab3d376f926a9fc53b6d8558d7a23ea1b306181ff8ed4c3e45fa"
	if got := digest(t, p); got != want {
		t.Errorf("digest of the samples is %s, want %s", got, want)
	}
}

// digest returns a hash of samples from both windows.
func digest(t *testing.T, p *Replay) string {
	h := sha256.New()
	for _, w := range []*Window{p.Train, p.HeldOut} {
		samples := make([]Sample, 300)
		if err := w.Sample(rand.New(rand.NewPCG(6, 6)), samples); err != nil {
			t.Fatal(err)
		}
		for _, s := range samples {
			if s.ValueWeight != 1 {
				t.Errorf("value weight %g", s.ValueWeight)
			}
			for _, v := range []any{uint32(s.Game.Turns()), uint8(s.Game.Side()), s.Mirror, s.Actions, s.Policy, s.PolicyWeight, s.Value} {
				if err := binary.Write(h, binary.LittleEndian, v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
