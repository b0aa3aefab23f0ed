package find

import (
	"math/bits"
	"slices"
	"testing"

	"warren/game"
	"warren/internal/puzzle"
)

// of returns the shipped puzzles of a kind.
func of(t *testing.T, kind puzzle.Kind) []puzzle.Puzzle {
	t.Helper()
	file, err := puzzle.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(file.Puzzles, func(p puzzle.Puzzle) bool { return p.Kind != kind })
}

// A second turn is found exactly where one of all distinct turns is good.
func TestSecond(t *testing.T) {
	var yes, no int
	for _, p := range of(t, puzzle.Gain)[:5] {
		f := new(Finder)
		f.goals.SkipImmobilization = true
		s := f.gain(&p)
		ends := p.Game().DistinctTurns()
		for i := range 12 {
			after := game.FromBoard(ends[i*len(ends)/12], p.Side.Other())
			replies := after.DistinctTurns()
			g := game.FromBoard(replies[i*len(replies)/12], p.Side)
			want := slices.ContainsFunc(g.DistinctTurns(), func(end game.Board) bool {
				last := game.FromBoard(end, p.Side.Other())
				return count(&end, p.Side) == s.own && count(&end, p.Side.Other()) < s.theirs && (last.Result().Over() || !f.scores(last))
			})
			turn, known := s.find(g)
			if (turn != nil) != want || !known {
				t.Fatalf("%s: found %v, known %v; want one: %v\n%s", p.ID, turn, known, want, game.FormatDiagram(g.Board(), ""))
			}
			if want {
				yes++
			} else {
				no++
			}
		}
	}
	t.Logf("%d with a second turn, %d without", yes, no)
	if yes < 3 || no < 3 {
		t.Errorf("%d positions with a second turn, %d without", yes, no)
	}
}

// A turn or a reply after which a piece is lost is wrong, and so is a reply that scores.
func TestGainLosesNothing(t *testing.T) {
	for _, p := range of(t, puzzle.Gain)[:3] {
		f := new(Finder)
		f.goals.SkipImmobilization = true
		s, other := f.gain(&p), p.Side.Other()
		answer := *puzzle.End(p.Game(), p.Answer).Board()
		scored := answer
		scored.Remove(first(scored.Pieces(other, game.Rabbit)))
		scored.Put(first(game.GoalRank(other)&^scored.Occupied()), other, game.Rabbit)
		check := func(what string, wantRight, wantAnswered bool) {
			t.Helper()
			if right, _ := s.right(&answer); right != wantRight {
				t.Errorf("%s: %s: the answer is right: %v", p.ID, what, right)
			}
			if answered, _ := s.answers(game.FromBoard(answer, p.Side)); answered != wantAnswered {
				t.Errorf("%s: %s: a second turn: %v", p.ID, what, answered)
			}
		}
		check("nothing is lost", true, true)
		if answered, _ := s.answers(game.FromBoard(scored, p.Side)); answered {
			t.Errorf("%s: there is a second turn after a goal", p.ID)
		}
		s.own++
		check("a piece is lost", false, false)
	}
}

// A goal answers a reply, unless the reply took a piece.
func TestGoalAnswers(t *testing.T) {
	for _, p := range of(t, puzzle.Goal)[:3] {
		f := new(Finder)
		s := f.gain(&p)
		if yes, known := s.answers(p.Game()); !yes || !known {
			t.Errorf("%s: a goal does not answer", p.ID)
		}
		s.own++
		if yes, _ := s.answers(p.Game()); yes {
			t.Errorf("%s: a goal answers the loss of a piece", p.ID)
		}
	}
}

func first(squares uint64) game.Square { return game.Square(bits.TrailingZeros64(squares)) }

// A piece that can be taken for nothing at once is no gain.
func TestTakesNow(t *testing.T) {
	f := new(Finder)
	f.goals.SkipImmobilization = true
	for _, p := range append(of(t, puzzle.Capture)[:2], of(t, puzzle.Gain)[:12]...) {
		if got, want := f.takesNow(&p, p.Game().DistinctTurns()), p.Kind == puzzle.Capture; got != want {
			t.Errorf("%s: a piece is taken at once: %v", p.ID, got)
		}
	}
}
