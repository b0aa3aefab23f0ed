package selfplay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"warren/data"
	"warren/game"
	"warren/internal/eval"
	"warren/internal/observe"
	"warren/mcts"
)

// collector keeps the games that it receives.
type collector struct {
	mu    sync.Mutex
	games map[uint64]*data.Record
	twice []uint64
	after func(n int) error // called with the number of games, if set
}

func (c *collector) Put(_ context.Context, r *data.Record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.games == nil {
		c.games = map[uint64]*data.Record{}
	}
	if c.games[r.Game] != nil {
		c.twice = append(c.twice, r.Game)
	}
	c.games[r.Game] = r
	if c.after != nil {
		return c.after(len(c.games))
	}
	return nil
}

func testJob(workers, gamesPerWorker int) Job {
	c := DefaultConfig()
	c.Workers, c.GamesPerWorker = workers, gamesPerWorker
	c.Visits.Final, c.FastVisits = 12, 3
	c.TurnLimit, c.RandomOpenings = 40, 0
	c.FullFraction, c.Visits.Games = 0.25, 0
	c.SetupPolicyWeight, c.SurpriseWeight = 1, 0
	search := mcts.AlphaZeroConfig()
	search.NoiseFraction = 0.25
	return Job{Rules: Rules{c, search, "s"}, Run: "test", Seed: 5, Count: 12}
}

func playAll(t *testing.T, job Job) map[uint64]*data.Record {
	t.Helper()
	var c collector
	var counts observe.Counts
	if err := Play(t.Context(), job, Always{eval.Untrained()}, &c, &counts); err != nil {
		t.Fatal(err)
	}
	if len(c.twice) > 0 {
		t.Fatalf("games %v came twice", c.twice)
	}
	for number, r := range c.games {
		if err := accept(&job, r); err != nil {
			t.Errorf("game %d is refused: %v", number, err)
		}
	}
	if got := counts.Totals().Games; got != uint64(len(c.games)) {
		t.Fatalf("counted %d games, %d came", got, len(c.games))
	}
	return c.games
}

func encode(t *testing.T, r *data.Record) []byte {
	t.Helper()
	b, err := r.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestGamesDoNotDependOnWorkers(t *testing.T) {
	want := playAll(t, testJob(1, 1))
	if len(want) != 12 {
		t.Fatalf("%d games, want 12", len(want))
	}
	for _, shape := range [][2]int{{1, 7}, {2, 4}, {5, 3}} {
		got := playAll(t, testJob(shape[0], shape[1]))
		if len(got) != len(want) {
			t.Fatalf("%v: %d games, want %d", shape, len(got), len(want))
		}
		for number, r := range want {
			if !bytes.Equal(encode(t, got[number]), encode(t, r)) {
				t.Errorf("%d workers with %d games each: game %d differs", shape[0], shape[1], number)
			}
		}
	}
	other := testJob(1, 4)
	other.Seed++
	if bytes.Equal(encode(t, playAll(t, other)[3]), encode(t, want[3])) {
		t.Error("another seed gives the same game")
	}
}

func TestRecords(t *testing.T) {
	job := testJob(2, 4)
	job.Config.TurnLimit = 8
	stopped, led := 0, 0
	for number, r := range playAll(t, job) {
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
		if r.Game != number || r.Network != "uniform" || r.Seed != 5 || r.Run != "test" || r.Settings != "s" {
			t.Errorf("game %d says it is %+v", number, r)
		}
		var full, fast int
		for i, d := range r.Decisions {
			if (d.Full || d.Drawn()) != (d.PolicyWeight == 1) || d.Searched() != (d.ValueWeight == 1) {
				t.Errorf("game %d, decision %d has the weights %g and %g", number, i, d.PolicyWeight, d.ValueWeight)
			}
			visits := 0
			for _, v := range d.Visits {
				visits += int(v.Count)
			}
			switch {
			case i < game.Placements:
			case !d.Searched():
			case d.Full:
				full++
				if visits < job.Config.Visits.Final-1 {
					t.Errorf("game %d, decision %d: a full search of %d visits", number, i, visits)
				}
			default:
				fast++
			}
		}
		if full == 0 || fast < full {
			t.Errorf("game %d has %d full and %d fast searches, want about 1 to 3", number, full, fast)
		}
		if r.Turns == 8 && (r.Result.Reason == game.TurnLimit || r.Result.Reason == game.Ongoing) {
			stopped++
			g := game.New()
			for _, d := range r.Decisions {
				g.Play(d.Action)
			}
			if g.Led() {
				led++
			}
			if want := map[bool]game.Reason{true: game.TurnLimit, false: game.Ongoing}[g.Led()]; r.Result.Reason != want {
				t.Errorf("a stopped game, led %t, ended by %v", g.Led(), r.Result.Reason)
			}
		}
	}
	if led == 0 || led == stopped {
		t.Errorf("%d games stopped, %d of them with a lead", stopped, led)
	}
}

// The recorded root values are of the side to move, in the setup too.
func TestValuesAreOfTheSideToMove(t *testing.T) {
	chance := [2]float32{game.Gold: 0.75, game.Silver: 0.25}
	network := &eval.Network{Hash: "one-sided", Backend: eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(b *eval.Batch) error {
			err := uniformly(b)
			for i := range b.Len() {
				b.SetValue(i, chance[b.Position(i).Side()])
			}
			return err
		}, nil
	})}
	job := testJob(1, 4)
	job.Count = 4
	job.Config.Visits.Final, job.Config.FastVisits, job.Config.TurnLimit = 2, 2, 8
	var c collector
	if err := Play(t.Context(), job, Always{network}, &c, observe.Nobody); err != nil {
		t.Fatal(err)
	}
	for number, r := range c.games {
		g := game.New()
		for i, d := range r.Decisions {
			if want := chance[g.Side()]; d.Searched() && d.Value != want {
				t.Fatalf("game %d, decision %d, %v to move: the value is %g, want %g", number, i, g.Side(), d.Value, want)
			}
			g.Play(d.Action)
		}
	}
}

