package turnsearch

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"warren/configs"
	"warren/game"
	"warren/game/gametest"
	"warren/mcts"
	"warren/tactics"
)

func TestConfig(t *testing.T) {
	if err := configs.Check(DefaultConfig()); err != nil {
		t.Error(err)
	}
}

// judge is an evaluator with a will of its own: priors and value are functions of
// the position that look random, the priors uneven.
func judge(g *game.Game, legal []game.Action) mcts.Evaluation {
	rng := rand.New(rand.NewPCG(g.EvalKey(), 1))
	e := mcts.Evaluation{Priors: make([]float32, len(legal))}
	var sum float32
	for i := range e.Priors {
		x := rng.Float32()
		e.Priors[i] = x * x * x * x
		sum += e.Priors[i]
	}
	for i := range e.Priors {
		e.Priors[i] /= sum
	}
	e.Value = 0.2 + 0.6*rng.Float32()
	return e
}

// drive searches with up to flying leaves in flight, which come back in an order
// drawn from order, until the search has had its evaluations.
func drive(s *Search, evaluations, flying int, order *rand.Rand) {
	var leaves []*mcts.Leaf
	for s.Simulations() < evaluations {
		leaf, status := s.Select()
		if status == mcts.Evaluate {
			leaves = append(leaves, leaf)
		}
		if len(leaves) == flying || status == mcts.Wait {
			order.Shuffle(len(leaves), func(i, j int) { leaves[i], leaves[j] = leaves[j], leaves[i] })
			for _, l := range leaves {
				s.Expand(l, judge(l.Game, l.Legal))
			}
			leaves = leaves[:0]
		}
	}
}

// search returns a finished search of g. Without a seed nothing is sampled.
func search(g *game.Game, config Config, evaluations int, seed uint64) *Search {
	s := New(config, mcts.New(mcts.DefaultConfig(), 8))
	s.Reset(g)
	s.Begin(evaluations, source(seed))
	drive(s, evaluations, 1, rand.New(rand.NewPCG(1, 1)))
	return s
}

func source(seed uint64) *rand.Rand {
	if seed == 0 {
		return nil
	}
	return rand.New(rand.NewPCG(seed, 2))
}

// positions returns random positions in which neither side has won or wins within
// the turn, some of them in the middle of a turn.
func positions(n int) (games []*game.Game) {
	rng := rand.New(rand.NewPCG(7, 7))
	for len(games) < n {
		g := game.FromBoard(gametest.RandomBoard(rng, 8), game.Color(rng.IntN(2)))
		for range rng.IntN(4) {
			if !g.Result().Over() {
				legal := g.Legal(nil)
				g.Play(legal[rng.IntN(len(legal))])
			}
		}
		if !g.Result().Over() && !wins(g) {
			games = append(games, g)
		}
	}
	return games
}

func wins(g *game.Game) bool {
	s := New(DefaultConfig(), mcts.New(mcts.DefaultConfig(), 1))
	turn, _ := s.finder.Winning(g, math.MaxInt64)
	return turn != nil
}

// The probability of every position is the sum over all ways that lead there, and
// what is not expanded has all of it together.
func TestMergingConservesProbability(t *testing.T) {
	merged := 0
	for i, g := range positions(40) {
		for _, seed := range []uint64{0, uint64(i + 1)} {
			s := search(g, DefaultConfig(), 200, seed)
			tree := &s.own
			prior := make([]float64, len(tree.positions))
			ways := make([]int, len(tree.positions))
			prior[0] = 1
			leaves := 0.0
			for at := range tree.positions {
				p := &tree.positions[at]
				if p.state != expanded {
					leaves += p.prior
					continue
				}
				for _, e := range tree.span(p) {
					prior[e.to] += p.prior * float64(e.prior)
					ways[e.to]++
				}
			}
			for at, p := range tree.positions {
				if math.Abs(p.prior-prior[at]) > 1e-9 {
					t.Fatalf("position %d: probability %v, its ways bring %v", at, p.prior, prior[at])
				}
				if ways[at] > 1 {
					merged++
				}
			}
			if math.Abs(leaves-1) > 1e-5 {
				t.Errorf("game %d: the leaves have probability %v together", i, leaves)
			}
		}
	}
	if merged < 1000 {
		t.Errorf("%d positions were reached by several ways: too few to test anything", merged)
	}
}

