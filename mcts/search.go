package mcts

import (
	"math/rand/v2"

	"warren/game"
)

// Status says what became of a simulation that [Search.Select] began.
type Status uint8

const (
	// Evaluate: a leaf was returned and wants an evaluation.
	Evaluate Status = iota
	// Finished: the simulation needed none; it ended a game, or its position
	// shares an evaluation that the tree already holds.
	Finished
	// Wait: the rule's choice is a leaf already in flight. Nothing was counted,
	// and Select will say the same until an evaluation comes back.
	Wait
)

// Search is one tree over one game. It is not safe for concurrent use, but the
// leaves that it has handed out may be read elsewhere meanwhile.
type Search struct {
	arena
	config        Config
	rootFPU, fpu  rule
	explore       [64]float32 // exploration of the first visits, where most nodes are
	game          *game.Game  // at the root
	rng           *rand.Rand
	rootPriors    []float32 // of the root's edges, without noise
	shared        table
	flying, spare []*Leaf
	path          []game.Action
}

// Leaf is a position to be evaluated. It belongs to its search, which will not
// touch it until it is handed back to [Search.Expand] or [Search.Cancel], nor
// may it be used after that.
type Leaf struct {
	Game  *game.Game    // the position; it must not be changed
	Legal []game.Action // its legal actions, in the order of game.Legal

	parent, edge int32
	slot         int // in flying, or landed
	key          uint64
}

// landed is the slot of a leaf that is not, or no longer, in flight: handing it
// back has no effect.
const landed = -1

// New returns a search whose tree holds at most capacity nodes (evaluated
// positions, up to 1<<24), and 64 edges (legal actions) for each of them on
// average. A node takes 32 bytes, an edge 18, and a shared evaluation up to 16
// more: some 450 bytes a node in the positions of real games. The memory grows
// as it is needed, by half each time, to at most 1200 bytes a node of capacity.
//
// A full search goes on, but stores no more: new leaves are evaluated and
// counted in the visits above them, and evaluated again when they are chosen
// again. To never fill it, let capacity be no less than the highest number of
// simulations that its root will have.
//
// Call [Search.Reset] before anything else.
func New(config Config, capacity int) *Search {
	s := &Search{
		arena:   newArena(capacity),
		config:  config,
		rootFPU: newRule(config.RootFPU),
		fpu:     newRule(config.FPU),
		game:    game.New(),
	}
	for n := range s.explore {
		s.explore[n] = config.exploration(int32(n))
	}
	return s
}

// Reset begins a new tree at a copy of g. Root noise is drawn from rng, now and
// in later calls of [Search.Advance]; with rng nil there is none. Leaves still
// in flight are void: handing them back has no effect.
func (s *Search) Reset(g *game.Game, rng *rand.Rand) {
	s.orphan()
	s.game.CopyFrom(g)
	s.rng = rng
	s.clear()
}

// SetNoise changes where root noise is drawn from, nil for none, beginning with
// the next call of [Search.Advance]. Self-play turns it off
// for the fast searches among its full ones.
func (s *Search) SetNoise(rng *rand.Rand) { s.rng = rng }

// clear forgets the tree and keeps its memory.
func (s *Search) clear() {
	s.arena.clear()
	s.shared.clear()
	s.rootPriors = s.rootPriors[:0]
}

// Advance plays a, which must be legal, at the root. What the tree knows of the
// position that follows is kept, with its statistics, and the rest is dropped;
// fresh noise is mixed into the new root's own priors. Leaves still in flight
// are void, as if they had been cancelled.
func (s *Search) Advance(a game.Action) {
	s.orphan()
	via := s.rootEdge(a)
	s.game.Play(a)
	if via < 0 || s.edges[via].child <= 0 {
		s.clear()
		return
	}
	s.compact(via)
	s.settleRoot()
	if s.config.ShareEvaluations {
		s.shared.rebuild(s.nodes)
	}
}

// rootEdge returns the root's edge of action a, or -1.
func (s *Search) rootEdge(a game.Action) int32 {
	if len(s.nodes) > 0 {
		for e, end := s.nodes[0].span(); e < end; e++ {
			if s.actions[e] == a {
				return e
			}
		}
	}
	return -1
}