func TestDoneNumbersAreLeftOut(t *testing.T) {
	job := testJob(2, 3)
	job.First, job.Count = 100, 8
	job.Done = func(number uint64) bool { return number%3 == 0 }
	var numbers []uint64
	for n := range playAll(t, job) {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	if want := []uint64{100, 101, 103, 104, 106, 107}; !slices.Equal(numbers, want) {
		t.Errorf("played %v, want %v", numbers, want)
	}
}

// changing provides a new network after some games.
type changing struct {
	networks []*eval.Network
	now      atomic.Int32
}

func (c *changing) Latest() *eval.Network { return c.networks[c.now.Load()] }

// uniformly evaluates a batch with eval.Uniform.
func uniformly(b *eval.Batch) error {
	s, err := eval.Uniform{}.Open(1)
	if err != nil {
		return err
	}
	return eval.Evaluate(s, b)
}

// opened counts the open streams of a back end.
type opened struct {
	eval.Backend
	streams *atomic.Int64
}

func (o opened) Open(batch int) (eval.Stream, error) {
	s, err := o.Backend.Open(batch)
	o.streams.Add(1)
	return openedStream{s, o.streams}, err
}

type openedStream struct {
	eval.Stream
	streams *atomic.Int64
}

func (s openedStream) Close() error {
	s.streams.Add(-1)
	return s.Stream.Close()
}

func TestNetworksChangeBetweenGames(t *testing.T) {
	var asked, streams [2]atomic.Int64
	source := &changing{}
	for i := range asked {
		source.networks = append(source.networks, &eval.Network{
			Hash: fmt.Sprint("net ", i), Origin: eval.Origin{Generation: i},
			Backend: opened{eval.Func(func(int) (func(*eval.Batch) error, error) {
				return func(b *eval.Batch) error {
					asked[i].Add(int64(b.Len()))
					return uniformly(b)
				}, nil
			}), &streams[i]},
		})
	}
	c := collector{after: func(n int) error {
		if n == 4 {
			source.now.Store(1)
		}
		return nil
	}}
	var counts observe.Counts
	job := testJob(2, 3)
	if err := Play(t.Context(), job, source, &c, &counts); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range c.games {
		if r.Network != fmt.Sprint("net ", r.Generation) {
			t.Errorf("game %d: network %q of generation %d", r.Game, r.Network, r.Generation)
		}
		count[r.Network]++
	}
	if count["net 0"] < 4 || count["net 1"] == 0 || asked[0].Load() == 0 || asked[1].Load() == 0 {
		t.Errorf("games by network: %v", count)
	}
	if before, now := streams[0].Load(), streams[1].Load(); before != 0 || now != 0 {
		t.Errorf("at the end %d and %d streams are open", before, now)
	}
}

var errBroken = errors.New("the evaluator is broken")

func TestErrorsEndTheJob(t *testing.T) {
	var left atomic.Int64 // calls until it fails
	left.Store(200)
	network := &eval.Network{Hash: "broken", Origin: eval.Origin{Generation: 3}}
	network.Backend = eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(b *eval.Batch) error {
			if left.Add(-1) < 0 {
				return errBroken
			}
			return uniformly(b)
		}, nil
	})
	var counts observe.Counts
	err := Play(t.Context(), testJob(2, 3), Always{network}, &collector{}, &counts)
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "generation 3") {
		t.Errorf("a broken evaluator gave %v", err)
	}

	full := errors.New("the disk is full")
	err = Play(t.Context(), testJob(2, 3), Always{eval.Untrained()}, &collector{after: func(int) error { return full }}, &counts)
	if !errors.Is(err, full) || !strings.Contains(err.Error(), "saving game") {
		t.Errorf("a full disk gave %v", err)
	}

	network.Backend = eval.Func(func(int) (func(*eval.Batch) error, error) { return nil, errBroken })
	if err = Play(t.Context(), testJob(2, 3), Always{network}, &collector{}, &counts); !errors.Is(err, errBroken) {
		t.Errorf("a network without an evaluator gave %v", err)
	}
}

