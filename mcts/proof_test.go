package mcts

import (
	"math/rand/v2"
	"testing"

	"warren/game"
)

// duel returns a position of one or two rabbits and up to two officers a side,
// in which everything can be searched.
func duel(rng *rand.Rand) *game.Game {
	for {
		var b game.Board
		put := func(c game.Color, k game.Kind, ranks uint64) {
			for {
				if s := game.Square(rng.IntN(64)); ranks&^(b.Occupied()|game.Traps|game.GoalRank(c))>>s&1 != 0 {
					b.Put(s, c, k)
					return
				}
			}
		}
		for c := game.Gold; c <= game.Silver; c++ {
			for range 1 + rng.IntN(2) {
				put(c, game.Rabbit, 0x00ffffffffffff00)
			}
			for range rng.IntN(3) {
				put(c, game.Cat+game.Kind(rng.IntN(5)), ^uint64(0))
			}
		}
		if g := game.FromBoard(b, game.Color(rng.IntN(2))); !g.Result().Over() {
			return g
		}
	}
}

// forced reports whether winner wins by force within the given number of turns,
// the present one included. It tries everything.
func forced(g *game.Game, winner game.Color, turns int, seen map[uint64]bool) bool {
	if r := g.Result(); r.Over() {
		return r.Winner == winner
	}
	if turns == 0 {
		return false
	}
	key := g.Hash() + uint64(turns)
	if known, ok := seen[key]; ok {
		return known
	}
	mark, side := g.Mark(), g.Side()
	won := side != winner
	for _, a := range g.Legal(nil) {
		g.Play(a)
		left := turns
		if g.Side() != side {
			left--
		}
		next := forced(g, winner, left, seen)
		g.Restore(mark)
		if next == (side == winner) {
			won = next
			break
		}
	}
	seen[key] = won
	return won
}

// TestProofsAreTrue checks what searches prove of the root and of its actions
// against exhaustive search, with and without win tests and by both rules.
func TestProofsAreTrue(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	n := 400
	if testing.Short() {
		n = 60
	}
	checked, byLength, deeper := 0, [4]int{}, 0
	for i := range n {
		g := duel(rng)
		config := AlphaZeroConfig()
		config.Proofs, config.SkipForced = true, i%4 < 2
		config.WinTestSteps = 1000 * (1 - i%2)
		if i%8 < 4 {
			config.Rule = GumbelRule
		}
		s := New(config, 3000)
		s.Reset(g)
		s.Begin(1000, nil)
		run(s, 1000, uniform)
		check := func(g *game.Game, p Proof) {
			if p == Unproven {
				return
			}
			winner := s.Game().Side()
			if p == Lost {
				winner = winner.Other()
			}
			// Longer proofs take too long to check.
			for turns := 1; turns <= 3; turns++ {
				if forced(g, winner, turns, map[uint64]bool{}) {
					byLength[turns]++
					return
				}
			}
			if forced(g, winner.Other(), 2, map[uint64]bool{}) {
				t.Fatalf("%v is said to win\n%s", winner, game.FormatDiagram(g.Board(), g.TurnLabel()))
			}
			deeper++
		}
		check(g.Clone(), s.Proof())
		if s.Proof() != Unproven {
			checked++
		}
		for _, m := range s.Root(nil) {
			if m.Proof != Unproven && m.Q != m.Proof.chance() {
				t.Fatalf("an action with the proof %d is worth %g", m.Proof, m.Q)
			}
			next := g.Clone()
			next.Play(m.Action)
			if next.Result().Over() {
				continue
			}
			if rng.IntN(8) == 0 {
				check(next, m.Proof)
			}
		}
		if out, _ := s.Outcome(1, rng); s.Proof() != Lost && s.proof(s.rootEdge(out.Action), g.Side()) == Lost {
			t.Fatal("a lost action was played without need")
		} else if s.Proof() == Won && s.proof(s.rootEdge(out.Action), g.Side()) != Won {
			t.Fatal("a win was not played")
		}
	}
	t.Logf("%d of %d roots proven; proofs confirmed by turns: %v; %d longer than could be checked", checked, n, byLength, deeper)
	if byLength[1] < n/10 || byLength[2] < n/20 {
		t.Errorf("proofs by turns: %v: too few to tell", byLength)
	}
}

// TestProofLastsToTheEndOfTheTurn plays a proven turn step by step: every new root knows
// that it is won, also if the rule looks at few actions.
func TestProofLastsToTheEndOfTheTurn(t *testing.T) {
	board, side, err := game.ParsePosition("s [" +
		"........" +
		"...H...." +
		"........" +
		"........" +
		".......r" +
		"......d." +
		".E.....R" +
		"........" +
		"]")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []string{PUCT, GumbelRule} {
		config := AlphaZeroConfig()
		config.Rule, config.Proofs, config.Gumbel.Actions = rule, true, 1
		config.WinTestSteps = 20000
		s := New(config, 1000)
		s.Reset(game.FromBoard(board, side))
		s.Begin(200, nil)
		run(s, 200, hashed)
		for step := 1; s.Game().Side() == side; step++ {
			if s.Proof() != Won {
				t.Fatalf("%s: step %d: the proof is %d, want %d", rule, step, s.Proof(), Won)
			}
			out, _ := s.Outcome(0, nil)
			s.Advance(out.Action)
			if s.Game().Side() == side {
				run(s, s.Simulations()+1, hashed)
			}
		}
	}
}

