package mcts

import (
	"math/rand/v2"

	"warren/game"
	"warren/game/tactics"
)

// Status says what became of a simulation that [Search.Select] began.
type Status uint8

const (
	// Evaluate: a leaf was returned and needs an evaluation.
	Evaluate Status = iota
	// Finished: the simulation needed no evaluation of its own. It ended a game or came
	// to a proof, or its position shares an evaluation that the tree already holds or
	// that a leaf in flight will bring.
	Finished
	// Wait: the rules chose a leaf that is already in flight. Nothing was
	// counted, and Select says the same until an evaluation returns.
	Wait
)

// Search is one tree over one game. It is not safe for concurrent use, but
// other goroutines may read the leaves that it has handed out.
type Search struct {
	tree
	config        Config
	root          rootRule
	interior      interiorRule
	game          *game.Game // at the root
	given         bool       // whether the root may take back the last step: it is that of Reset, or everything else loses
	again         bool       // whether the search begins again with such a root
	visits        int        // planned for the root, 0 if not known
	rng           *rand.Rand // of the root's rule, nil for none
	shared        transpositions
	proofs        proofs
	finder        *tactics.Finder // of the win tests, nil for none
	captures      tactics.Captures
	priors        []float32 // of arrange and priorsOfRoot
	penalty       float32   // Config.DrawPenalty
	flying, spare []*Leaf
	newest        *Leaf    // in flight since the last simulation, and not yet in pending; nil for none
	path          []choice // of the present simulation
	line          line
	hashes        []uint64 // of the positions that the choices of the path lead to; the first is not used
	target        []Share  // of the last outcome
}

// Evaluation is what an evaluator says about a position. Build it with field
// names, because fields may be added.
type Evaluation struct {
	Priors []float32 // probability of each action of Leaf.Legal; they sum to 1
	Value  float32   // chance to win of the side to move, in [0, 1]

	Stopped float32 // chance that the game is stopped at the turn limit, in [0, 1]; 0 if not known
}

// New returns a search whose tree holds at most capacity nodes (evaluated
// positions, up to 1<<24), and on average 64 edges (legal actions) for each of
// them. A node takes 36 bytes, an edge 22, and a shared evaluation up to 16
// more: some 550 bytes per node in the positions of real games. Proofs take up to
// 16 more for a node, settings that use the spread of values 8, a penalty for
// stopped games 12, and several leaves in flight 4. The memory grows as it is needed, by half each time, to at most
// 1600 bytes per node of capacity. With [Config.SkipForced] there is room for as many forced positions, which have no
// evaluation, as for others.
//
// A search with a full tree continues but stores nothing more, until [Search.Prune]
// makes room. New leaves are evaluated, counted in the visits above them, and evaluated
// again when they are chosen again. The tree never fills if capacity is at least the highest
// number of simulations that its root will have, and at most half of the
// positions are forced.
//
// New panics if config is not valid: see [Config.Validate]. Call [Search.Reset] before anything else.
func New(config Config, capacity int) *Search {
	root, interior := rulesOf(config)
	t := newTree(capacity, edgesPerNode)
	if config.SkipForced {
		t.maxNodes = min(2*t.maxNodes, maxCapacity)
	}
	return newSearch(config, t, root, interior)
}

// NewWithin is like [New] for a tree of at most the given number of bytes, or
// [MostBytes]. That is about one node per 660 bytes, if nodes have as many edges
// as the positions of real games.
func NewWithin(config Config, bytes int64) *Search {
	root, interior := rulesOf(config)
	nodes := min(bytes/(nodeBytes+usualEdges*edgeBytes), maxCapacity)
	return newSearch(config, newTree(int(nodes), usualEdges), root, interior)
}

// newSearch returns a search by the given rules.
func newSearch(config Config, t tree, root rootRule, interior interiorRule) *Search {
	s := &Search{tree: t, config: config, root: root, interior: interior, game: game.New(), line: line{game: game.New()}}
	if config.Proofs {
		s.lost = goldWins
	}
	s.spread = config.LCB > 0
	s.penalty, s.costly = float32(config.DrawPenalty), config.DrawPenalty > 0
	if config.WinTestSteps > 0 {
		s.finder = new(tactics.Finder)
	}
	return s
}

// Reset begins a new tree at a copy of g, without a plan: see [Search.Begin].
// Leaves still in flight are void: handing them back has no effect. What the
// search finds from now on does not depend on what it did before.
func (s *Search) Reset(g *game.Game) {
	s.orphan()
	if s.finder != nil {
		s.finder.Forget()
	}
	s.game.CopyFrom(g)
	s.given = true
	s.line.begin(s.game)
	s.clear()
	s.begin(0, nil)
}

// Begin begins the search of the present root's action, after [Search.Reset] or
// [Search.Advance]. Visits is the number of root visits at which the caller
// plans to stop, including those that Advance kept, and 0 if the caller does
// not know; only the rule gumbel uses it. Root noise is drawn from rng, now or
// when the root is evaluated; with rng nil there is none.
//
// Without a call of Begin there is no plan and no noise. A second call at the same
// root replaces both. The tree and its visits remain, unless the root is lost only
// as far as steps are known that do not take back one of this turn: then only Begin
// has it searched with those, too.
func (s *Search) Begin(visits int, rng *rand.Rand) {
	if s.Proof() == Lost && s.withholds() {
		s.reconsider()
	}
	s.begin(visits, rng)
}

func (s *Search) begin(visits int, rng *rand.Rand) {
	s.visits, s.rng = visits, rng
	if len(s.nodes) == 0 {
		return
	}
	edges := s.rootEdges()
	for i, p := range s.rootPriors {
		edges[i].prior = p
	}
	s.root.prepare(&s.tree, visits, rng)
}

