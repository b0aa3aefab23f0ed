package train

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"warren/internal/arena"
)

// Whatever the record of a match is, it is damaged, or is read again as it was written and gives its
// players finite ratings.
func FuzzMatchRecord(f *testing.F) {
	paths, err := filepath.Glob("testdata/matches-1/gen-*.json")
	if err != nil || len(paths) == 0 {
		f.Fatalf("%d records, %v", len(paths), err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add([]byte(`{"player":"gen-00001","opponent":"gen-00000","score":{"wins":-3,"losses":7}}`))
	f.Add([]byte(`{"player":"gen-00000","opponent":"gen-00000","score":{"wins":3,"losses":7}}`))
	f.Add([]byte(`{"player":"gen-00001","opponent":"random","score":{"wins":9223372036854775807,"losses":1}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		m, err := parseMatch(content)
		if err != nil {
			return
		}
		written, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := parseMatch(written); err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("%+v is read again as %+v, %v", m, again, err)
		}
		low, high := m.Score.Interval()
		if p := m.Score.Rate(); !(p >= 0 && p <= 1 && low-1e-9 <= p && p <= high+1e-9) {
			t.Errorf("%+v: a share of %g was won, and the interval is %g to %g", m, p, low, high)
		}
		pairings := []arena.Pairing{{Player: m.Player, Opponent: m.Opponent, Tally: m.Score}, {Player: m.Player, Opponent: "another"}}
		standings, err := arena.Rate(pairings, m.Opponent)
		if err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		if p := standings.Player(m.Player); math.IsNaN(p.Elo) || math.IsInf(p.Elo, 0) || p.Games != m.Score.Games() {
			t.Errorf("%+v has a rating of %g after %d games", m, p.Elo, p.Games)
		}
	})
}