func TestContextEndsTheJob(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := collector{after: func(n int) error {
		if n == 3 {
			cancel()
		}
		return nil
	}}
	job := testJob(3, 2)
	job.Count = 0 // for ever
	var counts observe.Counts
	if err := Play(ctx, job, Always{eval.Untrained()}, &c, &counts); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled job gave %v", err)
	}
	if len(c.games) < 3 {
		t.Errorf("%d games came, want at least 3", len(c.games))
	}
}

// A worker without games takes half of another's. Here one of two workers has
// taken all games of the job.
func TestIdleWorkersAreGivenGames(t *testing.T) {
	job := testJob(2, 8)
	p := newPool(&job)
	p.workers = 2
	busy := []*episode{{}, {}, {}, {}, {}}
	if got := p.share(busy); len(got) != 5 {
		t.Fatalf("gave up %d games with no one idle", 5-len(got))
	}
	taken := make(chan []*episode)
	go func() { taken <- p.wait() }()
	kept := busy
	for len(kept) == 5 { // until the other worker is idle
		kept = p.share(kept)
	}
	if got := <-taken; len(got) != 3 || len(kept) != 2 {
		t.Fatalf("gave %d games and kept %d, want 3 and 2", len(got), len(kept))
	}
	go func() { taken <- p.wait() }()
	if got := p.wait(); len(got) != 0 {
		t.Errorf("got %d games when all were idle", len(got))
	}
	if got := <-taken; len(got) != 0 {
		t.Errorf("got %d games when all were idle", len(got))
	}
}

// TestRandomOpenings checks that no action of the opening is searched, that every
// later action but forced ones is, and that the turn limit counts from there.
func TestRandomOpenings(t *testing.T) {
	job := testJob(2, 4)
	job.Config.RandomOpenings, job.Config.RandomTurns, job.Config.TurnLimit = 0.5, 6, 10
	job.Count = 40
	lengths := map[int]int{}
	var setups, behind float64 // at random, and their rabbits on the back rank
	for _, r := range playAll(t, job) {
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		if r.Opening > 0 {
			setups += 2
			for i, d := range r.Decisions[:game.Placements] {
				if i%16 < 8 && d.Action.Kind() == game.Rabbit {
					behind++
				}
			}
		}
		g, opening := game.New(), -1
		for _, d := range r.Decisions {
			forced := len(g.Legal(nil)) == 1
			switch {
			case d.Searched() && opening < 0:
				opening = g.Turns()
			case !d.Searched() && opening >= 0 && !forced:
				t.Fatalf("game %d: no search in turn %d", r.Game, g.Turns()+1)
			}
			g.Play(d.Action)
		}
		if g.InSetup() || r.Decisions[0].Searched() != (opening == 0) || int(r.Opening) != opening {
			t.Errorf("game %d: an opening of %d turns, recorded as %d", r.Game, opening, r.Opening)
		}
		if !g.Result().Over() && g.Turns() != opening+job.Config.TurnLimit {
			t.Errorf("game %d: stopped after %d turns, %d of them at random", r.Game, g.Turns(), opening)
		}
		lengths[opening]++
	}
	if lengths[0] < 10 || lengths[0] > 30 || lengths[job.Config.RandomTurns] == 0 || len(lengths) != 1+job.Config.RandomTurns {
		t.Errorf("games by turns at random: %v", lengths)
	}
	if mean := behind / setups; mean < 3.5 || mean > 4.5 { // 1.9 if each kind is as likely
		t.Errorf("%.1f rabbits of a random setup stand on the back rank, want 4", mean)
	}
}

