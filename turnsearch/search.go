package turnsearch

import (
	"math/rand/v2"

	"warren/game"
	"warren/mcts"
	"warren/tactics"
)

// Search searches the turns of one game, one after the other. It is not safe for
// concurrent use, but other goroutines may read the leaves that it has handed
// out.
type Search struct {
	config   Config
	steps    *mcts.Search // the setup's
	setup    bool         // whether the game is in its setup
	game     *game.Game   // at the present step
	finder   tactics.Finder
	captures tactics.Captures

	own     tree    // the turn to be played
	replies []*tree // of the candidates, in the order in which they were opened
	opened  int     // how many of the replies are in use

	budget   int // evaluations planned, 0 if not known
	limit    int // evaluations for which the stages are laid out
	spent    int // evaluations absorbed
	returned int // evaluations handed back
	idle     int // simulations that found nothing to do

	stage  stage
	round  []task  // positions of the present round
	out    int     // of these, how many are in flight
	field  []int32 // ends in the running, the best first
	quotas []quota // of the field's replies
	rounds int     // of the halving that remain

	fresh bool    // whether what follows, tilts and means are those of the present values
	beta  float64 // weight of the values in the improved policy
	guess worth   // of positions without a worth of their own

	chosen []game.Action // the turn to be played; empty until an outcome is asked for
	won    bool          // chosen is a proven win
	played int           // actions of it that have been played
	at     int32         // the position in own of the present step, -1 if it has none

	work   *game.Game // working memory, as is what follows
	ends   []int32
	legal  []game.Action
	priors []float32
	target []mcts.Share
}

// task is a position to be evaluated.
type task struct {
	tree   *tree
	at     int32
	status status
	leaf   *mcts.Leaf
	value  float32
	cost   float32
	priors []float32
}

type status uint8

const (
	waiting status = iota
	flying
	landed
)

// New returns a search. Steps makes the placements of the setup, and is used by
// nobody else. Call [Search.Reset] before anything else.
func New(config Config, steps *mcts.Search) *Search {
	return &Search{config: config, steps: steps, game: game.New()}
}

// Reset forgets what was found and goes to a copy of g. Leaves still in flight are
// void: handing them back has no effect.
func (s *Search) Reset(g *game.Game) {
	s.orphan()
	s.game.CopyFrom(g)
	if s.setup = g.InSetup(); s.setup {
		s.steps.Reset(g)
	}
	s.opened, s.spent, s.returned, s.idle = 0, 0, 0, 0
	s.stage, s.field, s.fresh, s.won = looking, s.field[:0], false, false
	s.chosen, s.played, s.at = s.chosen[:0], 0, 0
	s.Begin(0, nil)
}

// orphan drops the present round. Leaves in flight stay with the caller and are
// not used again.
func (s *Search) orphan() {
	for i := range s.round {
		if s.round[i].status == flying {
			s.round[i].leaf = nil
		}
	}
	s.round, s.out = s.round[:0], 0
}

// Begin says how many evaluations the present turn should get, including those
// already made; 0 means that the caller does not know. With rng not nil, the
// ends that are judged are sampled without replacement; this is decided when
// the first evaluation is made. With rng nil they are the likeliest.
//
// Without a call of Begin the plan is Begin(0, nil). During the setup it is
// [mcts.Search.Begin], and within a turn that has been chosen it has no effect.
func (s *Search) Begin(evaluations int, rng *rand.Rand) {
	if s.setup {
		s.steps.Begin(evaluations, rng)
		return
	}
	if len(s.chosen) > 0 {
		return
	}
	if s.spent == 0 && s.out == 0 && s.stage == looking {
		s.own.begin(s.game, rng, &s.config)
	}
	s.budget, s.limit = evaluations, evaluations
	if evaluations == 0 {
		s.limit = max(s.spent, firstLimit)
	}
	if s.stage == done && s.limit > s.spent {
		s.stage = growing
	}
}

// firstLimit is the number of evaluations for which a search without a plan is
// first laid out. Whenever they are used up, the number doubles.
const firstLimit = 64

