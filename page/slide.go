package page

import (
	"fmt"
	"math/bits"

	"warren/game"
)

// slides returns the shortest way of every piece of the side to move to every
// square that it can reach alone in two steps or more: what a person means who
// drags a piece that far. The keys are "from-to", with the squares as numbers. A
// way on which a piece is captured is left out.
func slides(g *game.Game) map[string][]int {
	ways := map[string][]int{}
	if _, _, pushing := g.Push(); pushing || g.InSetup() {
		return ways
	}
	side := g.Side()
	pieces := bits.OnesCount64(g.Board().Occupied())
	type place struct {
		at   game.Square
		way  []int
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
				open = append(open, place{a.To(), append(p.way[:len(p.way):len(p.way)], int(a)), next})
			}
		}
	}
	return ways
}

// pushes returns the ways in which a piece can push another from its square and
// take its place. The keys are "from-to", as those of slides; each way is two
// actions.
func pushes(g *game.Game) map[string][][]int {
	ways := map[string][][]int{}
	enemy := g.Board().Color(g.Side().Other())
	for _, a := range g.Legal(nil) {
		if !a.IsStep() || enemy>>a.From()&1 == 0 {
			continue
		}
		next := g.Clone()
		next.Play(a)
		if _, _, pushing := next.Push(); !pushing {
			continue // it was pulled
		}
		for _, b := range next.Legal(nil) {
			key := fmt.Sprintf("%d-%d", b.From(), a.From())
			ways[key] = append(ways[key], []int{int(a), int(b)})
		}
	}
	return ways
}