// A visit that only finds an action lost lowers the values above it if
// lost_visits is set, and not otherwise.
func TestLostVisits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	config := AlphaZeroConfig()
	config.Proofs, config.WinTestSteps = true, 1000
	var sums [2]float64
	threatened := 0
	for threatened < 50 {
		g := duel(rng)
		var values [2]float64
		lost, open := 0, true
		for i := range values {
			config.LostVisits = i == 1
			s := New(config, 200)
			s.Reset(g)
			run(s, 60, even)
			values[i] = float64(s.Value())
			open = open && s.Proof() == Unproven
			for _, m := range s.Root(nil) {
				if m.Proof == Lost {
					lost++
				}
			}
		}
		if !open || lost == 0 {
			continue
		}
		threatened++
		sums[0] += values[0]
		sums[1] += values[1]
	}
	if d := (sums[0] - sums[1]) / float64(threatened); d < 0.02 {
		t.Errorf("over %d positions with lost actions the values are %.3f lower where lost visits count, want at least 0.02", threatened, d)
	}
}

// A refuted action is not played while there is another, and a root with nothing
// else is lost.
func TestRefute(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, rule := range []string{PUCT, GumbelRule} {
		config := AlphaZeroConfig()
		config.Proofs, config.Rule, config.DrawPenalty = true, rule, 0.5
		s := New(config, 1000)
		s.Reset(randomGame(rng, 100))
		visit := func(n int) {
			for s.Simulations() < n {
				if leaf, status := s.Select(); status == Evaluate {
					e := Evaluation{Priors: make([]float32, len(leaf.Legal)), Stopped: 0.5}
					e.Value = hashed(leaf.Game, leaf.Legal, e.Priors)
					s.Expand(leaf, e)
				}
			}
		}
		visit(100)
		refuted := map[game.Action]bool{}
		for s.Proof() == Unproven {
			out, _ := s.Outcome(0, nil)
			if refuted[out.Action] {
				t.Fatalf("%s: a refuted action is played again", rule)
			}
			refuted[out.Action] = true
			s.Refute(out.Action)
			s.Refute(out.Action)
			countsOthers(t, s, refuted)
			if s.Proof() == Unproven {
				visit(s.Simulations() + 3)
			}
		}
		if s.Proof() != Lost || len(refuted) < len(s.Root(nil)) {
			t.Errorf("%s: after %d of %d actions the root's proof is %d", rule, len(refuted), len(s.Root(nil)), s.Proof())
		}
	}
	s := New(AlphaZeroConfig(), 100) // without proofs
	s.Reset(game.New())
	s.Refute(0) // not evaluated
	run(s, 20, hashed)
	out, _ := s.Outcome(0, nil)
	s.Refute(out.Action)
	if again, _ := s.Outcome(0, nil); again.Action != out.Action {
		t.Error("an action is refuted without proofs")
	}
}

// countsOthers checks that the root's visits and its value are its own and those of the actions that are not refuted.
func countsOthers(t *testing.T, s *Search, refuted map[game.Action]bool) {
	t.Helper()
	visits, sum := int32(1), whole(s.nodes[0].value)
	for e, end := s.nodes[0].span(); e < end; e++ {
		if refuted[s.actions[e]] {
			continue
		}
		edge := &s.edges[e]
		visits += edge.visits
		sum += edge.sum.total()
		if child := edge.node(); child > 0 {
			sum += s.paid(child)
		}
		if edge.decided() && edge.winner() != s.game.Side() {
			visits-- // that which found the action lost
		}
	}
	if s.Simulations() != int(visits) {
		t.Fatalf("the root has %d visits, its own and those of actions that are not refuted are %d", s.Simulations(), visits)
	}
	if want := mean(sum, visits); s.Proof() == Unproven && s.Value() != want {
		t.Fatalf("the root's value is %g, that of actions that are not refuted %g", s.Value(), want)
	}
}

// An action that is refuted before it has a visit gets none, also if it is the likeliest.
func TestRefutedActionIsNotSearched(t *testing.T) {
	for _, rule := range []string{PUCT, GumbelRule} {
		config := AlphaZeroConfig()
		config.Proofs, config.Rule = true, rule
		s := New(config, 1000)
		s.Reset(randomGame(rand.New(rand.NewPCG(9, 10)), 100))
		run(s, 1, even)
		likeliest := s.Root(nil)[0].Action
		s.Refute(likeliest)
		run(s, 50, even)
		if n := s.edges[s.rootEdge(likeliest)].visits; n > 0 {
			t.Errorf("%s: %d visits of the action", rule, n)
		}
	}
}

// TestProofsOfNewRoots: a position that is won has an action that wins once it is the root, also where another order of
// the same steps has the proof. Otherwise the search would play any action and call it won.
func TestProofsOfNewRoots(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	config := AlphaZeroConfig()
	config.Proofs, config.SkipForced = true, true
	s := New(config, 4000)
	proven := 0
	for range 600 {
		s.Reset(duel(rng))
		run(s, 500, hashed)
		for len(s.nodes) > 0 {
			var kept []game.Action
			for e, end := s.nodes[0].span(); e < end; e++ {
				if s.edges[e].node() > 0 {
					kept = append(kept, s.actions[e])
				}
			}
			if len(kept) == 0 {
				break
			}
			s.Advance(kept[rng.IntN(len(kept))])
			if s.Proof() != Won {
				continue
			}
			proven++
			out, _ := s.Outcome(0, nil)
			if s.proof(s.rootEdge(out.Action), s.Game().Side()) != Won {
				t.Errorf("a position is said to be won, and %v is played", out.Action)
			}
		}
	}
	if proven < 100 {
		t.Errorf("only %d positions are won: too few to tell", proven)
	}
}