// TestObserver checks that the events of the games match their records.
func TestObserver(t *testing.T) {
	told := &scribe{actions: map[uint64][]game.Action{}}
	var c collector
	job := testJob(2, 3)
	if err := Play(t.Context(), job, Always{eval.Untrained()}, &c, told); err != nil {
		t.Fatal(err)
	}
	if told.began != len(c.games) || told.ended != len(c.games) || told.evaluated == 0 || told.wrong > 0 {
		t.Errorf("%d games, told of %d begun and %d ended, %d evaluations, %d wrong searches", len(c.games), told.began, told.ended, told.evaluated, told.wrong)
	}
	for number, r := range c.games {
		var want []game.Action
		for _, d := range r.Decisions {
			want = append(want, d.Action)
		}
		if !slices.Equal(told.actions[number], want) {
			t.Errorf("game %d: the actions told are not those recorded", number)
		}
	}
}

// scribe counts events and keeps the actions of each game.
type scribe struct {
	mu                             sync.Mutex
	began, ended, evaluated, wrong int
	actions                        map[uint64][]game.Action
}

func (s *scribe) Observe(e observe.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case *observe.GameBegan:
		s.began++
	case *observe.GameEnded:
		s.ended++
	case *observe.Evaluated:
		s.evaluated += e.Positions
	case *observe.Acted:
		s.actions[e.Game] = append(s.actions[e.Game], e.Decision.Action)
		if (e.Decision.Searched() && !e.Decision.Drawn()) != (len(e.Root) > 0) || !slices.Contains(e.Before.Legal(nil), e.Decision.Action) {
			s.wrong++
		}
	}
}

// passedOver reports whether another action than the most visited was played.
func passedOver(d data.Decision) bool {
	most, chosen := uint32(0), uint32(0)
	for _, v := range d.Visits {
		most = max(most, v.Count)
		if v.Action == d.Action {
			chosen = v.Count
		}
	}
	return chosen < most
}

// TestChoices checks that a high temperature often passes over the most visited
// action, except after a fast search.
func TestChoices(t *testing.T) {
	job := testJob(2, 4)
	job.Config.Temperature, job.Config.FinalTemperature, job.Config.FullFraction, job.Config.FastVisits = 5, 5, 0.5, 10
	first, later, fast := 0, 0, 0
	for _, r := range playAll(t, job) {
		g := game.New()
		for _, d := range r.Decisions {
			better := passedOver(d)
			switch {
			case g.InSetup() || !better:
			case !d.Full:
				fast++
			case g.StepsLeft() == 4:
				first++
			default:
				later++
			}
			g.Play(d.Action)
		}
	}
	if first < 20 || later < 20 || fast > 0 {
		t.Errorf("%d, %d and %d better actions are passed over", first, later, fast)
	}
}

func TestPlacementsWeighWhatTheSettingsSay(t *testing.T) {
	job := testJob(2, 4)
	job.Config.SetupPolicyWeight = 0.25
	for _, r := range playAll(t, job) {
		for i, d := range r.Decisions {
			want := float32(0)
			switch {
			case i < game.Placements && d.Searched():
				want = 0.25
			case d.Full:
				want = 1
			}
			if d.PolicyWeight != want {
				t.Fatalf("game %d, decision %d: the policy weighs %g, want %g", r.Game, i, d.PolicyWeight, want)
			}
		}
	}
}