// Select begins a simulation as [mcts.Search.Select] does. Leaves come in
// rounds, and no leaf of a round depends on another's evaluation. Any number of
// leaves may therefore be in flight, up to a whole round. Neither their number
// nor the order in which they come back changes what is found. Wait says that
// the round is all in flight; Finished says that there is nothing left to
// evaluate within the plan.
func (s *Search) Select() (*mcts.Leaf, mcts.Status) {
	if s.setup {
		return s.steps.Select()
	}
	if len(s.chosen) > 0 || len(s.round) == 0 && (s.game.Result().Over() || !s.plan()) {
		s.idle++
		return nil, mcts.Finished
	}
	for i := range s.round {
		if t := &s.round[i]; t.status == waiting {
			t.status = flying
			s.out++
			return s.prepare(t), mcts.Evaluate
		}
	}
	return nil, mcts.Wait
}

// prepare fills in the leaf of a task.
func (s *Search) prepare(t *task) *mcts.Leaf {
	if t.leaf == nil {
		t.leaf = &mcts.Leaf{Game: game.New()}
	}
	t.tree.visit(t.at, t.leaf.Game)
	t.leaf.Legal = t.leaf.Game.Legal(t.leaf.Legal[:0])
	if s.config.SkipReturns {
		t.leaf.Legal = mcts.WithoutReturns(t.leaf.Game, t.leaf.Legal)
	}
	return t.leaf
}

// ask adds a position to the round.
func (s *Search) ask(t *tree, at int32) {
	n := len(s.round)
	if n == cap(s.round) {
		s.round = append(s.round, task{})
	}
	s.round = s.round[:n+1]
	next := &s.round[n]
	next.tree, next.at, next.status = t, at, waiting
}

// Expand hands back a leaf with its evaluation, which is not checked. The slice
// of priors is not kept.
func (s *Search) Expand(leaf *mcts.Leaf, e mcts.Evaluation) {
	if s.setup {
		s.steps.Expand(leaf, e)
		return
	}
	t := s.find(leaf)
	if t == nil {
		return
	}
	t.status, t.value, t.cost, t.priors = landed, e.Value, s.steps.Cost(e), append(t.priors[:0], e.Priors...)
	s.returned++
	for i := range s.round {
		if s.round[i].status != landed {
			return
		}
	}
	s.absorb()
}

// Cancel hands back a leaf without an evaluation. It will be handed out again.
func (s *Search) Cancel(leaf *mcts.Leaf) {
	if s.setup {
		s.steps.Cancel(leaf)
	} else if t := s.find(leaf); t != nil {
		t.status = waiting
	}
}

// find takes a leaf out of flight and returns its task, nil if the leaf is void.
func (s *Search) find(leaf *mcts.Leaf) *task {
	for i := range s.round {
		if t := &s.round[i]; t.leaf == leaf && t.status == flying {
			s.out--
			return t
		}
	}
	return nil
}

// Settled reports whether further simulations are useless. The setup's search
// may say so; a turn uses all that was planned for it.
func (s *Search) Settled(visits int) bool { return s.setup && s.steps.Settled(visits) }

// Simulations returns the number of evaluations made for the present turn, plus
// the number of times that Select had nothing to hand out. A caller that goes
// on until it reaches its planned number therefore always stops. After an
// outcome it does not change until the turn has been played.
func (s *Search) Simulations() int {
	if s.setup {
		return s.steps.Simulations()
	}
	return s.returned + s.idle
}

// Game returns the position, which must not be changed.
func (s *Search) Game() *game.Game {
	if s.setup {
		return s.steps.Game()
	}
	return s.game
}

// Advance plays a, which must be legal. If it is the next action of the chosen turn
// and not the last one, what was found of the actions after it is kept. Otherwise
// the search begins again. Leaves still in flight are then void.
func (s *Search) Advance(a game.Action) {
	if s.setup {
		s.steps.Advance(a)
		if g := s.steps.Game(); !g.InSetup() {
			s.Reset(g)
		}
		return
	}
	kept := s.played+1 < len(s.chosen) && s.chosen[s.played] == a
	s.game.Play(a)
	if !kept {
		s.Reset(s.game)
		return
	}
	s.orphan()
	s.played++
	s.at = s.follow(s.at, a)
}

// follow returns the position that action a leads to from position at, or -1.
func (s *Search) follow(at int32, a game.Action) int32 {
	if at < 0 || s.own.positions[at].state != expanded {
		return -1
	}
	for _, e := range s.own.span(&s.own.positions[at]) {
		if e.action == a {
			return e.to
		}
	}
	return -1
}
