package mcts

import "warren/game"

// proofs remembers proven winners by [game.Game.Hash], which covers everything that
// determines how a game can continue. The steps of a turn commute, so what is proven
// about a position need not be proven again where other orders of the same steps
// reach it. It is a table with one place for a hash. A later proof may replace an
// earlier one, which then has to be found again.
type proofs struct {
	places []uint64 // the hash, with the winner in its lowest bit, or 0; a power of two
}

// leastPlaces is the size of a table that has been filled, a power of two.
const leastPlaces = 64

// clear empties the table. Which proofs last depends on its size, so that does not depend on earlier searches.
func (p *proofs) clear() {
	p.places = p.places[:min(len(p.places), leastPlaces)]
	clear(p.places)
}

// place returns the place of a hash. There must be one.
func (p *proofs) place(hash uint64) *uint64 {
	return &p.places[hash>>1&uint64(len(p.places)-1)]
}

func (p *proofs) find(hash uint64) (winner game.Color, ok bool) {
	if len(p.places) == 0 {
		return 0, false
	}
	v := *p.place(hash)
	return game.Color(v & 1), v != 0 && v>>1 == hash>>1
}

// add records a winner. The table has more places than the tree has nodes.
func (p *proofs) add(hash uint64, winner game.Color, nodes int) {
	if nodes >= len(p.places) {
		old, size := p.places, max(len(p.places), leastPlaces)
		for size <= nodes {
			size *= 2
		}
		p.places = make([]uint64, size)
		for _, v := range old {
			if v != 0 {
				*p.place(v) = v
			}
		}
	}
	*p.place(hash) = hash&^1 | uint64(winner)
}

// proven notes the hash of the next position on the path, and returns the winner there if the tree holds a proof.
func (s *Search) proven(hash uint64) (winner game.Color, ok bool) {
	s.hashes = append(s.hashes, hash)
	return s.proofs.find(hash)
}
