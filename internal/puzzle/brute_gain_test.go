package puzzle_test

import (
	"math/bits"

	"warren/game"
	"warren/internal/puzzle"
)

// gain reports whether a turn of p, which led to after, wins a piece by force: no reply takes
// one or wins, and after each there is a second turn.
func (v *brute) gain(p *puzzle.Puzzle, after *game.Game) bool {
	if lost(p, after.Board()) || after.Result().Over() {
		return false
	}
	for _, turn := range v.escapes {
		if reply := replay(after, turn); reply != nil && !v.second(p, reply) {
			return false
		}
	}
	for reply, turn := range ends(after) {
		if !v.second(p, reply) {
			v.escapes = remember(v.escapes, turn)
			return false
		}
	}
	return true
}

// second reports whether p's side, after a reply, has lost nothing and has a turn that takes a piece,
// loses none and leaves no goal, or that scores.
func (v *brute) second(p *puzzle.Puzzle, g *game.Game) bool {
	if r := g.Result(); r.Over() || lost(p, g.Board()) {
		return r.Over() && r.Winner == p.Side && !lost(p, g.Board())
	}
	for _, turn := range v.captures {
		if after := replay(g, turn); after != nil && v.gained(p, after) {
			return true
		}
	}
	var turn []game.Action
	if !v.captureFrom(p, g, &turn) {
		return false
	}
	v.captures = remember(v.captures, turn)
	return true
}

// gained reports whether the turn that led to g was such a turn.
func (v *brute) gained(p *puzzle.Puzzle, g *game.Game) bool {
	if won(g, p.Side, game.Goal) {
		return true
	}
	if r := g.Result(); r.Over() && r.Winner != p.Side || lost(p, g.Board()) || !took(p, g.Board()) {
		return false
	}
	return g.Result().Over() || !v.goal(g)
}

// captureFrom reports whether the rest of a turn is such a turn, and leaves it in turn.
func (v *brute) captureFrom(p *puzzle.Puzzle, g *game.Game, turn *[]game.Action) bool {
	if g.Side() != p.Side || g.Result().Over() {
		return v.gained(p, g)
	}
	if !took(p, g.Board()) && !capturable(g) && !near(g.Board(), p.Side, g.StepsLeft()) {
		return false
	}
	// The rest of a turn that takes a piece does not depend on how it began.
	key := rest{board: *g.Board(), left: g.StepsLeft()}
	key.pushHole, key.pushed, key.pushing = g.Push()
	key.pullHole, key.puller, key.pulling = g.Pull()
	if v.hopeless[key] {
		return false
	}
	mark, made := g.Mark(), len(*turn)
	for _, a := range g.Legal(nil) {
		g.Play(a)
		*turn = append(*turn, a)
		found := v.captureFrom(p, g, turn)
		g.Restore(mark)
		if found {
			return true
		}
		*turn = (*turn)[:made]
	}
	if v.hopeless == nil {
		v.hopeless = map[rest]bool{}
	}
	v.hopeless[key] = true
	return false
}

// rest is what the rest of a turn depends on.
type rest struct {
	board              game.Board
	left               int
	pushHole, pullHole game.Square
	pushed, puller     game.Kind
	pushing, pulling   bool
}

// capturable reports whether the steps left may take an enemy piece. A step that takes one moves
// one that is beside a trap, or on it. To move an enemy piece takes two steps, the first with a
// stronger piece beside it, unless its puller or the piece itself has moved already.
func capturable(g *game.Game) bool {
	if _, _, pushing := g.Push(); pushing || g.Pullable() != 0 {
		return true
	}
	b, left := g.Board(), g.StepsLeft()
	distance := func(s, t game.Square) int { return abs(int(s)/8-int(t)/8) + abs(int(s)%8-int(t)%8) }
	for enemy := b.Color(g.Side().Other()); enemy != 0; enemy &= enemy - 1 {
		s := game.Square(bits.TrailingZeros64(enemy))
		_, kind, _ := b.At(s)
		for traps := game.Traps; traps != 0; traps &= traps - 1 {
			if distance(s, game.Square(bits.TrailingZeros64(traps))) > left/2 {
				continue
			}
			for own := b.Color(g.Side()) & b.Stronger(kind); own != 0; own &= own - 1 {
				if distance(s, game.Square(bits.TrailingZeros64(own))) < left {
					return true
				}
			}
		}
	}
	return false
}

func abs(n int) int { return max(n, -n) }

func lost(p *puzzle.Puzzle, b *game.Board) bool {
	return bits.OnesCount64(b.Color(p.Side)) < bits.OnesCount64(p.Board.Color(p.Side))
}

func took(p *puzzle.Puzzle, b *game.Board) bool {
	other := p.Side.Other()
	return bits.OnesCount64(b.Color(other)) < bits.OnesCount64(p.Board.Color(other))
}