// clear forgets the tree and keeps its memory.
func (s *Search) clear() {
	s.tree.clear()
	s.shared.clear()
	s.proofs.clear()
}

// Select begins a simulation: it goes down the tree by the rules until it needs
// an evaluation, and then returns the leaf. Otherwise it returns no leaf. If the
// root's game is over or its winner is proven, every simulation is Finished.
func (s *Search) Select() (*Leaf, Status) {
	leaf, status := s.simulate()
	if s.again {
		s.reconsider()
	}
	return leaf, status
}

func (s *Search) simulate() (*Leaf, Status) {
	s.suspend()
	path := append(s.path[:0], choice{})
	s.line.rewind()
	if r := s.game.Result(); r.Over() {
		s.finish(path, goldChance(r.Winner), 0)
		return nil, Finished
	}
	if s.edges[0].decided() {
		s.finish(s.decidedPath(path), goldChance(s.edges[0].winner()), 0)
		return nil, Finished
	}
	last := choice{}
	if len(s.nodes) > 0 {
		last.edge = s.root.choose(&s.tree)
		for {
			path = append(path, last)
			child := s.edges[last.edge].child
			if child <= 0 {
				break
			}
			if !s.nodes[child].arranged {
				s.arrange(child, s.walk(path))
			}
			last = choice{child, s.interior.choose(&s.tree, child, last)}
		}
	}
	s.path = path
	switch e := &s.edges[last.edge]; {
	case e.child == inFlight:
		return nil, Wait
	case e.decided():
		s.finish(path, goldChance(e.winner()), 0)
		return nil, Finished
	}
	return s.reach()
}

// reach plays the path and looks at the position at its end.
func (s *Search) reach() (*Leaf, Status) {
	var via int32 // leads to the leaf
	leaf := s.takeLeaf()
	leaf.Legal = leaf.Legal[:0]
	g := s.walk(s.path)
	s.hashes = append(s.hashes[:0], 0)
	for i, end := 1, g.Hash(); i < len(s.path); i++ {
		hash := end
		if i+1 < len(s.path) {
			hash = s.nodes[s.path[i+1].node].hash
		}
		if winner, ok := s.proven(hash); ok {
			s.path = s.path[:i+1]
			return s.decide(leaf, winner)
		}
	}
	twin := s.twin(g, leaf)
	for {
		via = s.path[len(s.path)-1].edge
		if r := g.Result(); r.Over() {
			return s.decide(leaf, r.Winner)
		}
		choices := twin > 0 && s.nodes[twin].count > 1
		if choices || !s.config.SkipForced || !s.skipForced(g, leaf) {
			break
		}
		if winner, ok := s.proven(g.Hash()); ok {
			return s.decide(leaf, winner)
		}
		twin = s.twin(g, leaf)
	}
	if s.finder != nil && !(twin > 0 && s.nodes[twin].quiet) {
		if via == 0 {
			s.testRoot(g, leaf)
		} else if winner, known := s.test(g, leaf); known {
			return s.decide(leaf, winner)
		}
	}
	if twin > 0 {
		s.copyNode(via, twin, s.hashes[len(s.hashes)-1])
		s.finish(s.path, forGold(s.nodes[twin].value, s.nodes[twin].side), s.ownCost(twin))
		s.spare = append(s.spare, leaf)
		return nil, Finished
	}
	if s.follow(leaf) {
		return nil, Finished
	}
	if len(leaf.Legal) == 0 {
		leaf.Legal = g.Legal(leaf.Legal)
	}
	// Within a turn that others began, taking back their last step may be the best there is.
	if s.config.PruneReversals && !(via == 0 && (leaf.wins || s.given)) {
		leaf.Legal = withoutReversal(g, leaf.Legal)
	}
	leaf.Game.CopyFrom(g)
	s.fly(leaf)
	return leaf, Evaluate
}

// Expand hands back a leaf with its evaluation, which is not checked. The slice
// of priors is not kept.
func (s *Search) Expand(leaf *Leaf, e Evaluation) {
	if !s.land(leaf) {
		return
	}
	via, id := leaf.via(), int32(0)
	s.edges[via].child = unvisited
	side, cost := leaf.Game.Side(), s.penalty*e.Stopped
	gold := forGold(e.Value, side)
	if s.room(len(leaf.Legal)) {
		id = s.add(via, node{key: leaf.key, hash: leaf.hash, value: e.Value, side: side, quiet: leaf.quiet}, len(leaf.Legal))
		s.fill(id, leaf.Legal, e.Priors)
		s.observe(id, gold)
		s.evaluated(id, cost)
		if id == 0 {
			s.arrange(0, s.game)
			s.order(0)
			s.keepRootPriors()
			s.proveRoot(leaf)
			s.root.prepare(&s.tree, s.visits, s.rng)
		} else if !s.config.SeparateEvaluations {
			s.shared.insert(id, s.nodes)
		}
	}
	s.credit(leaf.path, gold, cost)
	for _, f := range leaf.leave() {
		s.land(f)
		s.edges[f.via()].child = unvisited
		if id > 0 {
			s.copyNode(f.via(), id, f.hash)
		}
		s.credit(f.path, gold, cost)
	}
}

// Cancel hands back a leaf without an evaluation: its simulation is undone.
func (s *Search) Cancel(leaf *Leaf) {
	if s.land(leaf) {
		s.undo(leaf)
		for _, f := range leaf.leave() {
			s.land(f)
			s.undo(f)
		}
	}
}
