package hub

import (
	"log/slog"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"warren/game"
	"warren/internal/arena"
	"warren/internal/eval"
	"warren/internal/nettest"
)

// saved returns a network of random weights that is in a file, as those of a run are.
func saved(t *testing.T, seed uint64) *eval.Network {
	t.Helper()
	path := nettest.Save(t, filepath.Join(t.TempDir(), "net.safetensors"), nettest.New(t, nettest.Small, seed), map[string]string{"generation": "1"})
	opened, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// tournament plays a small tournament of two networks and a baseline and returns what each pairing
// came to.
func tournament(t *testing.T, change func(*arena.TournamentConfig)) []arena.Tally {
	t.Helper()
	search := arena.DefaultSearch()
	search.Visits, search.Temperature, search.TemperatureTurns = 4, 1, 4
	greedy, err := (&arena.Names{}).Parse("greedy")
	if err != nil {
		t.Fatal(err)
	}
	entrants := []*arena.Entrant{arena.Seated(saved(t, 1), "one", search), arena.Seated(saved(t, 2), "two", search), greedy}
	config := arena.TournamentConfig{Rules: arena.Rules{Seed: 3, TurnLimit: 6}, Games: 2, Workers: 6}
	change(&config)
	x, err := arena.NewTournament("", config, entrants)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	standings, err := x.Standings()
	if err != nil {
		t.Fatal(err)
	}
	return []arena.Tally{standings.Between("one", "two"), standings.Between("one", "greedy"), standings.Between("two", "greedy")}
}

// The games of a match have the same results when workers play them, all of them or some.
func TestWorkersPlayMatches(t *testing.T) {
	here := tournament(t, func(*arena.TournamentConfig) {})
	for name, seats := range map[string]int{"workers only": 0, "workers and the hub": 1} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, testJob(), func(o *Options) { o.Sample = float64(seats) })
			s.store.room = 20 // so that the worker's time goes to the matches
			s.matches.seats = make(chan struct{}, seats)
			stop := play(t, s.dial(t, "a", ""))
			if there := tournament(t, func(c *arena.TournamentConfig) { c.Play = s.PlayMatch }); !reflect.DeepEqual(there, here) {
				t.Errorf("the results are %v, want %v", there, here)
			}
			if x := s.activity("a"); x.refused() > 0 {
				t.Errorf("%+v", x)
			}
			stop()
		})
	}
}

