package arena

import (
	"io"
	"testing"

	"warren/game"
	"warren/internal/eval"
)

// The level falls where the network expects to win and rises where it expects to lose, and never leaves the
// levels that play alike on every machine.
func TestAdapted(t *testing.T) {
	levels := Levels()
	for _, c := range []struct {
		level  Level
		chance float32
		want   int
	}{
		{Adapting(), 0.6, adaptFirst}, {Adapting(), 0.4, adaptFirst + 1},
		{levels[3], 0.5, 4}, {levels[3], 0.75, 4}, {levels[3], 0.76, 3}, {levels[3], 0.95, 2},
		{levels[3], 0.49, 5}, {levels[3], 0.29, 6},
		{levels[0], 1, 1}, {levels[1], 1, 1}, {levels[9], 0, 10}, {levels[8], 0, 10},
	} {
		if got := c.level.Adapted(c.chance); got != levels[c.want-1] {
			t.Errorf("with a chance of %v after %+v: %+v, want level %d", c.chance, c.level, got, c.want)
		}
	}
	for _, l := range levels[:adaptLast] {
		if l.Time != 0 {
			t.Errorf("level %d depends on the machine", l.Number)
		}
	}
	if l, err := ParseLevel("adapt"); err != nil || l != Adapting() || l.ID() != "adapt" {
		t.Errorf("adapt is %+v, %v", l, err)
	}
}

// A network that adapts plays as the network at the level that it has, and looks for another one before
// each of its turns only. The uniform evaluator says one half, so nothing changes its first level.
func TestAdaptingSeat(t *testing.T) {
	at := func(l Level) Seat {
		t.Helper()
		seat, err := (&Searcher{SearchSettings: l.Over(DefaultSearch()), Backend: eval.Uniform{}}).Sit(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		return seat
	}
	adapting, fixed := at(Adapting()), at(Levels()[adaptFirst-1])
	defer adapting.(io.Closer).Close()
	defer fixed.(io.Closer).Close()
	play := func(g *game.Game, side game.Color) {
		t.Helper()
		for g.Side() == side {
			a, err := adapting.Act(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := fixed.Act(t.Context(), g); err != nil || a != b {
				t.Fatalf("%d where level %d plays %d, %v", a, adaptFirst, b, err)
			}
			g.Play(a)
		}
	}
	g := game.New()
	play(g, game.Gold)
	play(g, game.Silver)
	play(g, game.Gold)
	if l := adapting.(interface{ Level() Level }).Level(); l.Number != adaptFirst {
		t.Errorf("it plays at %+v", l)
	}
}

// opened counts the streams that are open.
type opened struct {
	eval.Backend
	streams int
}

func (o *opened) Open(batch int) (eval.Stream, error) {
	s, err := o.Backend.Open(batch)
	o.streams++
	return &openedStream{s, o}, err
}

type openedStream struct {
	eval.Stream
	of *opened
}

func (s *openedStream) Close() error {
	s.of.streams--
	return s.Stream.Close()
}

// A network that expects to win plays at a lower level, and one that expects to lose at a higher one. The seat of the
// level before is closed.
func TestAdaptingSeatChangesItsLevel(t *testing.T) {
	g := game.New()
	for _, a := range (RandomSetups{}).Opening(0, 1) {
		g.Play(a)
	}
	for chance, want := range map[float32]int{0.8: adaptFirst - 1, 0.4: adaptFirst + 1} {
		network := &opened{Backend: eval.Func(func(batch int) (func(*eval.Batch) error, error) {
			evaluate, err := even(batch)
			return func(b *eval.Batch) error {
				err := evaluate(b)
				for i := range b.Len() {
					b.SetValue(i, chance)
				}
				return err
			}, err
		})}
		seat, err := (&Searcher{SearchSettings: Adapting().Over(DefaultSearch()), Backend: network}).Sit(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // a turn that is asked for again has the level that was chosen for it
			if _, err := seat.Act(t.Context(), g); err != nil {
				t.Fatal(err)
			}
		}
		if l := seat.(*adapting).Level(); l.Number != want {
			t.Errorf("with a chance of %v it plays at level %d, want %d", chance, l.Number, want)
		}
		if err := seat.(io.Closer).Close(); err != nil || network.streams != 0 {
			t.Errorf("%d streams are open, %v", network.streams, err)
		}
	}
}
