package find

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warren/game"
	"warren/internal/puzzle"
)

// Where a puzzle of the program was found, it is found again.
func TestFindsShipped(t *testing.T) {
	file, err := puzzle.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range file.Puzzles {
		if !strings.HasSuffix(p.ID, "-021") {
			continue
		}
		played := p.Answer
		if p.Kind == puzzle.Trap {
			played = p.Losing[0]
		}
		f := Finder{Natural: func(context.Context, *game.Game) ([][]game.Action, error) {
			return slices.Concat(p.Losing[min(1, len(p.Losing)):], [][]game.Action{p.Answer}), nil
		}}
		f.goals.SkipImmobilization = true
		var want [puzzle.NumKinds]bool
		if _, found, err := f.position(t.Context(), p.Board, p.Side, played, want); found != nil || err != nil {
			t.Errorf("%s: found %v, %v though nothing is wanted", p.ID, found, err)
		}
		want[p.Kind] = true
		kind, found, err := f.position(t.Context(), p.Board, p.Side, played, want)
		if err != nil || found == nil || kind != p.Kind || found.Kind != p.Kind {
			t.Errorf("%s: %v, %v", p.ID, found, err)
			continue
		}
		if !p.Right(found.Answer) || len(found.Losing) != len(p.Losing) {
			t.Errorf("%s: the answer is %s", p.ID, game.FormatTurn(p.Game(), found.Answer))
		}
	}
}

// A game gives a kind only once, and its puzzles are apart.
func TestGame(t *testing.T) {
	file, err := os.Open("../../../docs/climb/stage-11-champion.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f := Finder{Natural: func(context.Context, *game.Game) ([][]game.Action, error) { return nil, nil }}
	total, games := 0, 0
	for g, err := range game.ReadGames(file) {
		if games++; games > 12 {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		list, err := game.ParseMoveList(g.MoveList)
		if err != nil {
			t.Fatal(err)
		}
		found, err := f.Game(t.Context(), list.Actions, "game "+g.ID, [puzzle.NumKinds]bool{puzzle.Goal: true, puzzle.Forced: true, puzzle.Defence: true})
		if err != nil {
			t.Fatal(err)
		}
		total += len(found)
		var kinds [puzzle.NumKinds]int
		last := -apart
		for _, p := range found {
			if kinds[p.Kind]++; kinds[p.Kind] > 1 || p.Kind > puzzle.Defence || !p.Right(p.Answer) {
				t.Errorf("%s: %v again, or not wanted, or wrong", p.Source, p.Kind)
			}
			label, ok := strings.CutPrefix(p.Source, "game "+g.ID+" ")
			number, err := strconv.Atoi(strings.TrimRight(label, "gs"))
			if turn := 2*number + strings.Count(label, "s"); !ok || err != nil || turn < last+apart {
				t.Errorf("%s comes %d turns after the one before", p.Source, turn-last)
			} else {
				last = turn
			}
		}
	}
	if total < 2 {
		t.Errorf("%d puzzles", total)
	}
}

// Mirror images, exchanged colours and the same answer on the same squares are alike.
func TestSet(t *testing.T) {
	file, err := puzzle.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	p := file.Puzzles[0]
	s := Set{Each: 2}
	s.Add(p)
	mirrored := p
	mirrored.Board = p.Board.Mirror()
	mirrored.Answer = changed(p.Answer, game.Action.Mirror)
	flipped := p
	flipped.Board, flipped.Side = p.Board.Flip(), p.Side.Other()
	flipped.Answer = changed(p.Answer, game.Action.Flip)
	answer := p // with one piece less, far from the answer
	for sq := range game.Square(64) {
		after := puzzle.End(p.Game(), p.Answer).Board()
		if p.Board.Occupied()>>sq&1 != 0 && p.Board.Differs(after)>>sq&1 == 0 {
			answer.Board.Remove(sq)
			break
		}
	}
	for name, other := range map[string]puzzle.Puzzle{"itself": p, "mirrored": mirrored, "with exchanged colours": flipped, "with the same answer": answer} {
		if s.Add(other); s.Counts()[p.Kind] != 1 {
			t.Errorf("%s %s is another puzzle", p.ID, name)
		}
	}
	for _, other := range file.Puzzles[1:4] {
		s.Add(other)
	}
	if n := s.Counts()[p.Kind]; n != 2 || s.Want()[p.Kind] || s.Full() {
		t.Errorf("%d puzzles of at most 2; wanted: %v", n, s.Want())
	}
	if ids := s.File().Puzzles; len(ids) != 2 || ids[1].ID != p.Kind.String()+"-002" {
		t.Errorf("the file has %v", ids)
	}
}

func changed(turn []game.Action, change func(game.Action) game.Action) []game.Action {
	var actions []game.Action
	for _, a := range turn {
		actions = append(actions, change(a))
	}
	return actions
}
