package gather

import (
	"bufio"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"warren/game"
	"warren/game/tactics"
	"warren/internal/eval"
	"warren/internal/gametest"
	"warren/mcts"
)

// solver returns settings with which a search proves as much as it can.
func solver() mcts.Config {
	c := mcts.AlphaZeroConfig()
	c.Proofs, c.SkipForced = true, true
	c.WinTestSteps = 200000
	return c
}

// uniform returns a stream of the evaluator without knowledge.
func uniform(t *testing.T) eval.Stream {
	t.Helper()
	stream, err := eval.Uniform{}.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

// TestPlaysWonTurns checks that without a network, with two visits per step, the
// search wins at once from every position that is won within the turn.
func TestPlaysWonTurns(t *testing.T) {
	var starts []*game.Game
	for _, m := range gametest.Archive(t) {
		g := game.New()
		for _, a := range m.Actions {
			if r := m.Game.Result(); r.Over() && g.Side() == r.Winner && !g.InSetup() && tactics.Winning(g) != nil {
				starts = append(starts, g.Clone())
			}
			g.Play(a)
		}
	}
	real := len(starts)
	if real == 0 {
		t.Error("no position of the archive is won within the turn")
	}
	rng := rand.New(rand.NewPCG(1, 4))
	for len(starts) < real+500 {
		g := game.FromBoard(gametest.RandomBoard(rng, 2+rng.IntN(7)), game.Color(rng.IntN(2)))
		if tactics.Winning(g) != nil {
			starts = append(starts, g)
		}
	}
	reasons := map[game.Reason]int{}
	var leaves Leaves
	stream := uniform(t)
	for _, start := range starts {
		s := mcts.New(solver(), 100)
		s.Reset(start)
		for s.Game().Side() == start.Side() && !s.Game().Result().Over() {
			simulate(t, &leaves, s, stream, 2)
			out, _ := s.Outcome(0, nil)
			s.Advance(out.Action)
		}
		r := s.Game().Result()
		if !r.Over() || r.Winner != start.Side() {
			t.Errorf("not won:\n%s", game.FormatDiagram(start.Board(), start.TurnLabel()))
		}
		reasons[r.Reason]++
	}
	t.Logf("%d positions of real games and %d random ones won: %v", real, len(starts)-real, reasons)
}

// forcedVisits is the number of simulations that a proof may take.
const forcedVisits = 1000

// TestProvesForcedGoals checks that without a network the search proves positions
// that are not won within the turn but are within the next, whatever the reply.
func TestProvesForcedGoals(t *testing.T) {
	var leaves Leaves
	stream := uniform(t)
	var simulations []int
	proven, tried := 0, 0
	for _, g := range forcedPositions(t) {
		if testing.Short() && tried == 20 {
			break
		}
		tried++
		s := mcts.New(solver(), forcedVisits)
		s.Reset(g)
		simulate(t, &leaves, s, stream, forcedVisits)
		switch s.Proof() {
		case mcts.Won:
			proven++
			simulations = append(simulations, s.Simulations())
		case mcts.Lost:
			t.Errorf("said to be lost: %s", game.FormatDiagram(g.Board(), g.TurnLabel()))
		}
	}
	slices.Sort(simulations)
	t.Logf("%d of %d proven; simulations: median %d, most %d", proven, tried, simulations[len(simulations)/2], simulations[len(simulations)-1])
	if 2*proven < tried {
		t.Errorf("%d of %d proven, want half", proven, tried)
	}
}

// forcedPositions returns the positions in testdata/forced.txt.
func forcedPositions(t *testing.T) (games []*game.Game) {
	t.Helper()
	f, err := os.Open("testdata/forced.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		board, side, err := game.ParsePosition(in.Text())
		if err != nil {
			t.Fatal(err)
		}
		games = append(games, game.FromBoard(board, side))
	}
	return games
}
