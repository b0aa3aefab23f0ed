package game

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The reversal of a step brings back the board before it, and without reversals a turn can end on the
// same boards.
func TestReversal(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	var buf [MaxLegal]Action
	reversals := 0
	for range 20 {
		g := New()
		for g.InSetup() {
			legal := g.Legal(buf[:0])
			g.Play(legal[r.IntN(len(legal))])
		}
		var before Board // before the last step
		for !g.Result().Over() && g.Turns() < 40 {
			legal := g.Legal(buf[:0])
			if a, ok := g.Reversal(); ok && slices.Contains(legal, a) {
				reversals++
				c := g.Clone()
				c.Play(a)
				if g.StepsLeft() == 4 || *c.Board() != before || c.StepsLeft() > 0 && c.Side() == g.Side() && c.Pullable() != 0 {
					t.Fatalf("%s: %v leads to\n%v", g.TurnLabel(), a, c.Board())
				}
			}
			if g.StepsLeft() == 4 && g.Turns()%8 == 0 {
				ends := map[Board]bool{}
				endsWithout(g, ends)
				for _, b := range g.DistinctTurns() {
					if !ends[b] {
						t.Fatalf("%s: without reversals the turn does not end on\n%v", g.TurnLabel(), &b)
					}
				}
			}
			before = *g.Board()
			g.Play(legal[r.IntN(len(legal))])
		}
	}
	if reversals < 100 {
		t.Errorf("only %d reversals", reversals)
	}
}

// A step that begins to push a pulled piece back must be followed by another.
func TestPushBackIsNoReversal(t *testing.T) {
	var b Board
	d3, d4, d5 := Square(19), Square(27), Square(35)
	b.Put(0, Gold, Rabbit)
	b.Put(63, Silver, Rabbit)
	b.Put(d4, Gold, Elephant)
	b.Put(d5, Silver, Dog)
	g := FromBoard(b, Gold)
	g.Play(StepAction(d4, South))
	if back, ok := g.Reversal(); !ok || back != StepAction(d3, North) {
		t.Errorf("%v takes the step back: %t", back, ok)
	}
	g.Play(StepAction(d5, South))
	if back, ok := g.Reversal(); ok {
		t.Errorf("%v takes the pull back, though it begins a push", back)
	}
}

// endsWithout adds the boards on which the turn can end without reversals.
func endsWithout(g *Game, ends map[Board]bool) {
	var buf [MaxLegal]Action
	mark := g.Mark()
	for _, a := range g.Legal(buf[:0]) {
		if back, ok := g.Reversal(); ok && a == back {
			continue
		}
		turns := g.Turns()
		g.Play(a)
		if g.Turns() > turns {
			ends[*g.Board()] = true
		} else {
			endsWithout(g, ends)
		}
		g.Restore(mark)
	}
}
