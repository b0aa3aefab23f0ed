package mcts

import "warren/game"

// transpositions finds the node that holds a position's evaluation. The steps
// of a turn commute, so several orders of them reach the same position. It is a
// hash table of node indices with linear probing, where 0 is an empty place. The
// root is not in it, because its priors may hold noise.
type transpositions struct {
	places []int32 // a power of two, at least half of them empty
}

func (t *transpositions) clear() { clear(t.places) }

// find returns the node with the given key, or 0.
func (t *transpositions) find(key uint64, nodes []node) int32 {
	if len(t.places) == 0 {
		return 0
	}
	return t.places[t.place(key, nodes)]
}

// place returns the place that holds the key, or the empty place where it
// belongs.
func (t *transpositions) place(key uint64, nodes []node) uint64 {
	mask := uint64(len(t.places) - 1)
	for i := key & mask; ; i = (i + 1) & mask {
		if id := t.places[i]; id == 0 || nodes[id].key == key {
			return i
		}
	}
}

// insert adds node id, the newest, unless its key is already there: two orders
// of the same steps may be in flight at once.
func (t *transpositions) insert(id int32, nodes []node) {
	if 2*len(nodes) > len(t.places) {
		t.places = make([]int32, max(2*len(t.places), 256))
		t.rebuild(nodes)
		return
	}
	if i := t.place(nodes[id].key, nodes); t.places[i] == 0 {
		t.places[i] = id
	}
}

// rebuild fills the table anew from the given nodes.
func (t *transpositions) rebuild(nodes []node) {
	t.clear()
	for id := 1; id < len(nodes); id++ {
		if nodes[id].forced {
			continue
		}
		if i := t.place(nodes[id].key, nodes); t.places[i] == 0 {
			t.places[i] = int32(id)
		}
	}
}

// twin returns the node that holds the evaluation of g, the leaf's position, or 0.
func (s *Search) twin(g *game.Game, leaf *Leaf) int32 {
	if s.config.SeparateEvaluations {
		return 0
	}
	leaf.key = g.EvalKey()
	return s.shared.find(leaf.key, s.nodes)
}

// copyNode stores a node with the evaluation of twin behind the edge via, if
// there is room.
func (s *Search) copyNode(via, twin int32, hash uint64) {
	from := s.nodes[twin]
	if !s.room(int(from.count)) {
		return
	}
	id := s.add(via, node{key: from.key, hash: hash, value: from.value, side: from.side, quiet: from.quiet, arranged: from.arranged}, int(from.count))
	s.observe(id, forGold(from.value, from.side))
	s.evaluated(id, s.ownCost(twin))
	first, end := s.nodes[id].span()
	copy(s.actions[first:end], s.actions[from.first:])
	edges, same := s.edges[first:end], s.edges[from.first:][:from.count]
	for i := range edges {
		edges[i] = edge{prior: same[i].prior}
	}
}
