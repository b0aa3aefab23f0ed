package mcts

import "warren/game"

// edgesPerNode is for how many legal actions a node the bound on edges leaves
// room on average. Trees in the positions of real games have 20 to 24, those of
// wild games with open boards up to 42.
const edgesPerNode = 64

// The bounds of an arena keep every index within an int32.
const (
	maxCapacity = 1 << 24
	minEdges    = 1 + game.NumActions
)

// What an edge's child may be besides a node, whose index is positive: the
// root, node 0, is no one's child.
const (
	unvisited  int32 = 0  // or visited, but without room to store the node
	inFlight   int32 = -1 // handed out to be evaluated
	goldWins   int32 = -2 // the game ends here
	silverWins int32 = -3
)

// edge is an action of a node, with the statistics of its visits. Edge 0 leads
// to the root, as if the root's player had chosen it.
type edge struct {
	prior  float32
	visits int32   // those in flight included
	sum    float32 // of the visits' values, seen by the player who chooses
	child  int32
}

// node is an evaluated position that is not terminal. Its edges are in order
// of falling prior, equal ones in the order of game.Legal. Visits open them in
// this order, except at a root with noise, where all are open from the start.
type node struct {
	key    uint64 // EvalKey of the position
	parent int32
	edge   int32 // the edge of parent that leads here
	first  int32 // the first of its own edges
	count  uint16
	open   uint16  // edges from this one on have no visit
	value  float32 // chance to win for side, by the evaluator
	side   game.Color
	kept   bool // used while compacting
}

// arena holds the nodes and edges of one tree. A parent stands before its
// children, and edges are in the order of their nodes.
type arena struct {
	nodes   []node
	edges   []edge
	actions []game.Action // of the edge with the same index

	maxNodes, maxEdges int
}

func newArena(capacity int) arena {
	capacity = min(max(capacity, 1), maxCapacity)
	return arena{maxNodes: capacity, maxEdges: max(1+capacity*edgesPerNode, minEdges)}
}

// clear leaves nothing but the edge to a root that is not yet evaluated.
func (t *arena) clear() {
	t.nodes = t.nodes[:0]
	t.edges = append(t.edges[:0], edge{prior: 1})
	t.actions = append(t.actions[:0], 0)
}

// room reports whether a node with count edges can be stored.
func (t *arena) room(count int) bool {
	return len(t.nodes) < t.maxNodes && len(t.edges)+count <= t.maxEdges
}

// add stores a node behind an edge of parent, with room for count edges that
// the caller fills in, and returns its index.
func (t *arena) add(parent, via int32, n node, count int) int32 {
	id, first := int32(len(t.nodes)), len(t.edges)
	n.parent, n.edge = parent, via
	n.first, n.count = int32(first), uint16(count)
	t.nodes = append(extend(t.nodes, 1, t.maxNodes), n)
	t.edges = extend(t.edges, count, t.maxEdges)[:first+count]
	t.actions = extend(t.actions, count, t.maxEdges)[:first+count]
	t.edges[via].child = id
	return id
}

// extend makes sure that n more elements fit behind s, of at most bound in all.
func extend[T any](s []T, n, bound int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	grown := make([]T, len(s), min(max(cap(s)+cap(s)/2, len(s)+n, 256), bound))
	copy(grown, s)
	return grown
}

// span returns the range of node n's edges.
func (n *node) span() (first, end int32) { return n.first, n.first + int32(n.count) }

// compact makes the subtree behind the root's edge e the whole tree, in place.
// A node's new place is never behind its old one, and parents come before
// children, so one pass slides all that is kept to the front.
func (t *arena) compact(e int32) {
	in := t.edges[e]
	root := in.child
	if t.nodes[root].side != t.nodes[0].side {
		in.sum = float32(in.visits) - in.sum
	}
	in.prior = 1
	t.edges[0] = in
	t.nodes[root].parent, t.nodes[root].edge, t.nodes[root].kept = 0, 0, true

	nodes, edges := int32(0), int32(1)
	for i := int(root); i < len(t.nodes); i++ {
		if !t.nodes[i].kept {
			continue
		}
		n := t.nodes[i]
		n.kept = false
		first, end := n.span()
		copy(t.edges[edges:], t.edges[first:end])
		copy(t.actions[edges:], t.actions[first:end])
		n.first = edges
		for e := edges; e < edges+int32(n.open); e++ {
			if c := t.edges[e].child; c > 0 {
				t.nodes[c].parent, t.nodes[c].edge, t.nodes[c].kept = nodes, e, true
			}
		}
		t.edges[n.edge].child = nodes
		t.nodes[nodes] = n
		nodes++
		edges += int32(n.count)
	}
	t.nodes, t.edges, t.actions = t.nodes[:nodes], t.edges[:edges], t.actions[:edges]
}
