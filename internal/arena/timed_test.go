package arena

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"warren/game"
	"warren/internal/eval"
	"warren/internal/think"
)

// A player with a clock plays whole games, on several threads. Its setups are those that it draws without a clock.
func TestTimedSearch(t *testing.T) {
	p := searcher("clock", 8)
	p.Time, p.Threads = time.Millisecond, 2
	tally, games := play(t, Rules{Seed: 1, TurnLimit: 60}, 4, p, Random{})
	if tally.Games() != 4 || games[0].Turns == 0 {
		t.Errorf("%+v", tally)
	}
	if got, want := setupsOf(t, p, 3), setupsOf(t, searcher("visits", 8), 3); !slices.Equal(got, want) {
		t.Errorf("its setups are %v, without a clock %v", got, want)
	}
}

// slowly returns a player with a second for a turn, whose batches take some time of a bubble's clock.
func slowly(batch time.Duration) *Searcher {
	p := searcher("clock", 8)
	p.Time, p.Threads = time.Second, 1
	p.Backend = eval.Func(func(size int) (func(*eval.Batch) error, error) {
		evaluate, err := even(size)
		return func(b *eval.Batch) error {
			time.Sleep(batch)
			return evaluate(b)
		}, err
	})
	return p
}

// A turn takes the time that the player has for it, however few visits it would have without one.
func TestTimedSearchGoesByTheClock(t *testing.T) {
	board, side, err := game.ParsePosition("g [rrrcrrrr  d    rh cdh m   e             EH  M HD  CDC  RRRRRRRR ]")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		seat, err := slowly(5*time.Millisecond).Sit(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		if _, err := seat.Act(t.Context(), game.FromBoard(board, side)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took < 500*time.Millisecond || took > 1100*time.Millisecond {
			t.Errorf("a turn of a second took %v", took)
		}
		if err := seat.(io.Closer).Close(); err != nil {
			t.Error(err)
		}
	})
}

// A turn takes at most half of the time until its context has an end.
func TestTimedSearchEndsBeforeADeadline(t *testing.T) {
	board, side, err := game.ParsePosition("g [rrrcrrrr  d    rh cdh m   e             EH  M HD  CDC  RRRRRRRR ]")
	if err != nil {
		t.Fatal(err)
	}
	for left, most := range map[time.Duration]time.Duration{
		time.Second: 550 * time.Millisecond, 100 * time.Millisecond: 70 * time.Millisecond, time.Hour: 1100 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			seat, err := slowly(5*time.Millisecond).Sit(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			defer seat.(io.Closer).Close()
			ctx, cancel := context.WithTimeout(t.Context(), left)
			defer cancel()
			begin := time.Now()
			_, err = seat.Act(ctx, game.FromBoard(board, side))
			if took := time.Since(begin); err != nil || took < most/2 || took > most {
				t.Errorf("%v before the end, a turn of up to a second took %v, want at most %v; %v", left, took, most, err)
			}
		})
	}
}

// What a player with a clock has searched of the opponent's turn is known when it moves again.
func TestTimedSearchKeepsItsTree(t *testing.T) {
	board, side, err := game.ParsePosition("g [e           r                                      R          E ]")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		seat, err := slowly(time.Millisecond).Sit(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		defer seat.(io.Closer).Close()
		g := game.FromBoard(board, side)
		for g.Side() == side {
			a, err := seat.Act(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			g.Play(a)
		}
		for _, a := range []game.Action{g.Legal(nil)[0], game.Pass} {
			g.Play(a)
		}
		_, moves, err := seat.(*timedSeat).engine.Analyse(t.Context(), g, think.Limits{Visits: 1})
		visits := 0
		for _, m := range moves {
			visits += m.Visits
		}
		if err != nil || visits == 0 {
			t.Errorf("after the opponent's turn the tree has %d visits, %v", visits, err)
		}
	})
}

// A player with a clock wins at once where it can, without asking its network.
func TestTimedSearchWinsAtOnce(t *testing.T) {
	board, side, err := game.ParsePosition("g [ e      r   R                                          E        ]")
	if err != nil {
		t.Fatal(err)
	}
	p := searcher("clock", 8)
	p.Time = time.Hour
	p.Backend = eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(*eval.Batch) error { return errors.New("the network is asked") }, nil
	})
	seat, err := p.Sit(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer seat.(io.Closer).Close()
	g := game.FromBoard(board, side)
	for !g.Result().Over() {
		a, err := seat.Act(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(a)
	}
	if g.Result() != (game.Result{Winner: game.Gold, Reason: game.Goal}) {
		t.Errorf("the game ends with %v", g.Result())
	}
}

// The more threads a seat has, the larger its tree may be, up to what a machine may well have.
func TestTimedSearchHasItsMemory(t *testing.T) {
	for threads, want := range map[int]int64{1: 1 << 30, 3: 3 << 30, 4: 4 << 30, 64: 4 << 30} {
		if got := timedMemory(threads); got != want {
			t.Errorf("%d threads: a tree of up to %d bytes, want %d", threads, got, want)
		}
	}
}

// A seat has a stream for each thread, and one thread if it is not said.
func TestTimedSearchHasItsThreads(t *testing.T) {
	for threads, want := range map[int]int{0: 1, 1: 1, 3: 3} {
		p, opened := searcher("clock", 8), 0
		p.Time, p.Threads = time.Second, threads
		p.Backend = eval.Func(func(batch int) (func(*eval.Batch) error, error) {
			opened++
			return even(batch)
		})
		seat, err := p.Sit(t.Context(), 1)
		if err != nil {
			t.Fatalf("%d threads: %v", threads, err)
		}
		if opened != want {
			t.Errorf("%d threads: %d streams are open", threads, opened)
		}
		if err := seat.(io.Closer).Close(); err != nil {
			t.Error(err)
		}
	}
}

// The error of a device says which player had it, and when.
func TestDeviceThatFails(t *testing.T) {
	cause := errors.New("the device is gone")
	begun := game.New()
	for _, a := range (RandomSetups{}).Opening(0, 1) {
		begun.Play(a)
	}
	for _, c := range []struct {
		time time.Duration
		from *game.Game
		want string
	}{
		{0, game.New(), "me choosing a setup: "}, {time.Second, game.New(), "me choosing a setup: "},
		{0, begun, "me choosing a step: "}, {time.Second, begun, "me choosing a turn: "},
	} {
		p := searcher("me", 8)
		p.Time = c.time
		p.Backend = eval.Func(func(int) (func(*eval.Batch) error, error) { return func(*eval.Batch) error { return cause }, nil })
		if _, err := Turn(t.Context(), p, c.from, 1); !errors.Is(err, cause) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("after %d turns with the time %v: %v, want %s", c.from.Turns(), c.time, err, c.want)
		}
	}
}

// A clock makes another player, whose games depend on more than the seed.
func TestTimedNames(t *testing.T) {
	n := names()
	timed, err := n.Parse("a.safetensors,time=2s")
	if err != nil {
		t.Fatal(err)
	}
	threads, _ := n.Parse("a.safetensors,time=2s,threads=2")
	visits, _ := n.Parse("a.safetensors")
	if timed.Identity == visits.Identity || timed.Identity == threads.Identity {
		t.Errorf("identities %q, %q, %q", timed.Identity, threads.Identity, visits.Identity)
	}
	if _, ok := timed.Portable(); ok {
		t.Error("a player with a clock is portable")
	}
}