// Every step of a chosen turn is legal and has a target over legal actions that
// sums to 1, with a weight from 0 to 1: in any game, whatever the plan and wherever
// it stops.
func FuzzTurns(f *testing.F) {
	for i := range uint64(60) {
		f.Add(i, uint8(1+i*i%119), uint8(i*7), i%2)
	}
	f.Fuzz(func(t *testing.T, seed uint64, planned, flying uint8, sample uint64) {
		rng := rand.New(rand.NewPCG(seed, 3))
		config := DefaultConfig()
		config.CScale = []float64{0.4, 0, 100}[rng.IntN(3)]
		config.Guide = []float64{0, 15}[rng.IntN(2)]
		config.SamplingTemperature = []float64{1, 3}[rng.IntN(2)]
		config.Candidates = 1 + rng.IntN(10)
		g := game.FromBoard(gametest.RandomBoard(rng, 8), game.Color(rng.IntN(2)))
		s := New(config, mcts.New(mcts.DefaultConfig(), 1))
		s.Reset(g)
		for play := g.Clone(); play.Turns() < 4 && !play.Result().Over(); {
			s.Begin(1+int(planned), source(sample))
			drive(s, 1+rng.IntN(1+int(planned)), 1+int(flying), rng)
			out, ok := s.Outcome(float64(seed%3), rng)
			if !ok {
				t.Fatal("no outcome")
			}
			legal := play.Legal(nil)
			checkTarget(t, out, legal)
			if v := s.Value(); !(v >= 0 && v <= 1) {
				t.Errorf("value %v", v)
			}
			for _, m := range s.Root(nil) {
				if !slices.Contains(legal, m.Action) || m.Visits < 0 || !(m.Q >= 0 && m.Q <= 1) {
					t.Errorf("%+v", m)
				}
			}
			a := out.Action
			if rng.IntN(8) == 0 {
				a = legal[rng.IntN(len(legal))]
			}
			if !slices.Contains(legal, a) {
				t.Fatalf("action %d is not legal", a)
			}
			play.Play(a)
			s.Advance(a)
			if s.Game().Hash() != play.Hash() {
				t.Fatal("the search stands elsewhere")
			}
		}
	})
}

// The targets of a finished search have full weight where the turn begins.
func TestWeights(t *testing.T) {
	for _, g := range positions(30) {
		if out, _ := search(g, DefaultConfig(), 100, 1).Outcome(0, nil); g.StepsLeft() == 4 && out.Weight != 1 {
			t.Errorf("weight %v", out.Weight)
		}
	}
}

func checkTarget(t *testing.T, out mcts.Outcome, legal []game.Action) {
	t.Helper()
	if !(out.Weight >= 0 && out.Weight <= 1) {
		t.Errorf("weight %v", out.Weight)
	}
	if len(out.Target) == 0 && out.Weight == 0 {
		return
	}
	sum := 0.0
	for _, share := range out.Target {
		if !slices.Contains(legal, share.Action) || share.Fraction <= 0 {
			t.Errorf("share %+v", share)
		}
		sum += float64(share.Fraction)
	}
	if math.Abs(sum-1) > 1e-5 {
		t.Errorf("the target sums to %v", sum)
	}
}

// The targets along the turn multiply to the improved policy over ends: prior times
// tilt, summed over all orders of the steps.
func TestTargetsSpreadTheImprovedPolicy(t *testing.T) {
	for _, g := range positions(20) {
		s := search(g, DefaultConfig(), 150, 0)
		s.weigh()
		tree := &s.own
		// flow is the improved policy passed down edge by edge.
		flow := make([]float64, len(tree.positions))
		flow[0] = 1
		for left := g.StepsLeft(); left > 0; left-- {
			for at := range tree.positions {
				p := &tree.positions[at]
				if p.state != expanded || g.StepsLeft()-len(tree.path(int32(at), nil)) != left {
					continue
				}
				for _, e := range tree.span(p) {
					flow[e.to] += flow[at] * float64(e.prior) * tree.positions[e.to].tilt / p.tilt
				}
			}
		}
		for at, p := range tree.positions {
			if want := p.prior * p.tilt / tree.positions[0].tilt; math.Abs(flow[at]-want) > 1e-4*want+1e-12 {
				t.Fatalf("position %d: %v flows there, the improved policy is %v", at, flow[at], want)
			}
		}
	}
}

