package page

import (
	"fmt"
	"math/bits"

	"warren/game"
	"warren/internal/session"
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

// pushes returns the pushes by the piece that pushes and the square that it takes. The keys are
// "from-to", as in slides.
func pushes(g *game.Game) map[string][][]game.Action {
	ways := map[string][][]game.Action{}
	for _, push := range session.Pushes(g) {
		key := fmt.Sprintf("%d-%d", push[1].From(), push[0].From())
		ways[key] = append(ways[key], push)
	}
	return ways
}
