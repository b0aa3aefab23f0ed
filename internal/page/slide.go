package page

import (
	"fmt"
	"math/bits"

	"warren/game"
)

// slides returns, for every piece of the side to move, the shortest path to
// every square that it can reach by itself in two or more steps. The page plays
// that path when a visitor drags the piece to the square. The keys are
// "from-to", with the squares as numbers. Paths on which a piece is captured
// are left out.
func slides(g *game.Game) map[string][]game.Action {
	ways := map[string][]game.Action{}
	if _, _, pushing := g.Push(); pushing || g.InSetup() {
		return ways
	}
	side := g.Side()
	pieces := bits.OnesCount64(g.Board().Occupied())
	type place struct {
		at   game.Square
		way  []game.Action
		game *game.Game
	}
	for own := g.Board().Color(side); own != 0; own &= own - 1 {
		from := game.Square(bits.TrailingZeros64(own))
		seen := uint64(1) << from
		for open := []place{{from, nil, g}}; len(open) > 0; open = open[1:] {
			p := open[0]
			if len(p.way) > 1 {
				ways[fmt.Sprintf("%d-%d", from, p.at)] = p.way
			}
			if p.game.Side() != side || p.game.Result().Over() {
				continue
			}
			for _, a := range p.game.Legal(nil) {
				if !a.IsStep() || a.From() != p.at || seen>>a.To()&1 != 0 {
					continue
				}
				next := p.game.Clone()
				next.Play(a)
				if bits.OnesCount64(next.Board().Occupied()) < pieces {
					continue
				}
				seen |= 1 << a.To()
				open = append(open, place{a.To(), append(p.way[:len(p.way):len(p.way)], a), next})
			}
		}
	}
	return ways
}

// pushes returns the ways in which a piece can push another off its square and
// take its place. The keys are "from-to", as in slides. Each way consists of
// two actions.
func pushes(g *game.Game) map[string][][]game.Action {
	ways := map[string][][]game.Action{}
	enemy := g.Board().Color(g.Side().Other())
	for _, a := range g.Legal(nil) {
		if !a.IsStep() || enemy>>a.From()&1 == 0 {
			continue
		}
		next := g.Clone()
		next.Play(a)
		if _, _, pushing := next.Push(); !pushing {
			continue // a pull, not a push
		}
		for _, b := range next.Legal(nil) {
			key := fmt.Sprintf("%d-%d", b.From(), a.From())
			ways[key] = append(ways[key], []game.Action{a, b})
		}
	}
	return ways
}
