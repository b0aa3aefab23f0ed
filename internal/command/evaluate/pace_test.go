package evaluate

import (
	"context"
	"fmt"
	"testing"
	"time"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/metrics"
	"warren/internal/plural"
)

// looking is a player that calls look before it acts.
type looking struct {
	arena.Player
	look func(g *game.Game)
}

type lookingSeat struct {
	arena.Seat
	look func(g *game.Game)
}

func (p looking) Sit(ctx context.Context, seed uint64) (arena.Seat, error) {
	seat, err := p.Player.Sit(ctx, seed)
	return lookingSeat{seat, p.look}, err
}

func (s lookingSeat) Act(ctx context.Context, g *game.Game) (game.Action, error) {
	s.look(g)
	return s.Seat.Act(ctx, g)
}

// A match says how it gets on in its first game, and from its second on when it ends, which is no shorter for a long game.
func TestPace(t *testing.T) {
	start := time.Now()
	for _, total := range []int{2, 0} {
		p := pace{total: total, start: start}
		of := ""
		if total > 0 {
			of = fmt.Sprint(" of ", total)
		}
		played, looks := 0, 0
		look := func(g *game.Game) {
			s := p.status(start.Add(time.Minute))
			looks++
			games := fmt.Sprintf("%d%s games", played, of)
			if played == 1 && total == 0 {
				games = "1 game"
			}
			if want := fmt.Sprintf("%s, 1 under way with %s", games, plural.Of(g.Turns(), "turn")); s.Title != want {
				t.Errorf("%q, want %q", s.Title, want)
			}
			left := time.Duration(0)
			if played > 0 && total > 0 { // at half of this game, as many turns as the first had
				left = time.Duration(float64(time.Minute) * (2/(1+min(float64(g.Turns())/5, 0.95)) - 1))
			}
			if s.Total != float64(total) || s.Left.Round(time.Millisecond) != left.Round(time.Millisecond) || s.Done >= 2 || (s.Done > 0) != (played > 0) {
				t.Errorf("in turn %d of game %d: %+v, want %v left", g.Turns(), played, s, left)
			}
		}
		_, err := arena.Play(t.Context(), arena.Config{Rules: arena.Rules{TurnLimit: 10}, Games: 2, Workers: 1, Meter: &p.meter},
			looking{arena.Random{}, look}, looking{arena.Random{}, look}, func(g *arena.Played) {
				played++
				g.Turns = 5
				p.add(g)
			})
		if s := p.status(start); err != nil || looks == 0 || s.Title != "2"+of+" games" || s.Left != 0 {
			t.Errorf("at the end: %v, after %d looks, %+v", err, looks, s)
		}
	}
}

// So does a tournament, and a forecast gets old until the next game ends.
func TestStatusOfTournament(t *testing.T) {
	var f flags
	meter := new(arena.Meter)
	first := f.status(arena.Progress{Total: 6}, time.Hour, meter)
	if first.Title != "0 of 6 games" || first.Total != 1 || first.Done != 0 || len(first.Values) > 0 {
		t.Errorf("before a game has ended: %+v", first)
	}
	f.Until = 40
	p := arena.Progress{Games: 2, Total: 6, Done: 0.25, Left: time.Minute, Turns: 50, Widest: 70}
	for since, left := range map[time.Duration]time.Duration{20 * time.Second: 40 * time.Second, time.Hour: 0} {
		s := f.status(p, since, meter)
		if s.Title != "2 of about 6 games" || s.Done != 0.25 || s.Left != left || len(s.Values) != 2 || s.Values[0] != (metrics.Value{Name: "turns/game", Value: 25}) {
			t.Errorf("%v after the game: %+v", since, s)
		}
	}
	f = flags{Sprt: "0,10"}
	if s := f.status(p, time.Second, meter); s.Title != "2 games" || s.Done != 0 || s.Total != 0 || s.Left != 0 || len(s.Values) != 1 {
		t.Errorf("a test: %+v", s)
	}
}
