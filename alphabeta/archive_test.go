package alphabeta

import (
	"math/bits"
	"os"
	"testing"

	"warren/game"
)

// archived returns the real games that come with the tests of package game.
func archived(t testing.TB) (games []game.MoveList) {
	t.Helper()
	f, err := os.Open("../game/testdata/archive-2026-02.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for a, err := range game.ReadArchive(f) {
		if err != nil {
			t.Fatal(err)
		}
		m, err := game.ParseMoveList(a.MoveList)
		if err != nil {
			t.Fatalf("line %d: %v", a.Line, err)
		}
		games = append(games, *m)
	}
	return games
}

// TestWinningTurnsOfRealGames: the last turn of every game that its player won
// on the board is found to be a win, from each of its states.
func TestWinningTurnsOfRealGames(t *testing.T) {
	found := map[game.Reason]int{}
	for n, m := range archived(t) {
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
