package mcts

// compact makes the node that a choice leads to the new root and drops
// every node that is not below it. It works in place: it slides the nodes that
// stay to the front and remaps the edges' children.
func (t *tree) compact(via choice) {
	in := t.edges[via.edge]
	root := in.node()
	if t.nodes[root].side != t.nodes[via.node].side {
		in.sum = sumOf(t.turned(root, &in))
	}
	in.prior = 1
	in.lead(0)
	t.edges[0] = in
	t.slide(root, 0)
	t.relink()
}

// relink gives the edges the new places of their nodes. An edge to a node that is gone leads to none.
func (t *tree) relink() {
	for i := range t.nodes {
		first, end := t.nodes[i].opened()
		for e := first; e < end; e++ {
			if c := t.edges[e].node(); c > 0 {
				t.edges[e].lead(t.moved[c])
			}
		}
	}
}

// slide moves the root to index 0, and the nodes below it with at least so many visits
// and all their edges to the front in their present order. No index rises. It
// records where each node went in moved, and 0 for those that are gone.
func (t *tree) slide(root, visits int32) {
	const stays = -1
	t.moved = extend(t.moved[:0], len(t.nodes), t.maxNodes)[:len(t.nodes)]
	clear(t.moved)
	nodes, edges := int32(0), int32(1)
	t.moved[root] = stays
	for i := root; i < int32(len(t.nodes)); i++ {
		if t.moved[i] != stays {
			continue
		}
		n := t.nodes[i]
		first, end := n.opened()
		for e := first; e < end; e++ {
			if c := t.edges[e].node(); c > 0 && t.edges[e].visits >= visits {
				t.moved[c] = stays // a node comes after the one that leads to it
			}
		}
		first, end = n.span()
		copy(t.edges[edges:], t.edges[first:end])
		copy(t.actions[edges:], t.actions[first:end])
		n.first = edges
		edges += int32(n.count)
		t.nodes[nodes] = n
		if t.spread {
			t.squares[nodes] = t.squares[i]
		}
		if t.costly {
			t.costs[nodes] = t.costs[i]
		}
		t.moved[i] = nodes
		nodes++
	}
	t.nodes, t.edges, t.actions = t.nodes[:nodes], t.edges[:edges], t.actions[:edges]
	if t.spread {
		t.squares = t.squares[:nodes]
	}
	if t.costly {
		t.costs = t.costs[:nodes]
	}
}
