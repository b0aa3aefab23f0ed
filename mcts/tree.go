package mcts

import "warren/game"

// The average number of edges per node that the limits allow. Trees in the
// positions of real games have 20 to 24, those of wild games with open boards up
// to 42.
const (
	edgesPerNode = 64 // enough for every position
	usualEdges   = 26
)

// The memory of a tree in bytes, with everything that settings may add.
const (
	nodeBytes = 92
	edgeBytes = 22
)

// The limits of a tree keep every index within an int32.
const (
	maxCapacity = 1 << 24
	minEdges    = 1 + game.NumActions
)

// MostBytes is the most memory that a tree of [NewWithin] takes.
const MostBytes = maxCapacity * (nodeBytes + usualEdges*edgeBytes)

// An edge's child is the index of a node or one of these constants. An index is
// positive, because the root, node 0, is the child of no edge. Below inFlight
// the edge is decided: the game ends here, or its winner is proven. A decided
// edge that leads to node n has the code goldWins-2n or silverWins-2n.
const (
	unvisited  int32 = 0  // or visited, but without room to store the node
	inFlight   int32 = -1 // handed out for evaluation
	goldWins   int32 = -2
	silverWins int32 = -3
)

// edge is a choice: an action at a node, with the statistics of its visits.
// Edge 0 leads to the root, as if the root's player had chosen it.
type edge struct {
	prior  float32
	visits int32 // including those in flight
	sum    sum   // of the visits' values, seen by the player who chooses
	child  int32
}

// node is a position that has been evaluated and does not end the game. Once it is
// arranged, its open edges are in order of falling prior, and equal ones in the order of
// game.Legal. The edge after them comes next in that order; at the root all edges are in
// order. Edges beyond the open ones have no visit; where a root rule has
// changed the order of the priors, all edges are open.
type node struct {
	key    uint64  // EvalKey of the position
	hash   uint64  // Hash of the position; that of the root is not used
	first  int32   // its first edge
	value  float32 // chance to win for side, by the evaluator
	count  uint16  // number of edges
	open   uint16  // the first open edges are those that may have visits
	side   game.Color
	forced bool // has one edge and no evaluation
	quiet  bool // see wintest.go

	arranged bool // see priors.go
}

// choice is an edge chosen at a node. A path is a list of choices from the root
// down; it begins with the zero choice, which stands for the edge to the root.
type choice struct{ node, edge int32 }

// tree holds the nodes and edges of one search. Edges lie in the order of their nodes.
type tree struct {
	nodes      []node
	edges      []edge
	actions    []game.Action // of the edge with the same index
	rootPriors []float32     // of the root's edges, as they were before the root rule prepared them
	moved      []int32       // working memory of compact
	spread     bool          // whether squares is kept
	squares    []int64       // by node: the sum over its visits' values of (value - 0.5)^2
	costly     bool          // whether costs is kept
	costs      []cost        // by node
	pending    []int32       // by node where the side to move changes: visits in flight; see pending.go
	lost       int32         // edges with codes up to this one are not taken if the other side wins; see proof.go

	maxNodes, maxEdges int
	held               bool // whether it must not grow; see Search.Hold
}

func newTree(nodes, edgesEach int) tree {
	nodes = min(max(nodes, 1), maxCapacity)
	return tree{lost: none, maxNodes: nodes, maxEdges: max(1+nodes*edgesEach, minEdges)}
}

// clear leaves only the edge to a root that has not been evaluated.
func (t *tree) clear() {
	t.nodes = t.nodes[:0]
	t.edges = append(t.edges[:0], edge{prior: 1})
	t.actions = append(t.actions[:0], 0)
	t.rootPriors = t.rootPriors[:0]
	t.squares, t.costs = t.squares[:0], t.costs[:0]
}

// room reports whether a node with count edges can be stored. There is always room for a root.
func (t *tree) room(count int) bool {
	nodes, edges := t.maxNodes, t.maxEdges
	if t.held && len(t.nodes) > 0 {
		nodes, edges = cap(t.nodes), cap(t.edges)
	}
	return len(t.nodes) < nodes && len(t.edges)+count <= edges
}

// add stores a node behind the edge via and returns its index. The caller fills
// in its count edges.
func (t *tree) add(via int32, n node, count int) int32 {
	id, first := int32(len(t.nodes)), len(t.edges)
	n.first, n.count = int32(first), uint16(count)
	t.nodes = append(extend(t.nodes, 1, t.maxNodes), n)
	t.edges = extend(t.edges, count, t.maxEdges)[:first+count]
	t.actions = extend(t.actions, count, t.maxEdges)[:first+count]
	if t.spread {
		t.squares = append(extend(t.squares, 1, t.maxNodes), 0)
	}
	if t.costly {
		t.costs = append(extend(t.costs, 1, t.maxNodes), cost{})
	}
	t.edges[via].child = id
	return id
}

// mean returns a visited node's mean value for its side to move.
func (t *tree) mean(at int32, in choice) float32 {
	reached := &t.edges[in.edge]
	total := reached.sum.total()
	if t.nodes[at].side != t.nodes[in.node].side {
		total = t.turned(at, reached)
	}
	return mean(total, reached.visits)
}

// turned returns the sum of the values of an edge to a node as the opponent of the
// player who chooses the edge sees them. A visit in flight has no value for either.
func (t *tree) turned(at int32, e *edge) int64 {
	return one*int64(e.visits-t.flights(at)) - e.sum.total() - 2*t.paid(at)
}

// mean returns the mean value of an edge with visits, for the player who chooses it.
func (e *edge) mean() float32 { return mean(e.sum.total(), e.visits) }

// extend returns s with room for n more elements. Its capacity never exceeds
// limit.
func extend[T any](s []T, n, limit int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	grown := make([]T, len(s), min(max(cap(s)+cap(s)/2, len(s)+n, 256), limit))
	copy(grown, s)
	return grown
}

// span returns the range of node n's edges.
func (n *node) span() (first, end int32) { return n.first, n.first + int32(n.count) }

// opened returns the range of node n's open edges.
func (n *node) opened() (first, end int32) { return n.first, n.first + int32(n.open) }

func (t *tree) rootEdges() []edge {
	first, end := t.nodes[0].span()
	return t.edges[first:end]
}

// mostVisited returns a node's edge with the most visits. Among equals it is
// the first, which has the highest prior. With proofs, a won edge comes before
// all others and a lost one after them.
func (t *tree) mostVisited(at int32) int32 {
	side := t.nodes[at].side
	best, end := t.nodes[at].span()
	proof := t.proof(best, side)
	for e := best + 1; e < end; e++ {
		p := t.proof(e, side)
		if p > proof || p == proof && t.edges[e].visits > t.edges[best].visits {
			best, proof = e, p
		}
	}
	return best
}
