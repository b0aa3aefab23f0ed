package arena

import (
	"context"
	"slices"
	"testing"
	"time"

	"warren/game"
)

// metered is a random player that checks the meter before it acts.
type metered struct {
	Random
	act func(g *game.Game)
}

type meteredSeat struct {
	Seat
	act func(g *game.Game)
}

func (p metered) Sit(ctx context.Context, seed uint64) (Seat, error) {
	seat, err := p.Random.Sit(ctx, seed)
	return meteredSeat{seat, p.act}, err
}

func (s meteredSeat) Act(ctx context.Context, g *game.Game) (game.Action, error) {
	s.act(g)
	return s.Seat.Act(ctx, g)
}

// The meter of a tournament says what is under way: of one worker, the game that is being played. Games that are
// over, or that a forfeit ended, count no more.
func TestMeter(t *testing.T) {
	c := rules(4)
	c.Workers, c.Meter = 1, new(Meter)
	acts := 0
	act := func(g *game.Game) {
		acts++
		if games, turns := c.Meter.Playing(); games != 1 || turns != g.Turns() {
			t.Errorf("%d games with %d turns are under way, want 1 with %d", games, turns, g.Turns())
		}
	}
	players := append(field(0.5), &Entrant{Player: metered{act: act}, Identity: "metered"})
	hold(t, "", c, players, -1)
	if games, turns := c.Meter.Playing(); acts == 0 || games != 0 || turns != 0 {
		t.Errorf("after %d acts, %d games with %d turns are under way", acts, games, turns)
	}
}

// A tournament that is continued says how far it was before another game ends.
func TestProgressOfResumed(t *testing.T) {
	dir, c := t.TempDir(), rules(4)
	var clock time.Duration // of the one worker: every game takes a second
	c.Workers, c.Now = 1, func() time.Time { clock += time.Second; return frozen.Add(clock) }
	entrants := field(0.9, 0.1)
	slices.Reverse(entrants) // the one that sorts last is the first
	hold(t, dir, c, entrants, 3)
	tournament, err := NewTournament(dir, c, entrants)
	if err != nil {
		t.Fatal(err)
	}
	defer tournament.Close()
	if p := tournament.Progress(); p.Entrants != 2 || p.Games != 3 || p.Total != 4 || p.Turns == 0 || p.Done != 0.75 {
		t.Errorf("%+v", p)
	}
	if err := tournament.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	standings, err := tournament.Standings()
	if err != nil {
		t.Fatal(err)
	}
	score := standings.Between(entrants[0].Name(), entrants[1].Name())
	if p := tournament.Progress(); p.Games != 4 || p.Done != 1 || p.Won != score.Wins || p.Lost != score.Losses || p.Won >= p.Lost {
		t.Errorf("after the last game: %+v, and %v", p, score)
	}
}

// All workers share the time that is left.
func TestTimeLeft(t *testing.T) {
	left := map[int]time.Duration{}
	for _, workers := range []int{1, 4} {
		c := rules(8)
		c.Workers = workers
		tournament, err := NewTournament("", c, field(0.5, 0.5, 0.5))
		if err != nil {
			t.Fatal(err)
		}
		p := tournament.Progress()
		if left[workers] = p.Left; p.Entrants != 3 {
			t.Errorf("%+v", p)
		}
		tournament.Close()
	}
	if left[1] == 0 || left[1] != 4*left[4] {
		t.Errorf("the times left by number of workers are %v", left)
	}
}
