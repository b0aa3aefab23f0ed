package mcts

// table finds the node that holds a position's evaluation: the steps of a turn
// commute, so many orders of them reach one position. It is a hash table of
// node indices with linear probing, 0 for an empty place; the root is not in
// it, since its priors may hold noise.
type table struct {
	places []int32 // a power of two, at least half of them empty
}

func (t *table) clear() { clear(t.places) }

// find returns the node with the given key, or 0.
func (t *table) find(key uint64, nodes []node) int32 {
	if len(t.places) == 0 {
		return 0
	}
	return t.places[t.place(key, nodes)]
}

// place returns where the key is, or else would go.
func (t *table) place(key uint64, nodes []node) uint64 {
	mask := uint64(len(t.places) - 1)
	for i := key & mask; ; i = (i + 1) & mask {
		if id := t.places[i]; id == 0 || nodes[id].key == key {
			return i
		}
	}
}

// insert adds node id, the newest, unless its key is already there: two orders
// of the same steps may be in flight at once.
func (t *table) insert(id int32, nodes []node) {
	if 2*len(nodes) > len(t.places) {
		t.places = make([]int32, max(2*len(t.places), 256))
		t.rebuild(nodes)
		return
	}
	if i := t.place(nodes[id].key, nodes); t.places[i] == 0 {
		t.places[i] = id
	}
}

// rebuild makes the table anew for the nodes given.
func (t *table) rebuild(nodes []node) {
	t.clear()
	for id := 1; id < len(nodes); id++ {
		if i := t.place(nodes[id].key, nodes); t.places[i] == 0 {
			t.places[i] = int32(id)
		}
	}
}

// copyNode stores a node that has the evaluation of twin, if there is room.
func (s *Search) copyNode(at, via, twin int32) {
	from := s.nodes[twin]
	if !s.room(int(from.count)) {
		return
	}
	id := s.add(at, via, node{key: from.key, value: from.value, side: from.side}, int(from.count))
	first, end := s.nodes[id].span()
	copy(s.actions[first:end], s.actions[from.first:])
	for i, e := range s.edges[from.first : from.first+int32(from.count)] {
		s.edges[int(first)+i] = edge{prior: e.prior}
	}
}
