package mcts

// compact makes the node behind the root's edge via the new root and drops
// every node that cannot be reached from it. It works in place: it marks what is
// reachable, slides it to the front and remaps the edges' children.
func (t *tree) compact(via int32) {
	t.inherit(&t.edges[via])
	in := t.edges[via]
	root := in.node()
	if t.graph {
		// Other ways may have led there.
		in.visits = t.known[root].visits
		in.sum = t.known[root].mean * float32(in.visits)
	} else if t.nodes[root].side != t.nodes[0].side {
		in.sum = float32(in.visits) - in.sum - t.bothPaid(root)
	}
	in.prior = 1
	in.lead(0)
	t.edges[0] = in
	t.mark(root)
	t.slide(root)
	for i := range t.nodes {
		first, end := t.nodes[i].opened()
		for e := first; e < end; e++ {
			if c := t.edges[e].node(); c > 0 {
				t.edges[e].lead(t.moved[c])
			}
		}
	}
}

// mark sets kept in the root and in all nodes that can be reached from it.
func (t *tree) mark(root int32) {
	// Each node is pushed at most once, so the stack never outgrows moved.
	t.moved = extend(t.moved[:0], len(t.nodes), t.maxNodes)
	stack := append(t.moved, root)
	t.nodes[root].kept = true
	for len(stack) > 0 {
		n := &t.nodes[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		first, end := n.opened()
		for e := first; e < end; e++ {
			if c := t.edges[e].node(); c > 0 && !t.nodes[c].kept {
				t.nodes[c].kept = true
				stack = append(stack, c)
			}
		}
	}
}

// slide moves the root to index 0, and the other marked nodes and all their
// edges to the front in their present order. No index rises, since the old root
// leaves. It records where each node went in moved.
func (t *tree) slide(root int32) {
	t.moved = t.moved[:len(t.nodes)]
	nodes, edges := int32(1), int32(1)
	for i := int32(1); i < int32(len(t.nodes)); i++ {
		n := t.nodes[i]
		if !n.kept {
			continue
		}
		first, end := n.span()
		copy(t.edges[edges:], t.edges[first:end])
		copy(t.actions[edges:], t.actions[first:end])
		n.first, n.kept = edges, false
		edges += int32(n.count)
		to := int32(0)
		if i != root {
			to = nodes
			nodes++
		}
		t.nodes[to] = n
		if t.spread {
			t.squares[to] = t.squares[i]
		}
		if t.graph {
			t.known[to] = t.known[i]
		}
		if t.costly {
			t.costs[to] = t.costs[i]
		}
		t.moved[i] = to
	}
	t.nodes, t.edges, t.actions = t.nodes[:nodes], t.edges[:edges], t.actions[:edges]
	if t.spread {
		t.squares = t.squares[:nodes]
	}
	if t.graph {
		t.known = t.known[:nodes]
	}
	if t.costly {
		t.costs = t.costs[:nodes]
	}
}