// A better value of an end makes the steps that lead there more likely.
func TestTargetFollowsValues(t *testing.T) {
	g := positions(1)[0]
	s := search(g, DefaultConfig(), 150, 0)
	s.weigh()
	var worst, best int32 = -1, -1
	for i := range s.own.positions {
		p := &s.own.positions[i]
		if p.state == judged && (best < 0 || p.value > s.own.positions[best].value) {
			best = int32(i)
		}
		if p.state == judged && (worst < 0 || p.value < s.own.positions[worst].value) {
			worst = int32(i)
		}
	}
	b, w := &s.own.positions[best], &s.own.positions[worst]
	if root := s.own.positions[0].tilt; b.tilt <= root || w.tilt >= root {
		t.Errorf("tilts: best end %v, worst %v, root %v", b.tilt, w.tilt, root)
	}
	if v := float64(s.Value()); v <= w.value || v >= b.value {
		t.Errorf("value %v is not between %v and %v", v, w.value, b.value)
	}
}

// A win within the turn is played without an evaluation, and an end after which
// the opponent wins is a loss.
func TestWins(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	won, lost := 0, 0
	for won < 30 || lost < 30 {
		g := game.FromBoard(gametest.RandomBoard(rng, 8), game.Gold)
		if g.Result().Over() {
			continue
		}
		config := DefaultConfig()
		config.WinSteps = 1 << 40
		if !wins(g) {
			s := search(g, config, 60, 0)
			for i := range s.own.positions {
				p := &s.own.positions[i]
				if p.state != judged {
					continue
				}
				after := game.New()
				s.own.visit(int32(i), after)
				if !after.Result().Over() && wins(after) {
					lost++
					if p.value != 0 || !p.exact {
						t.Errorf("an end that loses at once has value %v", p.value)
					}
				}
			}
			continue
		}
		won++
		s := search(g, config, 60, 0)
		if s.returned != 0 {
			t.Errorf("%d evaluations for a win", s.returned)
		}
		for s.Game().Side() == game.Gold && !s.Game().Result().Over() {
			out, ok := s.Outcome(1, rng)
			if !ok || s.Value() != 1 || len(out.Target) != 1 || out.Weight != 1 {
				t.Fatalf("outcome %+v %t, value %v", out, ok, s.Value())
			}
			s.Advance(out.Action)
		}
		if r := s.Game().Result(); !r.Over() || r.Winner != game.Gold {
			t.Errorf("a won position was played to %v", r)
		}
	}
}

// The number of leaves in flight and the order in which they return change
// nothing, with or without sampling.
func TestBatchesChangeNothing(t *testing.T) {
	order := rand.New(rand.NewPCG(9, 9))
	for i, g := range positions(40) {
		seed := uint64(i % 3)
		want := search(g, DefaultConfig(), 90, seed)
		for _, flying := range []int{2, 7, 100} {
			s := New(DefaultConfig(), mcts.New(mcts.DefaultConfig(), 1))
			s.Reset(g)
			s.Begin(90, source(seed))
			drive(s, 90, flying, order)
			if !slices.Equal(s.own.positions, want.own.positions) {
				t.Fatalf("game %d: %d leaves in flight change what is found", i, flying)
			}
			a, _ := s.Outcome(0, nil)
			b, _ := want.Outcome(0, nil)
			if a.Action != b.Action || !slices.Equal(a.Target, b.Target) {
				t.Fatalf("game %d: %+v, want %+v", i, a, b)
			}
			want = search(g, DefaultConfig(), 90, seed)
		}
	}
}

