package data

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"reflect"
	"testing"

	"warren/game"
)

// goldenRecord is written out by hand so that it depends only on the rules.
func goldenRecord() *Record {
	r := &Record{Run: "run", Game: 300, Seed: 1 << 63, Network: "net", Generation: 2, Settings: "s", EvalPath: "avx2",
		Result: game.Result{Winner: game.Silver, Reason: game.Resignation}, Turns: 1}
	for range 2 {
		for _, k := range []game.Kind{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5} {
			r.Decisions = append(r.Decisions, Decision{Action: game.PlaceAction(k)})
		}
	}
	// The second rank holds C C D D H H M E. The turn is one step of the elephant, from h2 north.
	h2 := game.Square(15)
	r.Decisions = append(r.Decisions,
		Decision{Action: game.StepAction(h2, game.North), Full: true, Value: 0.5, PolicyWeight: 1, ValueWeight: 1, Visits: []Visit{
			{game.StepAction(8, game.North), 3}, {game.StepAction(h2, game.North), 200}}},
		Decision{Action: game.Pass, Value: 0.25, PolicyWeight: 2, ValueWeight: 0.5,
			Visits: []Visit{{game.StepAction(h2+8, game.West), 1}, {game.Pass, 2}},
			Policy: []Share{{game.StepAction(h2+8, game.West), 0.25}, {game.Pass, 0.75}}},
	)
	return r
}

// The hash is an identity that later versions of the program must reproduce. If this fails,
// [Version] must change.
func TestHashGolden(t *testing.T) {
	r := goldenRecord()
	if err := r.Validate(); err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	float := func(b []byte, v float32) []byte { return le.AppendUint32(b, math.Float32bits(v)) }
	want := []byte("warren record 5\n\x03run")
	want = le.AppendUint64(want, 300)
	want = le.AppendUint64(want, 1<<63)
	want = append(want, "\x03net\x02\x00\x00\x00\x01s\x04avx2"...)
	want = append(want, "\x00\x00\x00\x00\x06silver\x0bresignation\x01\x00\x00\x00\x02\x00\x00\x00\x22"...)
	for i := range 32 {
		place := uint16(257)
		if i%16 >= 8 {
			place = []uint16{258, 258, 259, 259, 260, 260, 261, 262}[i%8]
		}
		want = le.AppendUint16(want, place)
		want = append(want, make([]byte, 1+4+1+1+4+4)...) // full, value, no visits, no policy, weights
	}
	want = append(float(append(want, 15, 0, 1), 0.5), "\x02\x08\x00\x03\x00\x00\x00\x0f\x00\xc8\x00\x00\x00\x00"...)
	want = float(float(want, 1), 1)
	want = append(float(append(want, 0, 1, 0), 0.25), "\x02\xd7\x00\x01\x00\x00\x00\x00\x01\x02\x00\x00\x00"...)
	want = float(append(float(append(want, 2, 0xd7, 0), 0.25), 0, 1), 0.75)
	want = float(float(want, 2), 0.5)
	if got, _ := r.AppendBinary(nil); !bytes.Equal(got, want) {
		t.Errorf("encoding is\n%q, want\n%q", got, want)
	}
	if got := r.Hash(); got != sha256.Sum256(want) {
		t.Errorf("hash is %s, want that of the encoding", got)
	}
	r.ID[0] = 1
	if r.Hash() != r.ID {
		t.Error("a stored record has another hash than its ID")
	}
}

// Every field is part of the identity, except for the ID itself.
func TestHashCoversEveryField(t *testing.T) {
	seen := map[Hash]string{}
	note := func(name string, r *Record) {
		t.Helper()
		h := r.Hash()
		if other, ok := seen[h]; ok {
			t.Errorf("changing %s and changing %s give the same hash", name, other)
		}
		seen[h] = name
	}
	note("nothing", goldenRecord())
	typ := reflect.TypeFor[Record]()
	for i := range typ.NumField() {
		if typ.Field(i).Name == "ID" {
			continue
		}
		r := goldenRecord()
		switch f := reflect.ValueOf(r).Elem().Field(i); f.Kind() {
		case reflect.String:
			f.SetString(f.String() + "x")
		case reflect.Uint64:
			f.SetUint(f.Uint() + 1)
		case reflect.Int32:
			f.SetInt(f.Int() + 1)
		case reflect.Slice:
			f.Set(f.Slice(0, f.Len()-1))
		case reflect.Struct:
			r.Result.Reason = game.Time
			note("Reason", r)
			r = goldenRecord()
			r.Result.Winner = game.Gold
		default:
			t.Fatalf("no case for field %s", typ.Field(i).Name)
		}
		note(typ.Field(i).Name, r)
	}
	changes := map[string]func(d *Decision){
		"Action":       func(d *Decision) { d.Action++ },
		"Full":         func(d *Decision) { d.Full = !d.Full },
		"Value":        func(d *Decision) { d.Value = 0.75 },
		"Visits":       func(d *Decision) { d.Visits = d.Visits[:1] },
		"Policy":       func(d *Decision) { d.Policy = d.Policy[:1] },
		"PolicyWeight": func(d *Decision) { d.PolicyWeight = 0.25 },
		"ValueWeight":  func(d *Decision) { d.ValueWeight = 0.25 },
		"a visit":      func(d *Decision) { d.Visits[0].Action++ },
		"a count":      func(d *Decision) { d.Visits[0].Count++ },
		"a target":     func(d *Decision) { d.Policy[0].Action++ },
		"a share":      func(d *Decision) { d.Policy[0].Share = 0.5 },
	}
	for i := range reflect.TypeFor[Decision]().NumField() {
		if name := reflect.TypeFor[Decision]().Field(i).Name; changes[name] == nil {
			t.Errorf("no case for a decision's field %s", name)
		}
	}
	for name, change := range changes {
		r := goldenRecord()
		change(&r.Decisions[33])
		note("a decision's "+name, r)
	}
}