// The visits of full searches rise from game to game, and a fast search never has more; a search finds what is left of
// the one before.
func TestVisitsGrow(t *testing.T) {
	job := testJob(2, 4)
	job.Config.Visits, job.Config.FastVisits = VisitsConfig{4, 24, 10}, 16
	job.Config.FullFraction = 0.5
	for number, r := range playAll(t, job) {
		want := min(4+2*int(number), 24)
		most := 0
		for _, d := range r.Decisions[game.Placements:] {
			visits := 1 // the root's
			for _, v := range d.Visits {
				visits += int(v.Count)
			}
			if most = max(most, visits); visits > want {
				t.Errorf("game %d: a search of %d visits, want at most %d", number, visits, want)
			}
		}
		if most < want {
			t.Errorf("game %d: no search has more than %d visits, want %d", number, most, want)
		}
	}
}

// TestOnlyFullSearchesHaveNoise: without temperatures, and after random openings, noise in full searches is all
// that can make a difference.
func TestOnlyFullSearchesHaveNoise(t *testing.T) {
	for fraction, differ := range map[float64]bool{0: false, 1: true} {
		var games [2]map[uint64]*data.Record
		for i, noise := range []float64{0, 0.9} {
			job := testJob(2, 4)
			job.Count, job.Search.NoiseFraction = 4, noise
			c := &job.Config
			c.FullFraction, c.TurnLimit, c.RandomOpenings, c.RandomTurns = fraction, 8, 1, 4
			c.Temperature, c.FinalTemperature = 0, 0
			games[i] = playAll(t, job)
		}
		for number, r := range games[0] {
			if same := bytes.Equal(encode(t, r), encode(t, games[1][number])); same == differ {
				t.Errorf("full_fraction %g: game %d is the same without noise: %t", fraction, number, same)
			}
		}
	}
}

// TestTemperatureFollowsTheTurns: each of the two temperatures of searches passes over the most visited action in
// its own part of the game, and nowhere else.
func TestTemperatureFollowsTheTurns(t *testing.T) {
	parts := [2]string{"the first turns", "the later turns"}
	for own, set := range []func(*Config){
		func(c *Config) { c.Temperature = 5 },
		func(c *Config) { c.FinalTemperature = 5 },
	} {
		job := testJob(2, 4)
		job.Count = 6
		c := &job.Config
		c.Visits.Final, c.FullFraction = 24, 1
		c.TurnLimit, c.TemperatureTurns = 20, 12
		c.Temperature, c.FinalTemperature = 0, 0
		set(c)
		var counts [2]int
		for _, r := range playAll(t, job) {
			g := game.New()
			for _, d := range r.Decisions {
				better := passedOver(d)
				part := 1
				if g.Turns() < 12 {
					part = 0
				}
				if better {
					counts[part]++
				}
				g.Play(d.Action)
			}
		}
		for part, n := range counts {
			if part == own && n < 5 || part != own && n > 0 {
				t.Errorf("with a temperature in %s, %d better actions are passed over in %s", parts[own], n, parts[part])
			}
		}
	}
}

// A game has the settings of its network's stage, even if its worker played for another stage before.
func TestGamesOfStages(t *testing.T) {
	job := testJob(2, 3)
	later := job.Rules
	later.Settings, later.Search.Rule, later.Search.PolicyTargetScale = "later", mcts.GumbelRule, 80
	later.Config.Visits.Final, later.Config.TurnLimit = 20, 8
	job.Later, job.Count = []Rules{later}, 18
	source, backend := &changing{}, small(t)
	for stage := range 2 {
		source.networks = append(source.networks, &eval.Network{Backend: backend, Hash: "net", Origin: eval.Origin{Generation: 5 + stage, Stage: stage}})
	}
	c := collector{after: func(n int) error {
		source.now.Store(int32(n / 4 % 2))
		return nil
	}}
	if err := Play(t.Context(), job, source, &c, observe.Nobody); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range c.games {
		stage := int(r.Generation) - 5
		one := job.Stage(stage)
		same, err := Again(t.Context(), one, r.Game, source.networks[stage])
		if err != nil {
			t.Fatal(err)
		}
		if err := one.Check(r); err != nil || r.Settings != one.Settings || r.Hash() != same.Hash() {
			t.Errorf("game %d, of stage %d under the settings %q, is another, %v", r.Game, stage, r.Settings, err)
		}
		count[r.Settings]++
	}
	if count["s"] < 4 || count["later"] < 4 {
		t.Errorf("games by settings: %v", count)
	}
}