// What a stopped game costs is the same for both: it is taken from every worth, whoever is to move,
// and left out of the value.
func TestStoppedPenalty(t *testing.T) {
	const penalty, stopped = 0.5, 0.25
	config := mcts.DefaultConfig()
	config.StoppedPenalty = penalty
	for _, g := range positions(20) {
		s := New(DefaultConfig(), mcts.New(config, 1))
		s.Reset(g)
		s.Begin(100, nil)
		for s.Simulations() < 100 {
			if leaf, status := s.Select(); status == mcts.Evaluate {
				e := judge(leaf.Game, leaf.Legal)
				e.Stopped = stopped
				if e.Value = 0.875; leaf.Game.Side() != g.Side() {
					e.Value = 0.125
				}
				s.Expand(leaf, e)
			}
		}
		s.weigh()
		exact := false
		for i := range s.own.positions {
			p := &s.own.positions[i]
			here := p.exact || p.reply >= 0 && slices.ContainsFunc(s.replies[p.reply].positions, func(r position) bool { return r.exact })
			exact = exact || here
			if (p.state == judged || p.state == expanded) && !here {
				if want := (worth{0.875 - penalty*stopped, penalty * stopped}); math.Abs(p.value-want.value) > 1e-6 || math.Abs(p.cost-want.cost) > 1e-6 {
					t.Errorf("a worth is %+v, want %+v", p.worth, want)
				}
			}
		}
		if v := s.Value(); !exact && math.Abs(float64(v)-0.875) > 1e-6 {
			t.Errorf("the value is %v, want 0.875", v)
		}
	}
}

// Values belong to a player: if one side's chance is the same everywhere, it is so
// within the turn, at its ends and after the replies. And every evaluation is
// counted once.
func TestValuesAndEvaluations(t *testing.T) {
	replied := 0
	for _, g := range positions(20) {
		s := New(DefaultConfig(), mcts.New(mcts.DefaultConfig(), 1))
		s.Reset(g)
		s.Begin(100, nil)
		for s.Simulations() < 100 {
			if leaf, status := s.Select(); status == mcts.Evaluate {
				e := judge(leaf.Game, leaf.Legal)
				if e.Value = 0.875; leaf.Game.Side() != g.Side() {
					e.Value = 0.125
				}
				s.Expand(leaf, e)
			}
		}
		s.weigh()
		evaluations := s.own.grown
		for i := range s.own.positions {
			p := &s.own.positions[i]
			evaluations += p.evaluations
			exact := p.reply >= 0 && slices.ContainsFunc(s.replies[p.reply].positions, func(r position) bool { return r.exact })
			if (p.state == judged || p.state == expanded) && !p.exact && !exact && math.Abs(p.value-0.875) > 1e-9 {
				t.Errorf("a value is %v, want 0.875", p.value)
			}
			if p.evaluations > 1 {
				replied++
			}
		}
		if evaluations != s.returned {
			t.Errorf("the positions have %d evaluations together, made were %d", evaluations, s.returned)
		}
	}
	if replied < 20 {
		t.Errorf("%d ends were judged by replies", replied)
	}
}

// A search that has been used finds what a new one finds.
func TestReuse(t *testing.T) {
	used := New(DefaultConfig(), mcts.New(mcts.DefaultConfig(), 1))
	for i, g := range positions(30) {
		seed := uint64(i % 2)
		used.Reset(g)
		used.Begin(70, source(seed))
		drive(used, 70, 3, rand.New(rand.NewPCG(1, 1)))
		want := search(g, DefaultConfig(), 70, seed)
		a, _ := used.Outcome(0, nil)
		b, _ := want.Outcome(0, nil)
		if a.Action != b.Action || !slices.Equal(a.Target, b.Target) || used.Value() != want.Value() {
			t.Fatalf("game %d: %+v, a new search finds %+v", i, a, b)
		}
	}
}

