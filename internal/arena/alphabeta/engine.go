package alphabeta

import (
	"cmp"
	"context"
	"slices"

	"warren/game"
	"warren/game/tactics"
)

const (
	// win is the score of a position that the side to move has won. A win n steps
	// ahead scores win-n.
	win = 30000
	// maxDepth bounds a search, in steps.
	maxDepth = 60
	// maxPly bounds a line, including passes and steps that finish a push.
	maxPly   = 2 * maxDepth
	noAction = game.Action(game.NumActions)
)

// Limits holds the limits of a search. 0 means no limit. The context's deadline
// is also a limit.
type Limits struct {
	Nodes int64 // positions searched; each step made counts as one
	Depth int   // length of the line searched, in steps; at most 60
}

// Found is the outcome of a search.
type Found struct {
	Actions []game.Action // the rest of the turn, including a Pass that ends it early
	Score   int           // in centi-rabbits, for the side to move
	Depth   int           // of the last finished iteration, in steps
	Nodes   int64         // positions searched
}

// Engine searches one position at a time. It is not safe for concurrent use.
type Engine struct {
	transpositions transpositions
	history        [2][game.NumActions]int32 // by side: how often a step has caused a cutoff
	killers        [maxPly][2]game.Action
	lines          [maxPly + 1]line
	moves          [maxPly][]ranked
	before         [maxPly + 1]game.Action // by ply: the preceding step, if later steps may be made before it
	finder         tactics.Finder

	game    *game.Game
	ctx     context.Context
	limits  Limits
	nodes   int64
	looked  int64 // value of nodes when ctx was last checked
	stopped bool
	plain   bool // for tests: no pruning that could change the score and no search for wins
}

// line is the expected continuation from a ply.
type line struct {
	length  int
	actions [maxPly]game.Action
}

func (l *line) set(first game.Action, rest *line) {
	l.actions[0] = first
	l.length = 1 + copy(l.actions[1:], rest.actions[:rest.length])
}

// New returns an engine whose transposition table has the given size in MiB, rounded
// down to a power of two; 0 is 16.
func New(hashMB int) *Engine {
	e := &Engine{
		transpositions: newTranspositions(cmp.Or(hashMB, 16)), game: game.New(),
		finder: tactics.Finder{SkipImmobilization: true},
	}
	for i := range e.moves {
		e.moves[i] = make([]ranked, 0, game.MaxLegal)
	}
	return e
}

// Turn returns the best rest of the turn that it finds from g, whose setup must be over
// and whose game must not. The turn is always legal. Turn does not change g.
//
// Each iteration searches one step deeper up to the end of the turn, and one
// turn deeper after that. The search ends when a limit is reached, a win is
// found or ctx is done, so it needs at least one limit or a ctx that ends.
func (e *Engine) Turn(ctx context.Context, g *game.Game, l Limits) Found {
	e.begin(ctx, g, l)
	if won := tactics.Winning(g); won != nil {
		return Found{Actions: won, Score: win - stepsOf(won), Depth: stepsOf(won)}
	}
	var found Found
	var pv []game.Action // the principal variation
	for depth := 1; !e.stopped; depth = e.deeper(depth) {
		e.lines[0].length, e.before[0] = 0, noAction
		score := e.search(depth, 0, -win, win)
		if best := &e.lines[0]; best.length > 0 {
			found.Score, pv = int(score), slices.Clone(best.actions[:best.length])
		}
		if e.stopped {
			break
		}
		found.Depth = depth
		if depth == e.limits.Depth || score > win-maxPly || score < maxPly-win && depth >= g.StepsLeft() {
			break
		}
	}
	found.Actions, found.Nodes = e.complete(pv), e.nodes
	return found
}

// deeper returns the depth of the iteration that follows one of the given depth.
// Beyond the current turn, iterations grow by whole turns. An iteration that
// ended within the opponent's turn would give the opponent too few steps, and
// would choose turns that four steps refute. (With 200,000 nodes a turn against
// 20,000, single steps won 55 of 100 games and whole turns won 68 of 68.)
func (e *Engine) deeper(depth int) int {
	next := depth + 1
	if depth >= e.game.StepsLeft() {
		next = depth + 4
	}
	return min(next, e.limits.Depth)
}

// begin prepares the search of a turn and clears the data of the previous turn.
func (e *Engine) begin(ctx context.Context, g *game.Game, l Limits) {
	if l.Depth <= 0 || l.Depth > maxDepth {
		l.Depth = maxDepth
	}
	e.ctx, e.limits = ctx, l
	e.game.CopyFrom(g)
	e.transpositions.clear()
	e.finder.Forget()
	e.nodes, e.looked, e.stopped = 0, 0, ctx.Err() != nil
	clear(e.history[0][:])
	clear(e.history[1][:])
	for i := range e.killers {
		e.killers[i] = [2]game.Action{noAction, noAction}
	}
}

// complete returns the part of line that belongs to the current turn. If the
// line ends before the turn, complete finishes the turn.
func (e *Engine) complete(line []game.Action) (turn []game.Action) {
	g := e.game
	mark := g.Mark()
	defer g.Restore(mark)
	side := g.Side()
	for g.Side() == side && !g.Result().Over() {
		legal := g.Legal(nil)
		a := legal[0]
		switch {
		case len(turn) < len(line):
			a = line[len(turn)]
		case slices.Contains(legal, game.Pass):
			a = game.Pass
		}
		turn = append(turn, a)
		g.Play(a)
	}
	return turn
}

// spend counts a step about to be made. If a limit is reached, it stops the
// search and reports false.
func (e *Engine) spend() bool {
	if e.limits.Nodes > 0 && e.nodes >= e.limits.Nodes {
		e.stopped = true
		return false
	}
	e.nodes++
	if e.nodes-e.looked >= 1024 {
		e.looked = e.nodes
		e.stopped = e.ctx.Err() != nil
	}
	return !e.stopped
}

func stepsOf(actions []game.Action) (n int) {
	for _, a := range actions {
		if a.IsStep() {
			n++
		}
	}
	return n
}
