package arena

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"warren/game"
	"warren/internal/eval"
	"warren/mcts"
)

// even is an evaluator without knowledge, and without a preference for the
// order of the actions.
func even(int) (func(*eval.Batch) error, error) {
	return func(b *eval.Batch) error {
		for i := range b.Len() {
			key, priors := b.Position(i).EvalKey(), b.Priors(i)
			sum := float32(0)
			for j, a := range b.Legal(i) {
				priors[j] = 1 + float32(key>>(a%48)&15)/16
				sum += priors[j]
			}
			for j := range priors {
				priors[j] /= sum
			}
			b.SetValue(i, 0.5)
		}
		return nil
	}, nil
}

func searcher(label string, visits int) *Searcher {
	return &Searcher{
		Label:          label,
		SearchSettings: SearchSettings{Search: mcts.AlphaZeroConfig(), Visits: visits, Temperature: 1, TemperatureTurns: 4},
		Backend:        eval.Func(even),
	}
}

// play returns games of a against b and their score.
func play(t *testing.T, r Rules, most int, a, b Player) (tally Tally, games []*Played) {
	t.Helper()
	known := known{}
	for number := range most {
		f := r.fixture(&Entrant{Player: a}, &Entrant{Player: b}, number)
		g, err := f.Play(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tally.add(g, known.add(traceOf(g, moveList(g.Actions))))
		games = append(games, g)
	}
	return tally, games
}

func TestSearchBeatsRandom(t *testing.T) {
	tally, games := play(t, Rules{Seed: 1, TurnLimit: 200}, 20, searcher("a", 200), Random{})
	if tally.Wins < 16 {
		t.Errorf("a search of 200 visits against random: %v", tally)
	}
	gold := 0
	for i, g := range games {
		if g.Gold != (i%2 == 0) {
			t.Errorf("game %d: Gold is %t", i, g.Gold)
		}
		if g.Gold {
			gold++
		}
		replay := game.New()
		for _, a := range g.Actions {
			replay.Play(a)
		}
		if g.Result.Reason != game.TurnLimit && replay.Result() != g.Result {
			t.Errorf("game %d ended by %v, its actions by %v", i, g.Result, replay.Result())
		}
	}
	if gold != 10 || tally.Games() != 20 || tally.GoldWins+tally.GoldLosses != 10 {
		t.Errorf("%d games with Gold, %+v", gold, tally)
	}
}

// The temperature lasts for the first turns, and then the random numbers do not matter.
func TestTemperatureTurns(t *testing.T) {
	p := searcher("a", 30)
	p.Temperature, p.TemperatureTurns = 5, 4
	for turns, varied := range map[int]bool{3: true, 4: false} {
		g, rng, played := game.New(), rand.New(rand.NewPCG(1, 1)), map[game.Action]bool{}
		for g.InSetup() || g.Turns() < turns {
			legal := g.Legal(nil)
			g.Play(legal[rng.IntN(len(legal))])
		}
		for seed := range uint64(20) {
			seat, err := p.sitByVisits(rand.New(rand.NewPCG(seed, 1)))
			if err != nil {
				t.Fatal(err)
			}
			a, err := seat.Act(t.Context(), g)
			if err := errors.Join(err, seat.Close()); err != nil {
				t.Fatal(err)
			}
			played[a] = true
		}
		if (len(played) > 1) != varied {
			t.Errorf("after %d turns %d actions are played", turns, len(played))
		}
	}
}

// A game more than whole pairs is played with its second.
func TestWholePairs(t *testing.T) {
	if s := hold(t, "", rules(3), field(0.9, 0.6), -1); s.Pairings[0].Tally.Games() != 4 {
		t.Errorf("a tournament of 3 games has %d", s.Pairings[0].Tally.Games())
	}
}

func TestMatchIsRepeatable(t *testing.T) {
	r := Rules{Seed: 9, TurnLimit: 30}
	first, games := play(t, r, 6, searcher("a", 8), searcher("b", 8))
	second, again := play(t, r, 6, searcher("a", 8), searcher("b", 8))
	if first != second {
		t.Errorf("%+v, then %+v", first, second)
	}
	for i, g := range games {
		if !slices.Equal(g.Actions, again[i].Actions) {
			t.Errorf("game %d is not the same again", i)
		}
	}
	// With the same player on both sides, the games of a pair are the same and each
	// side wins one.
	if first.Wins != first.Losses {
		t.Errorf("a player against itself: %+v", first)
	}
}

// seeded remembers the seeds with which it sat down, by name.
type seeded struct {
	Random
	name  string
	seeds map[string][]uint64
}

func (s seeded) Name() string { return s.name }
func (s seeded) Sit(ctx context.Context, seed uint64) (Seat, error) {
	s.seeds[s.name] = append(s.seeds[s.name], seed)
	return s.Random.Sit(ctx, seed)
}

// Gold has the seed of the pair, and Silver the next, whoever plays them. A tournament and a match of the same two
// players have the same seeds, and with another seed every pair has another.
func TestSeedBelongsToTheColour(t *testing.T) {
	given := func(seed uint64) map[string][]uint64 {
		seeds := map[string][]uint64{}
		play(t, Rules{Seed: seed, TurnLimit: 4}, 4, seeded{name: "b", seeds: seeds}, seeded{name: "a", seeds: seeds})
		return seeds
	}
	s := given(100)
	first, second := s["b"][0], s["b"][2]
	want := map[string][]uint64{"b": {first, first + 1, second, second + 1}, "a": {first + 1, first, second + 1, second}}
	if !reflect.DeepEqual(s, want) || first == second {
		t.Errorf("seeds %v, want %v", s, want)
	}
	for other := range uint64(200) {
		if o := given(other); other != 100 && slices.ContainsFunc(o["b"], func(x uint64) bool { return slices.Contains(s["b"], x) }) {
			t.Errorf("seed %d gives %v, and 100 %v", other, o["b"], s["b"])
		}
	}
	seeds := map[string][]uint64{}
	hold(t, "", TournamentConfig{Rules: Rules{Seed: 100, TurnLimit: 4}, Games: 4, Workers: 1}, []*Entrant{
		{Player: seeded{name: "b", seeds: seeds}, Identity: "b"}, {Player: seeded{name: "c", seeds: seeds}, Identity: "c"}, {Player: seeded{name: "a", seeds: seeds}, Identity: "a"},
	}, -1)
	for _, x := range s["b"] {
		if !slices.Contains(seeds["b"], x) {
			t.Errorf("in a match b has the seeds %v, and in a tournament %v", s["b"], seeds["b"])
		}
	}
}

func TestTallyAddsUp(t *testing.T) {
	tally, games := play(t, Rules{Seed: 1, TurnLimit: 300}, 200, Random{}, Random{})
	var want Tally
	for i, g := range games {
		want.add(g, i%2 == 1) // the players are the same
	}
	if tally != want || tally.Games() != 200 || tally.Wins != 100 || tally.Repeats != 100 {
		t.Errorf("%+v, want %+v", tally, want)
	}
	total := 0
	for _, n := range tally.Reasons {
		total += n
	}
	if total != 200 || tally.Reasons[game.Goal] < 150 {
		t.Errorf("reasons %v for 200 random games", tally.Reasons)
	}
}

func TestInterval(t *testing.T) {
	// Wilson's interval for 98 of 100 and for 0 of 10, as in textbooks.
	for _, c := range []struct {
		wins, games int
		low, high   float64
	}{{98, 100, 0.93, 0.9945}, {0, 10, 0, 0.2775}, {50, 100, 0.4038, 0.5962}} {
		s := Tally{Wins: c.wins, Losses: c.games - c.wins}
		low, high := s.Interval()
		if math.Abs(low-c.low) > 5e-4 || math.Abs(high-c.high) > 5e-4 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.wins, c.games, low, high, c.low, c.high)
		}
	}
	for _, s := range []Tally{{}, {Wins: 3}, {Losses: 3}} {
		if text := s.String(); strings.Contains(text, "Inf") || strings.Contains(text, "NaN") {
			t.Errorf("%+v prints %q", s, text)
		}
	}
}