func TestCancel(t *testing.T) {
	g := positions(1)[0]
	want := search(g, DefaultConfig(), 80, 0)
	s := New(DefaultConfig(), mcts.New(mcts.DefaultConfig(), 1))
	s.Reset(g)
	s.Begin(80, nil)
	for n := 0; s.Simulations() < 80; n++ {
		leaf, status := s.Select()
		switch {
		case status != mcts.Evaluate:
		case n%3 == 0:
			s.Cancel(leaf)
		default:
			s.Expand(leaf, judge(leaf.Game, leaf.Legal))
		}
	}
	if !slices.Equal(s.own.positions, want.own.positions) {
		t.Error("leaves that were cancelled change what is found")
	}
	s.Reset(g)
	leaf, _ := s.Select()
	s.Reset(g)
	s.Expand(leaf, judge(leaf.Game, leaf.Legal))
	if s.returned != 0 {
		t.Error("a void leaf was counted")
	}
	s.Begin(80, nil)
	drive(s, 20, 1, rand.New(rand.NewPCG(1, 1)))
	leaf, status := s.Select()
	out, _ := s.Outcome(0, nil)
	s.Advance(out.Action)
	before := slices.Clone(s.own.positions)
	s.Expand(leaf, judge(leaf.Game, leaf.Legal))
	if status != mcts.Evaluate || !slices.Equal(s.own.positions, before) {
		t.Error("a leaf from before the turn was chosen changes what is found")
	}
	s.Reset(g)
	leaf, _ = s.Select()
	s.Reset(game.New())
	s.Expand(leaf, judge(leaf.Game, leaf.Legal))
	s.Cancel(leaf)
	if s.Simulations() != 0 {
		t.Error("a void leaf of a turn was counted in the setup")
	}
}

// A search never makes more evaluations than planned, and without a plan it goes
// on as long as it is asked.
func TestPlan(t *testing.T) {
	for _, g := range positions(20) {
		for _, n := range []int{1, 2, 5, 13, 64, 300} {
			s := search(g, DefaultConfig(), n, 0)
			if s.returned > n {
				t.Errorf("%d evaluations, planned %d", s.returned, n)
			}
		}
	}
	s := New(DefaultConfig(), mcts.New(mcts.DefaultConfig(), 1))
	s.Reset(positions(1)[0])
	drive(s, 1000, 1, rand.New(rand.NewPCG(1, 1)))
	if s.returned < 900 {
		t.Errorf("%d evaluations of 1000 without a plan", s.returned)
	}
}

// A whole game goes through the setup, forced steps and turns played otherwise
// than they were chosen.
func TestWholeGame(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	s := New(DefaultConfig(), mcts.New(mcts.DefaultConfig(), 8))
	s.Reset(game.New())
	play := game.New()
	for play.Turns() < 30 && !play.Result().Over() {
		n := 20
		if play.InSetup() {
			n = 3
		}
		s.Begin(n, source(uint64(play.Turns()%2)))
		drive(s, n, 1, rng)
		out, ok := s.Outcome(1, rng)
		if !ok {
			t.Fatal("no outcome")
		}
		legal := play.Legal(nil)
		a := out.Action
		if rng.IntN(8) == 0 {
			a = legal[rng.IntN(len(legal))]
		}
		if !slices.Contains(legal, a) {
			t.Fatalf("illegal action %d", a)
		}
		play.Play(a)
		s.Advance(a)
		if s.Game().Hash() != play.Hash() {
			t.Fatal("the search stands elsewhere")
		}
	}
}

// After the first turns a search does not allocate.
func TestMemory(t *testing.T) {
	games := positions(20)
	s := New(DefaultConfig(), mcts.New(mcts.DefaultConfig(), 1))
	priors := make([]float32, game.NumActions)
	rng := rand.New(rand.NewPCG(1, 1))
	turn := func(g *game.Game) {
		s.Reset(g)
		s.Begin(80, rng)
		for s.Simulations() < 80 {
			leaf, status := s.Select()
			if status != mcts.Evaluate {
				continue
			}
			p := priors[:len(leaf.Legal)]
			for i := range p {
				p[i] = 1 / float32(len(p))
			}
			s.Expand(leaf, mcts.Evaluation{Priors: p, Value: 0.5})
		}
		s.Outcome(1, rng)
	}
	for range 5 {
		for _, g := range games {
			turn(g)
		}
	}
	i := 0
	if n := testing.AllocsPerRun(50, func() { turn(games[i%len(games)]); i++ }); n > 2 {
		t.Errorf("%v allocations a turn", n)
	}
}