// A worker that invents the games of a match is found out, and the results are those of the games
// played honestly.
func TestInventedMatchesAreFoundOut(t *testing.T) {
	here := tournament(t, func(*arena.TournamentConfig) {})
	s := newSite(t, testJob(), func(o *Options) { o.Sample = 1 })
	h := s.hostile(t, "hostile")
	s.matches.seats = make(chan struct{}, 1)
	s.matches.seats <- struct{}{} // the hub itself does not play yet
	ended := make(chan []arena.Tally, 1)
	go func() { ended <- tournament(t, func(c *arena.TournamentConfig) { c.Play = s.PlayMatch }) }()
	var given []*matchGame
	s.await(t, func() bool {
		given = append(given, h.ask(t, request{Seats: 2 - len(given)}).Match...)
		return len(given) == 2
	})
	random, err := (&arena.Names{}).Parse("random")
	if err != nil {
		t.Fatal(err)
	}
	path := saved(t, 1).Attributes().Path
	for i, g := range given {
		f := arena.Fixture{A: random, B: random, Number: g.Number, Seed: g.Seed, Opening: g.Opening, TurnLimit: g.TurnLimit}
		played, err := f.Play(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r := &matchResult{ID: g.ID, Actions: played.Actions}
		for j := range r.Paths {
			if g.Players[j].Network != "" {
				r.Paths[j] = path
			}
		}
		if i == 0 {
			r.Actions = append(r.Actions, 7) // after the end
		}
		h.ask(t, request{Result: r})
	}
	h.ask(t, request{Result: &matchResult{ID: 1}}) // nobody asked for that
	if x := s.activity("hostile"); x.Refused["match against the rules"] != 1 {
		t.Errorf("%+v", x)
	}
	<-s.matches.seats
	if there := <-ended; !reflect.DeepEqual(there, here) {
		t.Errorf("the results are %v, want %v", there, here)
	}
	s.removed(t, "of a match between")
}

// atRandom plays a match's game of two random players to the turn limit.
func atRandom(t *testing.T, turns int) (*arena.Fixture, *arena.Played) {
	t.Helper()
	random, err := (&arena.Names{}).Parse("random")
	if err != nil {
		t.Fatal(err)
	}
	fixture := &arena.Fixture{A: random, B: random, Seed: 1, TurnLimit: turns}
	played, err := fixture.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fixture, played
}

// A game that is being replayed does not count because its worker sends the result again.
func TestResultSentTwiceIsReplayed(t *testing.T) {
	s := newSite(t, testJob(), func(o *Options) { o.Sample = 1 })
	s.matches.seats = nil // the replay never gets to begin
	s.add(t, "hostile")
	w := s.workers.of(s.workerAccountOf(t, "hostile"))
	fixture, played := atRandom(t, 6)
	g := &openGame{fixture: fixture, message: &matchGame{ID: 5}, account: w.Account, done: make(chan struct{})}
	s.matches.open = []*openGame{g}
	for _, s.o.Sample = range []float64{1, 0} {
		s.matches.result(t.Context(), w, &matchResult{ID: 5, Actions: played.Actions})
	}
	select {
	case <-g.done:
		t.Error("the game counts")
	default:
	}
}

// What counts of a game that a worker has invented is the game as it is replayed.
func TestInventedGameCountsAsReplayed(t *testing.T) {
	s := newSite(t, testJob(), func(o *Options) { o.Sample = 1 })
	s.add(t, "hostile")
	w := s.workers.of(s.workerAccountOf(t, "hostile"))
	fixture, honest := atRandom(t, 6)
	other := *fixture
	other.Seed++
	invented, err := other.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g := &openGame{fixture: fixture, message: &matchGame{ID: 5}, account: w.Account, done: make(chan struct{})}
	s.matches.open = []*openGame{g}
	s.matches.result(t.Context(), w, &matchResult{ID: 5, Actions: invented.Actions})
	select {
	case <-g.done:
	case <-time.After(longest):
		t.Fatal("the game does not end")
	}
	if !slices.Equal(g.played.Actions, honest.Actions) {
		t.Error("the invented game counts")
	}
}

// A result counts only from the worker to which the game was given.
func TestResultOfAnothersGame(t *testing.T) {
	s := newSite(t, testJob(), nil)
	s.add(t, "one")
	s.add(t, "other")
	fixture, played := atRandom(t, 6)
	g := &openGame{fixture: fixture, message: &matchGame{ID: 5}, account: s.workerAccountOf(t, "one"), done: make(chan struct{})}
	s.matches.open = []*openGame{g}
	counts := func(name string) bool {
		s.matches.result(t.Context(), s.workers.of(s.workerAccountOf(t, name)), &matchResult{ID: 5, Actions: played.Actions})
		select {
		case <-g.done:
			return true
		default:
			return false
		}
	}
	if counts("other") {
		t.Error("the result of another worker counts")
	}
	if !counts("one") {
		t.Error("the worker's own result does not count")
	}
}

// A game that a worker cannot play, or plays against the rules, is not given to workers again. This process plays it before
// one that another worker plays.
func TestGameOfAMatchThatFailed(t *testing.T) {
	for _, r := range []matchResult{{Failed: "no"}, {Actions: []game.Action{7, 7}}} {
		o := Options{Log: slog.New(slog.DiscardHandler)}
		m := newMatches(&Hub{o: o, workers: newWorkers(&o)})
		m.open = []*openGame{{fixture: &arena.Fixture{TurnLimit: 6}, message: &matchGame{ID: 3}, done: make(chan struct{})}, {message: &matchGame{ID: 4}, account: "c"}}
		silent := func(account string) bool { return account != "c" }
		if given := m.give("a", 2, silent); len(given) != 1 {
			t.Fatalf("%d games are given", len(given))
		}
		r.ID = 3
		m.result(t.Context(), &worker{Credential: &Credential{Account: "a"}}, &r)
		if given := m.give("b", 2, silent); len(given) != 0 {
			t.Errorf("after %+v the game is given again", r)
		}
		if g := m.next(); g != m.open[0] {
			t.Errorf("after %+v nobody plays the game", r)
		}
	}
}

// A match has as many games at once as the hub and its workers can play, however many a worker claims.
func TestMatchSeats(t *testing.T) {
	s := newSite(t, testJob(), nil)
	h, boaster := s.hostile(t, "worker"), s.hostile(t, "boaster")
	here := s.MatchSeats()
	if here != cap(s.matches.seats) {
		t.Errorf("%d seats without a worker, want %d", here, cap(s.matches.seats))
	}
	for _, c := range []struct {
		h     *hostile
		seats int
		want  int
	}{{h, 0, 1}, {h, 8, 8}, {h, 3, 8}, {boaster, math.MaxInt, 8 + mostSeats}} {
		c.h.ask(t, request{Seats: c.seats})
		if n := s.MatchSeats() - here; n != c.want {
			t.Errorf("after %d seats of %s there are %d more, want %d", c.seats, c.h.name, n, c.want)
		}
	}
}
