package tactics

import (
	"fmt"
	"math/bits"
	"testing"

	"warren/game"
	"warren/internal/gametest"
)

// TestWinningTurnsOfRealGames: a win is found in every state of the last turn of
// every game that ended on the board.
func TestWinningTurnsOfRealGames(t *testing.T) {
	found := map[game.Reason]int{}
	for n, m := range gametest.Archive(t) {
		r := m.Game.Result()
		if !r.Over() || m.Game.Side() == r.Winner {
			continue
		}
		g := game.New()
		start := 0
		for i, action := range m.Actions {
			if g.StepsLeft() == 4 {
				start = i
			}
			g.Play(action)
		}
		g = game.New()
		for i, action := range m.Actions {
			if i >= start && Winning(g) == nil {
				t.Errorf("game %d: no win by %v found with %d steps left; %d of the opponent's pieces can move\n%s", n+1, r.Reason,
					g.StepsLeft(), bits.OnesCount64(movers(g.Board(), g.Side().Other())), game.FormatDiagram(g.Board(), g.TurnLabel()))
			}
			g.Play(action)
		}
		found[r.Reason]++
	}
	t.Logf("games won: %v", found)
	if found[game.Goal] < 50 || found[game.Immobilization] == 0 || found[game.Elimination] == 0 {
		t.Errorf("games won: %v; want more of each", found)
	}
}

// movers returns the pieces of c that are not frozen and have a free square
// beside them.
func movers(b *game.Board, c game.Color) uint64 {
	return b.Color(c) &^ b.Frozen(c) & game.Neighbors(^b.Occupied())
}

// BenchmarkWinTests tests the positions of real games as the leaves of a search are, within budgets of steps.
func BenchmarkWinTests(b *testing.B) {
	var positions []*game.Game
	for _, m := range gametest.Archive(b) {
		g := game.New()
		for i, action := range m.Actions {
			g.Play(action)
			if i%7 == 0 && !g.InSetup() && !g.Result().Over() {
				positions = append(positions, g.Clone())
			}
		}
	}
	for _, budget := range []int64{100, 200, 1000} {
		b.Run(fmt.Sprint(budget), func(b *testing.B) {
			var f Finder
			won, lost, i := 0, 0, 0
			for b.Loop() {
				g := positions[i%len(positions)]
				i++
				turn, spent := f.Winning(g, budget)
				if turn != nil {
					won++
				} else if l, _ := f.Losing(g, budget-spent); l {
					lost++
				}
			}
			b.ReportMetric(100*float64(won)/float64(i), "%won")
			b.ReportMetric(100*float64(lost)/float64(i), "%lost")
		})
	}
}
