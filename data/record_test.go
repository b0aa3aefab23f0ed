package data

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warren/game"
)

func TestRandomGamesAreValid(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := randomRecord(rapid.Uint64().Draw(rt, "game"), rapid.SampledFrom([]int{0, 1, 20, 100}).Draw(rt, "limit"))
		if err := r.Validate(); err != nil {
			rt.Fatal(err)
		}
	})
}

func TestValidateRefuses(t *testing.T) {
	finished := func(r *Record) { *r = *randomRecord(1, 0) }
	tests := []struct {
		name   string
		change func(r *Record)
		want   string
	}{
		{"no decisions", func(r *Record) { r.Decisions = nil }, "0 decisions"},
		{"illegal action", func(r *Record) { r.Decisions[5].Action = game.Pass }, "decision 5: action 256"},
		{"no such action", func(r *Record) { r.Decisions[5].Action = 9999 }, "decision 5: action 9999"},
		{"visit of an illegal action", func(r *Record) { r.Decisions[40].Visits[0].Action = 261 }, "decision 40: visited action 261 is not legal"},
		{"visit of no action", func(r *Record) { r.Decisions[40].Visits[0].Action = math.MaxUint16 }, "not legal"},
		{"no visits", func(r *Record) { r.Decisions[40].Visits[0].Count = 0 }, "has no visits"},
		{"repeated visit", func(r *Record) {
			d := &r.Decisions[40]
			d.Visits = append(d.Visits[:1:1], d.Visits...)
		}, "out of order"},
		{"value above 1", func(r *Record) { r.Decisions[40].Value = 1.5 }, "not a chance"},
		{"value NaN", func(r *Record) { r.Decisions[40].Value = float32(math.NaN()) }, "not a chance"},
		{"full search without visits", func(r *Record) { r.Decisions[0].Full = true }, "without visits"},
		{"value without visits", func(r *Record) { r.Decisions[0].Value = 0.5 }, "without visits"},
		{"negative generation", func(r *Record) { r.Generation = -1 }, "generation"},
		{"text not UTF-8", func(r *Record) { r.Run = "\xff" }, "UTF-8"},
		{"text too long", func(r *Record) { r.Settings = strings.Repeat("a", maxText+1) }, "too long"},
		{"turns", func(r *Record) { r.Turns++ }, "turns"},
		{"winner of no result", func(r *Record) { r.Result = game.Result{Winner: game.Silver} }, "winner without a result"},
		{"winner is nobody", func(r *Record) { r.Result.Winner = 2 }, "not a player"},
		{"no reason", func(r *Record) { r.Result.Reason = game.NumReasons }, "not over"},
		{"end that was none", func(r *Record) { r.Result.Reason = game.Goal }, "not over"},
		{"score", func(r *Record) {
			g := game.New()
			for _, d := range r.Decisions {
				g.Play(d.Action)
			}
			r.Result = game.Result{Winner: g.ScoreWinner().Other(), Reason: game.TurnLimit}
		}, "by the score"},
		{"wrong winner", func(r *Record) { finished(r); r.Result.Winner ^= 1 }, "won by"},
		{"wrong reason", func(r *Record) { finished(r); r.Result.Reason = game.Resignation }, "won by"},
		{"goes on after the end", func(r *Record) {
			finished(r)
			r.Decisions = append(r.Decisions, Decision{Action: game.Pass})
		}, "not legal"},
		{"stops before the end", func(r *Record) {
			finished(r)
			r.Decisions = r.Decisions[:33]
			r.Turns = 0
		}, "not over"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := randomRecord(1, 60)
			tt.change(r)
			err := r.Validate()
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error is %v, want one about %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error has several lines: %v", err)
			}
		})
	}
}

func TestValidateScore(t *testing.T) {
	r := randomRecord(1, 150)
	g := game.New()
	for _, d := range r.Decisions {
		g.Play(d.Action)
	}
	r.Result = game.Result{Winner: g.ScoreWinner(), Reason: game.TurnLimit}
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
}

