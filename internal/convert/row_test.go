package convert

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warren/data"
	"warren/data/datatest"
	"warren/data/replay"
	"warren/game"
	"warren/internal/durable"
)

// rows returns the rows of a version's shards, with the version.
func rows(t *testing.T, name string) (all []*row, version int) {
	t.Helper()
	paths, err := durable.List(filepath.Join("testdata", name), "games-*")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		f, err := data.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		version = f.Version()
		for w, err := range data.Rows[row](f) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, w)
		}
	}
	return all, version
}

// encoding appends numbers as the encodings of all versions do.
type encoding []byte

func (e *encoding) u16(v uint16)    { *e = binary.LittleEndian.AppendUint16(*e, v) }
func (e *encoding) u32(v uint32)    { *e = binary.LittleEndian.AppendUint32(*e, v) }
func (e *encoding) u64(v uint64)    { *e = binary.LittleEndian.AppendUint64(*e, v) }
func (e *encoding) float(v float32) { e.u32(math.Float32bits(v)) }
func (e *encoding) varint(v int)    { *e = binary.AppendUvarint(*e, uint64(v)) }
func (e *encoding) text(s string)   { e.varint(len(s)); *e = append(*e, s...) }
func (e *encoding) bool(v bool) {
	b := byte(0)
	if v {
		b = 1
	}
	*e = append(*e, b)
}

// encode returns the encoding of a game whose hash a shard of the given version stores. It covers
// everything that the version records about a game.
func encode(t *testing.T, w *row, version int) []byte {
	if version == 1 {
		return encodeV1(t, w)
	}
	r, err := w.record(version)
	if err != nil {
		t.Fatal(err)
	}
	e := encoding(fmt.Sprintf("warren record %d\n", version))
	e.text(w.Run)
	e.u64(w.Game)
	e.u64(w.Seed)
	e.text(w.Network)
	e.u32(uint32(w.Generation))
	if version >= 3 {
		e.text(w.Opponent)
		e.u32(uint32(w.OpponentGeneration))
	}
	e.text(w.Settings)
	e.text(w.EvalPath)
	e.u32(uint32(w.Opening))
	if version >= 4 {
		e.u64(w.Missing)
	}
	e.text(w.Winner)
	e.text(w.Reason)
	e.u32(uint32(w.Turns))
	e.u32(uint32(r.Positions()))
	e.varint(len(w.Decisions))
	for _, d := range w.Decisions {
		e.u16(d.Action)
		e.bool(d.Full)
		e.float(d.Value)
		e.varint(len(d.Visits))
		for _, v := range d.Visits {
			e.u16(v.Action)
			e.u32(v.Count)
		}
		e.varint(len(d.Policy))
		for _, s := range d.Policy {
			e.u16(s.Action)
			e.float(s.Share)
		}
		e.float(d.PolicyWeight)
		e.float(d.ValueWeight)
	}
	return e
}

func encodeV1(t *testing.T, w *row) []byte {
	r, err := w.record(1)
	if err != nil {
		t.Fatal(err)
	}
	e := encoding("warren record 1\n")
	e.text(w.Run)
	e.u64(w.Game)
	e.u64(w.Seed)
	e.text(w.Network)
	e.varint(int(w.Generation))
	e.text(w.Settings)
	e.varint(len(w.Decisions))
	for _, d := range w.Decisions {
		e.varint(int(d.Action))
		e.bool(d.Full)
		e.float(d.Value)
		e.varint(len(d.Visits))
		last := uint16(0)
		for _, v := range d.Visits {
			e.varint(int(v.Action - last))
			e.varint(int(v.Count))
			last = v.Action
		}
	}
	e = append(e, byte(r.Result.Winner), byte(r.Result.Reason))
	e.varint(int(w.Turns))
	return e
}

// What is read from the shards of every version is what was written: the hash that is stored with each
// game is that of the row. Records keep the hash.
func TestRowsAreWhatWasWritten(t *testing.T) {
	for _, name := range versions {
		all, version := rows(t, name)
		if want := fmt.Sprintf("v%d", version); name != want {
			t.Errorf("%s has shards of version %d", name, version)
		}
		openings, opponents, shares := 0, 0, 0
		for _, w := range all {
			if got := data.Hash(sha256.Sum256(encode(t, w, version))).String(); got != w.Hash {
				t.Errorf("%s, game %d: the hash is %s, and %s is stored", name, w.Game, got, w.Hash)
			}
			if r, err := w.record(version); err != nil || r.Hash().String() != w.Hash || (r.Validate() == nil) != (w.Missing == 0) {
				t.Errorf("%s, game %d: %v, %v, hash %v", name, w.Game, err, r.Validate(), r.Hash())
			}
			if w.Opening > 0 {
				openings++
			}
			if w.Opponent != "" {
				opponents++
			}
			for _, d := range w.Decisions {
				shares += len(d.Policy)
			}
		}
		if len(all) < 10 || (openings == 0) != (version == 1) || (opponents == 0) != (version < 3) || (shares == 0) != (version != 2) {
			t.Errorf("%s: %d games, %d with an opening, %d against older networks, %d shares of policy targets", name, len(all), openings, opponents, shares)
		}
	}
}