// Select begins a simulation: it goes down the tree by the rule until it needs
// an evaluation, and then returns the leaf. It returns no leaf otherwise. If
// the root's game is over every simulation is Finished, and so is the search.
func (s *Search) Select() (*Leaf, Status) {
	if s.game.Result().Over() {
		s.finish(0, 0, goldChance(s.game))
		return nil, Finished
	}
	at, via := int32(0), int32(0)
	s.path = s.path[:0]
	if len(s.nodes) > 0 {
		via = s.puct(0, s.rootFPU)
		for {
			s.path = append(s.path, s.actions[via])
			child := s.edges[via].child
			if child <= 0 {
				break
			}
			at = child
			via = s.puct(at, s.fpu)
		}
	}
	switch s.edges[via].child {
	case inFlight:
		return nil, Wait
	case goldWins:
		s.finish(at, via, 1)
		return nil, Finished
	case silverWins:
		s.finish(at, via, 0)
		return nil, Finished
	}
	return s.reach(at, via)
}

// reach plays the path and sees what is at the end of it.
func (s *Search) reach(at, via int32) (*Leaf, Status) {
	leaf := s.takeLeaf()
	leaf.parent, leaf.edge = at, via
	g := leaf.Game
	g.CopyFrom(s.game)
	for _, a := range s.path {
		g.Play(a)
	}
	if r := g.Result(); r.Over() {
		s.edges[via].child = goldWins
		if r.Winner == game.Silver {
			s.edges[via].child = silverWins
		}
		s.finish(at, via, goldChance(g))
		s.spare = append(s.spare, leaf)
		return nil, Finished
	}
	if s.config.ShareEvaluations {
		leaf.key = g.EvalKey()
		if twin := s.shared.find(leaf.key, s.nodes); twin > 0 {
			s.copyNode(at, via, twin)
			s.finish(at, via, forGold(s.nodes[twin].value, s.nodes[twin].side))
			s.spare = append(s.spare, leaf)
			return nil, Finished
		}
	}
	leaf.Legal = g.Legal(leaf.Legal[:0])
	leaf.slot = len(s.flying)
	s.flying = append(s.flying, leaf)
	s.edges[via].child = inFlight
	s.count(at, via, 1)
	return leaf, Evaluate
}

// Expand hands back a leaf with its evaluation: priors[i] is the probability of
// leaf.Legal[i], they sum to 1, and value is the chance to win of the side to
// move. Both are trusted, and priors is not kept.
func (s *Search) Expand(leaf *Leaf, priors []float32, value float32) {
	if !s.land(leaf) {
		return
	}
	at, via := leaf.parent, leaf.edge
	s.edges[via].child = unvisited
	side := leaf.Game.Side()
	if s.room(len(leaf.Legal)) {
		id := s.add(at, via, node{key: leaf.key, value: value, side: side}, len(leaf.Legal))
		s.fill(id, leaf.Legal, priors)
		if id == 0 {
			s.settleRoot()
		} else if s.config.ShareEvaluations {
			s.shared.insert(id, s.nodes)
		}
	}
	s.credit(at, via, forGold(value, side))
}

// Cancel hands back a leaf without an evaluation: its simulation is undone.
func (s *Search) Cancel(leaf *Leaf) {
	if s.land(leaf) {
		s.edges[leaf.edge].child = unvisited
		s.count(leaf.parent, leaf.edge, -1)
	}
}

// takeLeaf returns a leaf to use, one used before if there is one.
func (s *Search) takeLeaf() *Leaf {
	if n := len(s.spare); n > 0 {
		leaf := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return leaf
	}
	return &Leaf{Game: game.New(), slot: landed}
}

// land takes a leaf back and reports whether it was in flight.
func (s *Search) land(leaf *Leaf) bool {
	if leaf.slot == landed {
		return false
	}
	last := len(s.flying) - 1
	s.flying[leaf.slot] = s.flying[last]
	s.flying[leaf.slot].slot = leaf.slot
	s.flying = s.flying[:last]
	leaf.slot = landed
	s.spare = append(s.spare, leaf)
	return true
}

// orphan undoes the simulations in flight. Their leaves stay with the caller
// and are not used again.
func (s *Search) orphan() {
	for _, leaf := range s.flying {
		s.edges[leaf.edge].child = unvisited
		s.count(leaf.parent, leaf.edge, -1)
		leaf.slot = landed
	}
	s.flying = s.flying[:0]
}