// cheat makes a step that is never legal.
type cheat struct{ Random }

func (cheat) Name() string                              { return "cheat" }
func (cheat) Sit(context.Context, uint64) (Seat, error) { return cheat{}, nil }
func (cheat) Act(context.Context, *game.Game) (game.Action, error) {
	return game.Pass, nil
}

// quitter forfeits at its first turn after the setups, and counts what it sees.
type quitter struct{ *quitterGame }

type quitterGame struct {
	seen, closed atomic.Int64
}

func (quitter) Name() string                                { return "quitter" }
func (q quitter) Sit(context.Context, uint64) (Seat, error) { return q, nil }
func (q quitter) Watch(*game.Game, game.Action) error       { q.seen.Add(1); return nil }
func (q quitter) Close() error                              { q.closed.Add(1); return nil }
func (q quitter) Act(_ context.Context, g *game.Game) (game.Action, error) {
	if !g.InSetup() {
		return 0, &Forfeit{Cause: "no answer within 5 s"}
	}
	return g.Legal(nil)[0], nil
}

func TestForfeitLosesTheGame(t *testing.T) {
	q := quitter{&quitterGame{}}
	tally, games := play(t, Rules{Seed: 1, TurnLimit: 50}, 2, q, Random{})
	if tally.Losses != 2 || tally.Forfeits != 2 || tally.Wins != 0 {
		t.Errorf("%+v", tally)
	}
	for _, g := range games {
		if g.Forfeit != "quitter forfeits: no answer within 5 s" || g.Won() {
			t.Errorf("game %d: %q", g.Number, g.Forfeit)
		}
	}
	played := len(games[0].Actions) + len(games[1].Actions)
	if q.closed.Load() != 2 || int(q.seen.Load()) != played {
		t.Errorf("closed %d times, saw %d of %d actions", q.closed.Load(), q.seen.Load(), played)
	}
}

func TestErrors(t *testing.T) {
	broken := searcher("broken", 4)
	cause := errors.New("no memory")
	broken.Backend = eval.Func(func(int) (func(*eval.Batch) error, error) { return nil, cause })
	for want, p := range map[string]Player{"made the illegal action": cheat{}, cause.Error(): broken} {
		tournament, err := NewTournament("", rules(2), []*Entrant{{Player: p}, {Player: Random{}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := tournament.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