// TestCapturePrior: steps that lead to a capture get their share at the root of the
// turn, of the own and of the opponent's.
func TestCapturePrior(t *testing.T) {
	config := DefaultConfig()
	config.CapturePrior = 0.5
	var finder tactics.Captures
	own, replies := 0, 0
	check := func(tr *tree, g *game.Game) (found bool) {
		legal := g.Legal(nil)
		steps := finder.Find(g, legal)
		var share float64
		for i, e := range tr.span(&tr.positions[0]) {
			if slices.Contains(steps, i) {
				share += float64(e.prior)
			}
		}
		if len(steps) > 0 && share < 0.5 {
			t.Errorf("steps that lead to a capture have %g of the priors", share)
		}
		return len(steps) > 0
	}
	for _, g := range positions(60) {
		s := search(g, config, 120, 1)
		if wins(g) || len(s.own.positions) == 0 || s.own.positions[0].count == 0 {
			continue
		}
		if check(&s.own, g) {
			own++
		}
		for _, r := range s.replies[:s.opened] {
			if r.positions[0].count > 0 && check(r, r.game) {
				replies++
			}
		}
	}
	if own < 5 || replies < 5 {
		t.Errorf("captures in %d turns and %d replies only", own, replies)
	}
}

// TestTargetWithoutTheShareForCaptures: a search whose values count for nothing gives
// the network's policy back as the target, wherever the share for captures made it look.
func TestTargetWithoutTheShareForCaptures(t *testing.T) {
	config := DefaultConfig()
	config.CapturePrior, config.PassPrior, config.CScale = 0.5, 0.05, 0
	favoured := 0
	for _, g := range positions(60) {
		s := search(g, config, 120, 1)
		if s.won || g.Result().Over() {
			continue
		}
		out, ok := s.Outcome(1, rand.New(rand.NewPCG(1, 1)))
		if !ok {
			t.Fatal("no outcome")
		}
		legal := g.Legal(nil)
		policy, _ := mcts.LimitPass(legal, judge(g, legal).Priors, float32(config.PassPrior), nil)
		for _, share := range out.Target {
			i := slices.Index(legal, share.Action)
			if math.Abs(float64(share.Fraction-policy[i])) > 0.01 { // small shares are left out
				t.Errorf("%v has %g of the target, %g of the policy", share.Action, share.Fraction, policy[i])
			}
		}
		for i, e := range s.own.span(&s.own.positions[0]) {
			if math.Abs(float64(e.prior-policy[i])) > 0.05 {
				favoured++
			}
		}
	}
	if favoured < 20 {
		t.Errorf("only %d steps were favoured", favoured)
	}
}

// A search that knows only lost ends goes on until it finds another or has nothing left.
func TestLooksOnBehindLostEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	tried, saved := 0, 0
	for tried < 60 {
		b, side := gametest.RandomBoard(rng, 8), game.Color(rng.IntN(2))
		g, threat := game.FromBoard(b, side), game.FromBoard(b, side.Other())
		if g.Result().Over() || wins(g) || threat.Result().Over() || !wins(threat) {
			continue
		}
		tried++
		s := search(g, DefaultConfig(), 100, 0)
		count := map[state]int{}
		lost := 0
		for _, p := range s.own.positions {
			count[p.state]++
			if p.state == judged && p.exact {
				lost++
			}
		}
		switch {
		case lost < count[judged]:
			saved++
		case count[end] > 0 || s.spent < 99 && count[open] > 0:
			t.Errorf("all %d judged ends are lost after %d of 100 evaluations; %d ends and %d open positions were not looked at\n%s",
				lost, s.spent, count[end], count[open], game.FormatDiagram(g.Board(), g.TurnLabel()))
		}
		for _, m := range s.Root(nil) {
			if m.Visits > 100 {
				t.Errorf("%d visits of 100 evaluations", m.Visits)
			}
		}
	}
	if saved < 20 {
		t.Errorf("an end that is not lost in %d of %d positions: too few to tell", saved, tried)
	}
}