// goldenRecord is written out by hand so that it depends on nothing but the rules.
func goldenRecord() *Record {
	r := &Record{Run: "run", Game: 300, Seed: 1 << 63, Network: "net", Generation: 2, Settings: "s",
		Result: game.Result{Winner: game.Silver, Reason: game.Resignation}, Turns: 1}
	for range 2 {
		for _, k := range []game.Kind{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5} {
			r.Decisions = append(r.Decisions, Decision{Action: game.PlaceAction(k)})
		}
	}
	// The second rank holds C C D D H H M E: the elephant on h2 goes north, and that is the
	// turn.
	h2 := game.Square(15)
	r.Decisions = append(r.Decisions,
		Decision{Action: game.StepAction(h2, game.North), Full: true, Value: 0.5, Visits: []Visit{
			{game.StepAction(8, game.North), 3}, {game.StepAction(h2, game.North), 200}}},
		Decision{Action: game.Pass, Value: 0.25, Visits: []Visit{{game.StepAction(h2+8, game.West), 1}, {game.Pass, 2}}},
	)
	return r
}

// The hash is an identity that outlives the program that made it: if this fails,
// encodingVersion must change.
func TestHashGolden(t *testing.T) {
	r := goldenRecord()
	if err := r.Validate(); err != nil {
		t.Fatal(err)
	}
	want := []byte("warren record 1\n\x03run")
	want = binary.LittleEndian.AppendUint64(want, 300)
	want = binary.LittleEndian.AppendUint64(want, 1<<63)
	want = append(want, "\x03net\x02\x01s\x22"...)
	for i := range 32 {
		place := "\x81\x02" // 257
		if i%16 >= 8 {
			place = []string{"\x82\x02", "\x82\x02", "\x83\x02", "\x83\x02", "\x84\x02", "\x84\x02", "\x85\x02", "\x86\x02"}[i%8]
		}
		want = append(want, place+"\x00\x00\x00\x00\x00\x00"...)
	}
	want = append(want, "\x0f\x01\x00\x00\x00\x3f\x02\x08\x03\x07\xc8\x01"...)                 // a2 3 times, h2 200 times
	want = append(want, "\x80\x02\x00\x00\x00\x80\x3e\x02\xd7\x01\x01\x29\x02\x01\x07\x01"...) // 215 once, 256 twice; Silver, resignation, 1 turn
	if got, _ := r.AppendBinary(nil); !bytes.Equal(got, want) {
		t.Errorf("encoding is\n%q, want\n%q", got, want)
	}
	const golden = "bd97ac72fd8fb7d5bb84f65232e44acfa2bd5972e47b0d31e7bddb74084867f7"
	if got := r.Hash().String(); got != golden {
		t.Errorf("hash is %s, want %s", got, golden)
	}
}

// Every field is part of the identity.
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
	for name, change := range map[string]func(d *Decision){
		"Action": func(d *Decision) { d.Action++ },
		"Full":   func(d *Decision) { d.Full = !d.Full },
		"Value":  func(d *Decision) { d.Value = 0.75 },
		"Visits": func(d *Decision) { d.Visits = d.Visits[:1] },
		"visit":  func(d *Decision) { d.Visits[0].Action++ },
		"count":  func(d *Decision) { d.Visits[0].Count++ },
	} {
		r := goldenRecord()
		change(&r.Decisions[32])
		note("a decision's "+name, r)
	}
}

func TestSearchRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := Decision{Full: rapid.Bool().Draw(rt, "full"), Value: rapid.Float32Range(0, 1).Draw(rt, "value")}
		// In any order: encoding must not depend on what Validate asks for.
		for range rapid.IntRange(0, 30).Draw(rt, "n") {
			want.Visits = append(want.Visits, Visit{
				game.Action(rapid.Uint16().Draw(rt, "action")), rapid.Uint32().Draw(rt, "count")})
		}
		got := Decision{Visits: make([]Visit, 3)}
		decodeSearch(append(appendSearch(nil, &want), 0xff), &got)
		if len(want.Visits) == 0 && len(got.Visits) == 0 {
			got.Visits = nil
		}
		if !reflect.DeepEqual(got, want) {
			rt.Fatalf("%+v came back as %+v", want, got)
		}
	})
}
