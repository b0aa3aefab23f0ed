package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"warren/game"
	"warren/game/clock"
	"warren/internal/arena"
	"warren/internal/arena/aei"
	"warren/internal/think"
)

// At a weak level the engine plays as a network does in matches at that level, from the
// setup on, whatever else is set, and whether or not it may ponder.
func TestLevelPlaysAsInMatches(t *testing.T) {
	for _, level := range append(arena.Levels(), arena.Adapting()) {
		if !weak(level) {
			continue
		}
		f := defaults(checkpoint(t))
		f.Visits, f.Threads, f.Batch = 3, 2, 8
		e, _, err := f.engine()
		if err != nil {
			t.Fatal(err)
		}
		player := &arena.Searcher{SearchSettings: level.Over(arena.SearchSettings{Setups: arena.WholeSetups, Search: e.config.Search}), Backend: e.config.Backend}
		c := newController(t, e, aei.ID{Name: "x"})
		c.send("aei", fmt.Sprintf("setoption name level value %s", level.ID()), "newgame")
		g := game.New()
		for turn := range uint64(4) {
			seat, err := player.Sit(t.Context(), turn)
			if err != nil {
				t.Fatal(err)
			}
			e.rng = rand.New(rand.NewPCG(turn, 1)) // as the seat's
			before, side := g.Clone(), g.Side()
			var want []game.Action
			for side == g.Side() && !g.Result().Over() {
				a, err := seat.Act(t.Context(), g)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, a)
				g.Play(a)
			}
			if before.Turns() > 0 {
				c.send("go ponder", "stop")
			} else {
				c.send("go")
			}
			if text := game.FormatTurn(before, want); c.until("bestmove ") != text {
				t.Fatalf("level %s: turn %s: it played %q, want %s", level.ID(), before.TurnLabel(), c.seen[len(c.seen)-1], text)
			}
			e.thinker.Forget() // which has just searched for the other side
			c.send("makemove " + game.FormatTurn(before, want))
		}
		c.send("quit")
	}
}

// The time of a level is kept unless there is less; its setups are drawn.
func TestLimitsOfLevels(t *testing.T) {
	f := defaults(checkpoint(t))
	level := arena.Levels()[len(arena.Levels())-1]
	f.Level = level.ID()
	e, _, err := f.engine()
	if err != nil {
		t.Fatal(err)
	}
	middle := game.FromBoard(game.Board{}, game.Gold)
	task := aei.Task{Game: game.New(), Clock: clock.New(clock.Unlimited())}
	if l, at, err := e.prepare(task); err != nil || at != level || e.draw(at, task.Game).Temperature != 1 {
		t.Errorf("in the setup: %+v at %+v, %v", l, at, err)
	}
	if d := e.draw(level, middle); d != (think.Draw{}) {
		t.Errorf("turns are drawn by %+v", d)
	}
	for most, want := range map[time.Duration]time.Duration{0: level.Time, time.Second: time.Second, time.Hour: level.Time} {
		if l := limited(think.Limits{Time: most, Visits: 3, Depth: 2}, level); l.Time != want || l.Visits != 0 || l.Depth != 0 {
			t.Errorf("with %v for the turn: %+v", most, l)
		}
	}
	thinker := e.thinker
	if err := e.SetOption("level", "0"); err != nil {
		t.Fatal(err)
	}
	if l, at, err := e.prepare(task); err != nil || at.Number != 0 || l.Time != f.Time || e.draw(at, middle) != (think.Draw{}) || e.draw(at, task.Game).Temperature != 1 {
		t.Errorf("without a level: %+v at %+v, %v", l, at, err)
	}
	if e.thinker == thinker {
		t.Error("it thinks as before the level changed")
	}
	for _, l := range arena.Levels() {
		if c := configured(think.Config{Keep: true, Tactics: true}, l); c.Tactics != l.Tactics || c.Keep != (l.Time > 0) {
			t.Errorf("level %d tests its steps: %v; keeps its tree: %v", l.Number, c.Tactics, c.Keep)
		}
	}
}

// A game in which the engine adapts begins with the tests by the rules, also after a game that ended at a level without.
func TestAdaptingBeginsAnew(t *testing.T) {
	f := defaults(checkpoint(t))
	f.Level = arena.Adapting().ID()
	e, _, err := f.engine()
	if err != nil {
		t.Fatal(err)
	}
	setup := aei.Task{Game: game.New(), Clock: clock.New(clock.Unlimited())}
	if _, _, err := e.prepare(setup); err != nil {
		t.Fatal(err)
	}
	e.level, e.changed = arena.Levels()[0], true // as adapt leaves it in a game that the engine wins
	if _, _, err := e.prepare(aei.Task{Game: game.New(), Clock: setup.Clock, Ponder: true}); err != nil {
		t.Fatal(err)
	}
	without := e.thinker
	if _, level, err := e.prepare(setup); err != nil || level != arena.Adapting() || e.thinker == without {
		t.Errorf("at %+v, %v; it thinks as before: %v", level, err, e.thinker == without)
	}
}

// A controller may set every position of a game anew, or begin with one from its middle.
func TestAdaptingInAGame(t *testing.T) {
	f := defaults(checkpoint(t))
	f.Level = arena.Adapting().ID()
	e, _, err := f.engine()
	if err != nil {
		t.Fatal(err)
	}
	var rabbits game.Board
	rabbits.Put(16, game.Gold, game.Rabbit)
	rabbits.Put(47, game.Silver, game.Rabbit)
	task := aei.Task{Game: game.FromBoard(rabbits, game.Gold), Clock: clock.New(clock.Unlimited()), Begun: time.Unix(1, 0)}
	if _, _, err := e.prepare(task); err != nil {
		t.Fatal(err)
	}
	chance, err := e.thinker.Evaluate(task.Game)
	if err != nil {
		t.Fatal(err)
	}
	last := arena.Levels()[8]
	e.level = last
	if _, level, err := e.prepare(task); err != nil || level != last.Adapted(chance) {
		t.Errorf("later in the game, at %s: %v, %v", last.ID(), level.ID(), err)
	}
	e.level = last
	task.Begun = time.Unix(2, 0)
	if _, level, err := e.prepare(task); err != nil || level != arena.Adapting().Adapted(chance) {
		t.Errorf("in a new game: %v, %v", level.ID(), err)
	}
}
