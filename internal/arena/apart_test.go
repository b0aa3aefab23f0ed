package arena

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"
)

// A tournament ends although one player loses every game, and says between whom it
// could not narrow the distance.
func TestUntilEndsWhereNothingNarrows(t *testing.T) {
	c := rules(0)
	c.Until, c.Workers = 80, 1
	games := 0
	tournament, err := NewTournament("", c, field(1, 1, 0))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = tournament.Run(ctx, func(p Progress) {
		if games = p.Games; games == 2000 {
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := tournament.Standings()
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]string{{"p0", "p1"}, {"p2"}}; !reflect.DeepEqual(s.Apart, want) || s.Widest < 100 {
		t.Errorf("after %d games apart are %v, +-%v", games, s.Apart, s.Widest)
	}
	if equals := s.Between("p0", "p1"); equals.Games() < 10 {
		t.Errorf("two equal players have played %d games", equals.Games())
	}
	var table bytes.Buffer
	if err := s.WriteTable(&table); err != nil || !strings.Contains(table.String(), "would help:\n      p0, p1\n      p2\n") {
		t.Errorf("%v:\n%s", err, table.String())
	}
	if s := hold(t, "", c, field(1, 1), -1); s.Apart != nil {
		t.Errorf("two equal players are apart: %v", s.Apart)
	}
}