// In version 1 the weights follow from the searches.
func TestVersion1(t *testing.T) {
	all, version := rows(t, "v1")
	fast := 0
	for _, w := range all {
		r, err := w.record(version)
		if err != nil {
			t.Fatal(err)
		}
		if r.Opening != data.UnknownOpening || r.EvalPath != "" {
			t.Errorf("game %d: opening %d, path %q", r.Game, r.Opening, r.EvalPath)
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
	if fast == 0 {
		t.Error("there are no fast searches")
	}
}

// In version 4 games with a handicap are left out, and the shards that have them are kept. An older
// network's decisions teach nothing.
func TestVersion4(t *testing.T) {
	dir := copied(t, "v4")
	before := shards(t, dir)
	report := mustRun(t, dir)
	all, _ := rows(t, "v4")
	want := map[uint64]*row{}
	for _, w := range all {
		if w.Missing == 0 {
			want[w.Game] = w
		}
	}
	left := len(all) - len(want)
	if left == 0 || report.Games != len(want) || len(report.LeftOut) != 1 || report.LeftOut["with a handicap, which is not played any more"] != left {
		t.Errorf("of %d games, %d with a handicap: %v", len(all), left, report)
	}
	for _, path := range report.Kept {
		name := strings.TrimSuffix(filepath.Base(path), ".old")
		if b, err := os.ReadFile(path); err != nil || string(b) != before[name] || before[name] == "" {
			t.Errorf("%s: %v, or its content has changed", path, err)
		}
	}
	if len(report.Kept) == 0 || len(report.Kept) == len(before) {
		t.Errorf("of %d shards %v were kept", len(before), report.Kept)
	}
	against := 0
	for _, r := range datatest.Read(t, dir) {
		w := want[r.Game]
		delete(want, r.Game)
		if w == nil || r.Hash().String() != w.Hash {
			t.Fatalf("game %d: %v, stored as %v", r.Game, r.Hash(), w)
		}
		if w.Opponent == "" {
			continue
		}
		older := game.Silver // in games of even number
		if r.Game%2 == 1 {
			older = game.Gold
		}
		g := game.New()
		for i, d := range r.Decisions {
			if g.Side() == older {
				against++
				if d.Searched() || d.Teaches() {
					t.Errorf("game %d: decision %d, an older network's, is %+v", r.Game, i, d)
				}
			}
			g.Play(d.Action)
		}
	}
	if len(want) > 0 || against == 0 {
		t.Errorf("%d games are not there; there are %d decisions of older networks", len(want), against)
	}
}

// The windows of converted games give the samples that the commit gives that wrote the games.
func TestWindowStays(t *testing.T) {
	dir := copied(t, "v1")
	mustRun(t, dir)
	index, err := data.Scan(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if index.Games != 10 || index.Positions != 486 || index.Arrival != 0 || index.Next() != 10 {
		t.Errorf("the index is %+v", index)
	}
	p := replay.NewWindows(replay.Config{WindowPositions: 250, HeldOutFraction: 0.15, QRatio: 0.25, LimitValue: 0.9})
	if err := p.Restore(replay.Source{Index: index}); err != nil {
		t.Fatal(err)
	}
	if p.Train.Games() != 5 || p.Train.Positions() != 233 || p.HeldOut.Games() != 1 || p.HeldOut.Positions() != 38 {
		t.Errorf("%d games with %d positions and %d games with %d",
			p.Train.Games(), p.Train.Positions(), p.HeldOut.Games(), p.HeldOut.Positions())
	}
	h := sha256.New()
	for _, w := range []*replay.Window{p.Train, p.HeldOut} {
		samples := make([]replay.Sample, 300)
		if err := w.Draw(rand.New(rand.NewPCG(6, 6)), samples); err != nil {
			t.Fatal(err)
		}
		for i := range samples {
			s := &samples[i]
			s.Fill()
			var actions []game.Action
			var shares []float32
			for _, p := range s.Policy {
				actions, shares = append(actions, p.Action), append(shares, p.Share)
			}
			for _, v := range []any{uint32(s.Game.Turns()), uint8(s.Game.Side()), s.Mirror, actions, shares, s.PolicyWeight, s.Value} {
				if err := binary.Write(h, binary.LittleEndian, v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	const want = "351848c12f4eab3d376f926a9fc53b6d8558d7a23ea1b306181ff8ed4c3e45fa"
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != want {
		t.Errorf("the digest of the samples is %s, want %s", got, want)
	}
}
