package think

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"warren/game"
	"warren/internal/eval"
	"warren/mcts"
)

// hashed is an evaluator whose priors depend only on the position's hash. It calls
// wait, if set, before it evaluates.
func hashed(wait func() error) eval.Backend {
	return eval.Func(func(int) (func(*eval.Batch) error, error) {
		return func(b *eval.Batch) error {
			if wait != nil {
				if err := wait(); err != nil {
					return err
				}
			}
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
				b.SetValue(i, 0.5+float32(key&15)/64)
			}
			return nil
		}, nil
	})
}

func engine(t *testing.T, threads int, wait func() error) *Engine {
	t.Helper()
	e, err := New(Config{
		Search: mcts.AlphaZeroConfig(), Threads: threads, Batch: 4, Memory: 8 << 20,
		Backend: hashed(wait),
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// check plays a turn, which must be whole and legal.
func check(t *testing.T, g *game.Game, turn []game.Action) {
	t.Helper()
	side := g.Side()
	for i, a := range turn {
		if !slices.Contains(g.Legal(nil), a) || g.Side() != side {
			t.Fatalf("action %d of %v is not legal", i, turn)
		}
		g.Play(a)
	}
	if g.Side() == side && !g.Result().Over() {
		t.Fatalf("%v is not a whole turn", turn)
	}
}

// middle is a position a few turns into a game.
func middle(t *testing.T) *game.Game {
	t.Helper()
	board, side, err := game.ParsePosition("g [rrrcrrrr  d    rh cdh m   e             EH  M HD  CDC  RRRRRRRR ]")
	if err != nil {
		t.Fatal(err)
	}
	return game.FromBoard(board, side)
}

func TestGameIsLegalAndRepeatable(t *testing.T) {
	first, second, g := engine(t, 1, nil), engine(t, 1, nil), game.New()
	for range 30 {
		if g.Result().Over() {
			break
		}
		turn, err := first.Turn(t.Context(), g, Limits{Visits: 20}, Draw{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := second.Turn(t.Context(), g, Limits{Visits: 20}, Draw{}, nil)
		if err != nil || !slices.Equal(turn, again) {
			t.Fatalf("%v, then %v, %v", turn, again, err)
		}
		check(t, g, turn)
	}
}

// The line begins where the tree stands, or at a position that it knows, as the end of a turn.
func TestLine(t *testing.T) {
	e, g := engine(t, 1, nil), middle(t)
	e.config.Keep = true
	if line := e.Line(g); line != nil {
		t.Errorf("before a search the line is %v", line)
	}
	turn, err := e.Turn(t.Context(), g, Limits{Visits: 200}, Draw{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if line := e.Line(g); line != nil {
		t.Errorf("from before the turn the line is %v", line)
	}
	after := g.Clone()
	check(t, after, turn)
	line := e.Line(after)
	if len(line) == 0 {
		t.Fatal("there is no line after the turn")
	}
	for i, a := range line {
		if !slices.Contains(after.Legal(nil), a) {
			t.Fatalf("action %d of the line is not legal", i)
		}
		after.Play(a)
	}
}

// The chances of a turn and of an analysis are those of the side to move.
func TestChanceIsOfTheSideToMove(t *testing.T) {
	e, err := New(Config{
		Search: mcts.AlphaZeroConfig(), Threads: 1, Batch: 1, Memory: 8 << 20,
		Backend: eval.Func(func(int) (func(*eval.Batch) error, error) {
			return func(b *eval.Batch) error {
				for i := range b.Len() {
					priors := b.Priors(i)
					for j := range priors {
						priors[j] = 1 / float32(len(priors))
					}
					b.SetValue(i, [2]float32{game.Gold: 0.75, game.Silver: 0.25}[b.Position(i).Side()])
				}
				return nil
			}, nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	for side, want := range [2]float64{game.Gold: 0.75, game.Silver: 0.25} {
		g := game.FromBoard(*middle(t).Board(), game.Color(side))
		value, _, err := e.Analyse(t.Context(), g, Limits{Visits: 50})
		if err != nil || float64(value) != want {
			t.Errorf("%v to move: the chance of an analysis is %g, want %g; %v", g.Side(), value, want, err)
		}
		var found Found
		if _, err := e.Turn(t.Context(), g, Limits{Visits: 50}, Draw{}, func(f Found) { found = f }); err != nil || found.Chance != want {
			t.Errorf("%v to move: the chance of a turn is %g, want %g; %v", g.Side(), found.Chance, want, err)
		}
	}
}

// The last line that is told before the second step begins with the first, also where it is drawn.
func TestDrawnStepIsTold(t *testing.T) {
	e, g := engine(t, 1, nil), middle(t)
	drawn := 0
	for seed := range uint64(20) {
		e.Forget()
		var lines [][]game.Action
		turn, err := e.Turn(t.Context(), g, Limits{Visits: 30}, Draw{Temperature: 1, Rand: rand.New(rand.NewPCG(seed, 0))}, func(f Found) {
			lines = append(lines, f.PV)
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(lines) != 1 || lines[0][0] != turn[0] {
			t.Fatalf("seed %d: the turn %v was told by %v", seed, turn, lines)
		}
		e.Forget()
		preferred, err := e.Turn(t.Context(), g, Limits{Visits: 30}, Draw{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if turn[0] != preferred[0] {
			drawn++
		}
	}
	if drawn == 0 {
		t.Error("every seed draws the step that is preferred")
	}
}

func TestThreadsShareATree(t *testing.T) {
	e, g := engine(t, 3, nil), middle(t)
	reports := 0
	turn, err := e.Turn(t.Context(), g, Limits{Visits: 1500}, Draw{}, func(f Found) {
		reports++
		if f.Chance <= 0 || f.Chance >= 1 || f.Nodes <= 0 || len(f.PV) == 0 {
			t.Errorf("report %d: %+v", reports, f)
		}
		play := g.Clone()
		for _, a := range f.PV {
			if !slices.Contains(play.Legal(nil), a) {
				t.Fatalf("report %d: %v is not legal", reports, f.PV)
			}
			play.Play(a)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if reports < 3 {
		t.Errorf("%d reports for 1500 visits a step", reports)
	}
	check(t, g.Clone(), turn)

	// The root has exactly the requested visits; none is lost.
	e.ready = false
	e.stand(g)
	if err := e.run(t.Context(), nil, 1500, func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	visits := 1 // the root's own
	for _, m := range e.search.Root(nil) {
		visits += m.Visits
	}
	if e.search.Simulations() != 1500 || visits != 1500 || e.search.InFlight() != 0 {
		t.Errorf("%d simulations, %d visits, %d in flight", e.search.Simulations(), visits, e.search.InFlight())
	}
}

// TestThreadsEvaluateAtOnce checks that two threads evaluate at the same time, and
// that neither is idle for long.
func TestThreadsEvaluateAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		waiting, most, calls := 0, 0, 0
		e := engine(t, 2, func() error {
			mu.Lock()
			calls++
			waiting++
			most = max(most, waiting)
			mu.Unlock()
			time.Sleep(time.Millisecond) // of the bubble's clock
			mu.Lock()
			waiting--
			mu.Unlock()
			return nil
		})
		begin := time.Now()
		if _, err := e.Turn(t.Context(), middle(t), Limits{Visits: 400}, Draw{}, nil); err != nil {
			t.Fatal(err)
		}
		// Two threads that are never idle take half the total time of their calls.
		took, work := time.Since(begin), time.Duration(calls)*time.Millisecond
		if most != 2 || took > work*6/10 {
			t.Errorf("at most %d at once; %d evaluations of 1 ms took %v", most, calls, took)
		}
	})
}

func TestTimeOfATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const batch = 10 * time.Millisecond
		e := engine(t, 2, func() error { time.Sleep(batch); return nil })
		for _, g := range []*game.Game{middle(t), game.New()} {
			begin := time.Now()
			turn, err := e.Turn(t.Context(), g, Limits{Time: 2 * time.Second}, Draw{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			// A turn may take less than its time, and exceeds it by at most the
			// batches in flight.
			took := time.Since(begin)
			if took > 2*time.Second+2*batch*time.Duration(len(turn)) || took < 700*time.Millisecond {
				t.Errorf("a turn of %d actions took %v", len(turn), took)
			}
			check(t, g, turn)
		}
	})
}

// A single action gets the whole time, and no more.
func TestTimeOfAnAction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const batch, limit = 10 * time.Millisecond, time.Second
		e, g := engine(t, 1, func() error { time.Sleep(batch); return nil }), middle(t)
		for name, ask := range map[string]func() error{
			"Act":     func() error { _, err := e.Act(t.Context(), g, Limits{Time: limit}, Draw{}); return err },
			"Analyse": func() error { _, _, err := e.Analyse(t.Context(), g, Limits{Time: limit}); return err },
		} {
			begin := time.Now()
			if err := ask(); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begin); took < limit || took > limit+batch {
				t.Errorf("%s took %v, want %v", name, took, limit)
			}
		}
	})
}

// The four steps of a turn get four, three, two and one tenths of its time.
func TestSharesOfTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rabbits []game.Action // these steps are legal in any order, and each leaves a choice
		for _, from := range []game.Square{0, 1, 5, 6} {
			rabbits = append(rabbits, game.StepAction(from, game.North))
		}
		backend := preferring(5*time.Millisecond, rabbits...)
		var e *Engine
		var begin time.Time
		begun := map[int]time.Duration{} // by the steps that are left: when the search of the next began
		e, err := New(Config{
			Search: mcts.AlphaZeroConfig(), Threads: 1, Batch: 4, Memory: 8 << 20,
			Backend: eval.Func(func(batch int) (func(*eval.Batch) error, error) {
				stream, err := backend.Open(batch)
				return func(b *eval.Batch) error {
					left := e.search.Game().StepsLeft()
					if _, ok := begun[left]; !ok {
						begun[left] = time.Since(begin)
					}
					return eval.Evaluate(stream, b)
				}, err
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		begin = time.Now()
		turn, err := e.Turn(t.Context(), middle(t), Limits{Time: 2 * time.Second}, Draw{}, nil)
		if err != nil || len(turn) != 4 {
			t.Fatalf("the turn is %v, %v", turn, err)
		}
		begun[0] = time.Since(begin)
		for left, want := range map[int]time.Duration{4: 0, 3: 800, 2: 1400, 1: 1800, 0: 2000} {
			want *= time.Millisecond
			if got := begun[left]; got < want-15*time.Millisecond || got > want+15*time.Millisecond {
				t.Errorf("%d steps are left after %v, want %v", left, got, want)
			}
		}
	})
}

// TestFewLeavesAreInFlight: whatever the size of a batch may be, a sixteenth of the tree's visits are in
// flight at most, and one leaf for each worker.
func TestFewLeavesAreInFlight(t *testing.T) {
	var e *Engine
	most := 0
	look := func() error {
		e.mu.Lock()
		defer e.mu.Unlock()
		flying, visits := e.search.InFlight(), e.search.Simulations()
		if flying > 2+visits/16 {
			t.Errorf("%d leaves are in flight after %d visits", flying, visits)
		}
		most = max(most, flying)
		return nil
	}
	search := mcts.AlphaZeroConfig()
	search.SeparateEvaluations = true // leaves that wait for another one count as in flight too
	e, err := New(Config{Search: search, Threads: 2, Batch: 256, Memory: 8 << 20, Backend: hashed(look)})
	if err != nil {
		t.Fatal(err)
	}
	e.stand(middle(t))
	if err := e.run(t.Context(), nil, 3000, func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	if most <= batchOfVectors {
		t.Errorf("at most %d leaves were in flight: too few to tell", most)
	}
}

func TestStopAndCancel(t *testing.T) {
	e, g := engine(t, 2, nil), middle(t)
	stop := make(chan struct{})
	close(stop)
	turn, err := e.Turn(t.Context(), g, Limits{Stop: stop}, Draw{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	check(t, g.Clone(), turn)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Turn(ctx, g, Limits{Visits: 1000}, Draw{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled turn: %v", err)
	}
	if err := e.Ponder(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled pondering: %v", err)
	}
}

// TestTreeFollowsTheGame: a turn ends with the tree before its last action, since to move it takes a moment. What the
// tree knows of the position after the turn is there in the opponent's time.
func TestTreeFollowsTheGame(t *testing.T) {
	e, g := engine(t, 1, nil), middle(t)
	e.config.Keep = true
	turn, err := e.Turn(t.Context(), g, Limits{Visits: 2000}, Draw{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	before, last := g.Clone(), turn[len(turn)-1]
	for _, a := range turn[:len(turn)-1] {
		before.Play(a)
	}
	kept := 0
	for _, m := range e.search.Root(nil) {
		if m.Action == last {
			kept = m.Visits
		}
	}
	if kept == 0 || e.search.Game().Hash() != before.Hash() {
		t.Fatalf("%d visits of the last action, before which the tree should be", kept)
	}
	check(t, g, turn)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Ponder(over, g); !errors.Is(err, context.Canceled) || e.search.Simulations() != kept || e.search.Game().Hash() != g.Hash() {
		t.Errorf("in the opponent's time the tree has %d visits, want %d; %v", e.search.Simulations(), kept, err)
	}
	reply, err := game.ParseTurn(g, game.FormatTurn(g, likely(e, g)))
	if err != nil {
		t.Fatal(err)
	}
	check(t, g, reply)
	nodes := int64(0)
	if turn, err = e.Turn(t.Context(), g, Limits{Visits: 50}, Draw{}, func(f Found) { nodes = f.Nodes }); err != nil {
		t.Fatal(err)
	}
	if nodes == 0 || nodes > 4*50 {
		t.Errorf("%d nodes are reported of a turn of 50 visits a step", nodes)
	}
	check(t, g, turn)
}

// TestTreeKnowsOtherOrders: the tree is kept when the opponent's steps come in an order that it does not have. Without
// Config.Keep another position begins a new tree, as in matches by visits.
func TestTreeKnowsOtherOrders(t *testing.T) {
	g := middle(t)
	thinking := func() *Engine {
		e := engine(t, 1, nil)
		e.config.Keep = true
		e.stand(g)
		if err := e.run(t.Context(), nil, 3000, func() bool { return false }); err != nil {
			t.Fatal(err)
		}
		return e
	}
	turn := thinking().search.PV(nil)
	if len(turn) < 4 {
		t.Fatalf("the line %v is no turn", turn)
	}
	turn = turn[:4]
	after := g.Clone()
	check(t, after, turn)
	other := otherOrder(g, turn)
	if other == nil {
		t.Fatalf("%v has no other order", turn)
	}

	e := thinking()
	for _, a := range other {
		e.search.Advance(a)
	}
	if e.search.Simulations() > 0 {
		t.Fatal("the tree has the other order: the test tells nothing")
	}

	e = thinking()
	if e.stand(after); e.search.Simulations() == 0 || e.search.Game().Hash() != after.Hash() {
		t.Errorf("%d simulations are kept when the steps of %v come in the order %v", e.search.Simulations(), turn, other)
	}

	e = thinking()
	e.config.Keep = false
	if e.stand(after); e.search.Simulations() > 0 || e.search.Game().Hash() != after.Hash() {
		t.Errorf("%d simulations are kept by an engine that keeps none", e.search.Simulations())
	}

	e = thinking()
	unlikely := likely(e, g)
	elsewhere := g.Clone()
	check(t, elsewhere, unlikely)
	if e.stand(elsewhere); e.search.Simulations() > 0 || e.search.Game().Hash() != elsewhere.Hash() {
		t.Errorf("%d simulations are kept of a position that the tree does not have", e.search.Simulations())
	}
}

// otherOrder returns the steps of a turn from g in the order that differs most and leads to the same position, or nil.
func otherOrder(g *game.Game, turn []game.Action) []game.Action {
	want := g.Clone()
	for _, a := range turn {
		want.Play(a)
	}
	var extend func(at *game.Game, played, rest []game.Action) []game.Action
	extend = func(at *game.Game, played, rest []game.Action) []game.Action {
		if len(rest) == 0 {
			if at.Hash() == want.Hash() && !slices.Equal(played, turn) {
				return played
			}
			return nil
		}
		for i, a := range slices.Backward(rest) {
			if !slices.Contains(at.Legal(nil), a) {
				continue
			}
			next := at.Clone()
			next.Play(a)
			left := append(slices.Clone(rest[:i]), rest[i+1:]...)
			if found := extend(next, append(slices.Clone(played), a), left); found != nil {
				return found
			}
		}
		return nil
	}
	return extend(g, nil, turn)
}

// likely returns the turn from g that plays the first legal action each time.
func likely(e *Engine, g *game.Game) (turn []game.Action) {
	play := g.Clone()
	for play.Side() == g.Side() && !play.Result().Over() {
		a := play.Legal(nil)[0]
		turn = append(turn, a)
		play.Play(a)
	}
	return turn
}

// At a temperature actions are drawn, and at none the random numbers do not matter.
func TestDraws(t *testing.T) {
	g := middle(t)
	for _, rule := range []string{mcts.PUCT, mcts.GumbelRule} {
		for temperature, most := range map[float64]int{0: 1, 1: 20} {
			drawn := map[game.Action]bool{}
			for seed := range uint64(20) {
				e := engine(t, 1, nil)
				e.config.Search.Rule = rule
				e.Forget()
				a, err := e.Act(t.Context(), g, Limits{Visits: 30}, Draw{temperature, rand.New(rand.NewPCG(seed, 0))})
				if err != nil {
					t.Fatal(err)
				}
				drawn[a] = true
			}
			if len(drawn) > most || most > 1 && len(drawn) == 1 {
				t.Errorf("%s, temperature %g: %d actions are drawn", rule, temperature, len(drawn))
			}
		}
	}
}

func TestWinningTurnIsPlayed(t *testing.T) {
	board, err := game.ParseBoard("rrr....r...R" + strings.Repeat(".", 51) + "E")
	if err != nil {
		t.Fatal(err)
	}
	g := game.FromBoard(board, game.Gold)
	none := errors.New("evaluated")
	e := engine(t, 1, func() error { return none })
	e.config.Tactics = true
	var found Found
	turn, err := e.Turn(t.Context(), g, Limits{Visits: 100}, Draw{}, func(f Found) { found = f })
	if err != nil || !slices.Equal(turn, found.PV) || found.CentiRabbits() != won {
		t.Errorf("%v, %v, %+v", turn, err, found)
	}
	if a, err := e.Act(t.Context(), g, Limits{Visits: 100}, Draw{}); err != nil || a != turn[0] {
		t.Errorf("the action is %d, %v", a, err)
	}
	won := g.Clone()
	check(t, won, turn)
	if want := (game.Result{Winner: game.Gold, Reason: game.Goal}); won.Result() != want {
		t.Errorf("%v leads to %v", turn, won.Result())
	}
	// Without an immediate win, or without the test for one, the engine searches.
	e.config.Tactics = false
	if _, err := e.Act(t.Context(), g, Limits{Visits: 100}, Draw{}); !errors.Is(err, none) {
		t.Errorf("got %v", err)
	}
	e.config.Tactics = true
	if _, err := e.Turn(t.Context(), middle(t), Limits{Visits: 100}, Draw{}, nil); !errors.Is(err, none) {
		t.Errorf("got %v", err)
	}
}

func TestDepthAndMemory(t *testing.T) {
	e := engine(t, 1, nil)
	var nodes []int64
	for _, depth := range []int{2, 4} {
		e.Forget()
		var last Found
		turn, err := e.Turn(t.Context(), middle(t), Limits{Depth: depth}, Draw{}, func(f Found) { last = f })
		if err != nil || len(last.PV) < depth || last.Nodes > 2000 {
			t.Errorf("%v, %v: want depth %d before the tree is full: %+v", turn, err, depth, last)
		}
		check(t, middle(t), turn)
		nodes = append(nodes, last.Nodes)
	}
	if nodes[1] <= nodes[0] {
		t.Errorf("depths 2 and 4 take %d nodes", nodes)
	}

	e.config.Memory, e.config.Threads = 160_000, 2
	small, err := New(e.config)
	if err != nil {
		t.Fatal(err)
	}
	// Without limits the search ends when the tree is full.
	turn, err := small.Turn(t.Context(), middle(t), Limits{}, Draw{}, nil)
	if err != nil || !small.search.Full() {
		t.Fatalf("the tree is full: %t, %v", small.search.Full(), err)
	}
	check(t, middle(t), turn)
	if n := small.search.Nodes(); n > 300 {
		t.Errorf("%d nodes, want at most 300", n)
	}
}

// The depth counts from the start of the turn.
func TestDepthIsReached(t *testing.T) {
	e := engine(t, 1, nil)
	if _, _, err := e.Analyse(t.Context(), middle(t), Limits{Visits: 300}); err != nil {
		t.Fatal(err)
	}
	line := len(e.search.PV(nil))
	for chosen := range 3 {
		for more, want := range []bool{true, false} {
			s := turnSearch{engine: e, turn: make([]game.Action, chosen), limits: Limits{Depth: chosen + line + more}}
			if s.deepEnough() != want {
				t.Errorf("%d actions and a line of %d reach the depth %d: %v", chosen, line, s.limits.Depth, !want)
			}
		}
	}
}

// A full tree is pruned, unless the search ends with it or the turn's time is nearly over.
func TestFullTreeIsPruned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Config{Search: mcts.AlphaZeroConfig(), Threads: 1, Batch: 4, Memory: 1 << 18, Backend: hashed(nil)}
		for name, limits := range map[string]Limits{"visits": {Visits: 3000}, "time": {Time: time.Second}, "none": {}} {
			e, err := New(c)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := e.Analyse(t.Context(), middle(t), Limits{}); err != nil || !e.search.Full() {
				t.Fatalf("the tree is full: %t, %v", e.search.Full(), err)
			}
			s := turnSearch{engine: e, limits: limits}
			if limits.Time > 0 {
				s.begin = time.Now().Add(time.Duration(e.search.Nodes())*time.Second/movedPerSecond - limits.Time)
				if s.makeRoom(); !e.search.Full() {
					t.Errorf("%s: the tree is pruned at the end", name)
				}
				s.begin = s.begin.Add(1)
			}
			if s.makeRoom(); e.search.Full() != (name == "none") {
				t.Errorf("%s: the tree is full: %t", name, e.search.Full())
			}
		}
		e, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		turn, err := e.Turn(t.Context(), middle(t), Limits{Visits: 3000}, Draw{}, nil)
		if err != nil || e.search.Full() {
			t.Errorf("after a turn the tree is full: %t, %v", e.search.Full(), err)
		}
		check(t, middle(t), turn)

		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		c.Backend = hashed(func() error {
			if calls++; calls == 1000 {
				cancel()
			}
			return nil
		})
		if e, err = New(c); err != nil {
			t.Fatal(err)
		}
		if err := e.Ponder(ctx, middle(t)); !errors.Is(err, context.Canceled) || calls < 1000 || e.search.Full() {
			t.Errorf("after %d batches of pondering the tree is full: %t, %v", calls, e.search.Full(), err)
		}
	})
}

// When a turn's time is nearly over the tree does not grow, but before that and in pondering it does.
func TestTreeIsHeldAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		left := 0 // batches
		e, err := New(Config{Search: mcts.AlphaZeroConfig(), Threads: 1, Batch: 4, Memory: 64 << 20, Backend: hashed(func() error {
			if left--; left == 0 {
				cancel()
			}
			return nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		g := middle(t)
		if _, _, err := e.Analyse(ctx, g, Limits{Visits: 300}); err != nil {
			t.Fatal(err)
		}
		grows := func(search func()) bool { // by most of 2000 positions
			before := e.search.Nodes()
			search()
			return e.search.Nodes() > before+1500
		}
		turn := func() {
			if err := e.run(ctx, nil, e.search.Simulations()+2000, func() bool { return false }); err != nil {
				t.Fatal(err)
			}
		}
		s := turnSearch{engine: e, limits: Limits{Time: time.Second}, begin: time.Now().Add(-time.Second)}
		if s.makeRoom(); grows(turn) {
			t.Error("the tree grows when the time is over")
		}
		s.begin = time.Now()
		if s.makeRoom(); !grows(turn) {
			t.Error("the tree does not grow in time")
		}
		e.search.Hold(true)
		if left = 500; !grows(func() { e.Ponder(ctx, g) }) {
			t.Error("the tree does not grow in pondering")
		}
	})
}

func TestEvaluatorThatFails(t *testing.T) {
	cause, calls := errors.New("not a number"), 0
	var mu sync.Mutex
	e := engine(t, 2, func() error {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls == 20 {
			return cause
		}
		return nil
	})
	if _, err := e.Turn(t.Context(), middle(t), Limits{Visits: 1000}, Draw{}, nil); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	g := middle(t)
	turn, err := e.Turn(t.Context(), g, Limits{Visits: 100}, Draw{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	check(t, g, turn)

	if _, err := New(Config{Search: mcts.MatchConfig(), Threads: 1, Batch: 1, Backend: eval.Func(func(int) (func(*eval.Batch) error, error) { return nil, cause })}); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if _, err := New(Config{Batch: 1, Backend: eval.Uniform{}}); err == nil {
		t.Error("an engine without threads was made")
	}
}

func TestCentiRabbits(t *testing.T) {
	for chance, want := range map[float64]int{0.5: 0, 1: won, 0: -won, 0.731058579: 100, 0.119202922: -200} {
		if got := (Found{Chance: chance}).CentiRabbits(); got != want {
			t.Errorf("a chance of %g is %d, want %d", chance, got, want)
		}
	}
}
