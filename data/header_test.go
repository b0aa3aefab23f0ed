package data

import (
	"testing"

	"warren/game"
)

// Headers say of every record what the record says.
func TestHeaders(t *testing.T) {
	records := randomRecords(7, rowBatch+3, 60)
	records[5].Result = game.Result{}
	s, err := OpenShard(writeShard(t, t.TempDir(), records))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for h, err := range s.Headers() {
		r := records[n]
		if want := (Header{r.Game, r.Generation, r.Opening, r.Result, r.Turns}); err != nil || h != want {
			t.Errorf("game %d: %+v, %v, want %+v", n, h, err, want)
		}
		n++
	}
	if n != len(records) {
		t.Errorf("%d headers of %d records", n, len(records))
	}
}
