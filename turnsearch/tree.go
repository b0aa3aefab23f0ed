package turnsearch

import (
	"math"
	"math/rand/v2"

	"warren/game"
)

// tree is what is known about one turn of one player. Several orders of the
// same steps lead to one position in it.
type tree struct {
	game      *game.Game // at the root, which may be within the turn
	rng       *rand.Rand // of the perturbations; nil leaves them out
	heat      float64    // 1/temperature of the perturbed priors
	guide     float64    // weight of the values within the turn
	positions []position
	edges     []edge
	index     map[uint64]int32 // by EvalKey
	steps     int              // levels: actions that the turn may still have
	level     int              // whose positions are to be expanded next
	grown     int              // positions within the turn that have been evaluated
	judged    int              // ends that have a value
	pass      uint32           // of the last computation of tilts and means
	walk      uint32           // of the last count
}

// state says what is known of a position.
type state uint8

const (
	open     state = iota // within the turn, not evaluated
	expanded              // within the turn, evaluated: its edges are in the tree
	end                   // at the end of the turn, without a value
	judged                // at the end of the turn, with a value
)

// position is a position within the turn or at its end.
type position struct {
	level  int   // actions from the root, if within the turn
	parent int32 // on one way from the root; -1 at the root
	action game.Action
	state  state
	exact  bool // the value is a fact: the game is won or lost

	// The root's probability that flows here, over all ways: by the priors, and
	// by the priors at the sampling temperature.
	prior, sampled float64
	// priority orders positions: the logarithm of sampled, perturbed by the
	// Gumbel noise where ends are sampled.
	priority float64
	lift     float64 // what the value of the position before it adds to the priority

	worth             // if expanded or judged
	static      worth // of a judged end: by the evaluation of it alone
	evaluations int   // of a judged end: its own and those of the replies
	reply       int32 // of an end: index of its tree of replies, or -1
	first       int32 // its edges: of an end, the opponent's actions
	count       int32

	walk uint32  // of the count that came by last
	pass uint32  // of the computation of what follows
	tilt float64 // by how much the improved policy multiplies the prior of coming here
	mean worth   // under the improved policy
}

// worth is what a position is worth to the tree's player.
type worth struct {
	value float64 // chance to win, less the cost
	cost  float64 // how much each player loses because the game may be stopped (mcts.Search.Cost)
}

// forOther returns the worth to the other player.
func (w worth) forOther() worth { return worth{1 - w.value - float64(2*w.cost), w.cost} }

// mixed returns a mean of two worths, in which the other has the given weight.
func (w worth) mixed(other worth, weight float64) worth {
	return worth{
		float64((1-weight)*w.value) + float64(weight*other.value),
		float64((1-weight)*w.cost) + float64(weight*other.cost),
	}
}

// add adds a worth times a weight.
func (w *worth) add(other worth, weight float64) {
	w.value += float64(weight * other.value)
	w.cost += float64(weight * other.cost)
}

// over returns the worth divided by a number.
func (w worth) over(n float64) worth { return worth{w.value / n, w.cost / n} }

// edge is an action at a position.
type edge struct {
	to      int32
	action  game.Action
	prior   float32
	policy  float32 // the prior without the share for captures
	sampled float32 // the prior at the sampling temperature
}

// leastPrior keeps logarithms finite.
const leastPrior = 1e-9

// begin makes g, which is not over, the root.
func (t *tree) begin(g *game.Game, rng *rand.Rand, config *Config) {
	if t.game == nil {
		t.game, t.index = game.New(), map[uint64]int32{}
	}
	t.game.CopyFrom(g)
	t.rng, t.heat, t.guide = rng, 1/config.SamplingTemperature, config.Guide
	clear(t.index)
	t.positions, t.edges = t.positions[:0], t.edges[:0]
	t.steps, t.level = g.StepsLeft(), 0
	t.grown, t.judged = 0, 0
	root := position{parent: -1, prior: 1, sampled: 1, reply: -1}
	if rng != nil {
		root.priority = gumbel(rng)
	}
	t.positions = append(t.positions, root)
}

// path appends the actions that lead from the root to position at.
func (t *tree) path(at int32, buf []game.Action) []game.Action {
	p := &t.positions[at]
	if p.parent < 0 {
		return buf
	}
	return append(t.path(p.parent, buf), p.action)
}

// visit makes g the game at position at.
func (t *tree) visit(at int32, g *game.Game) {
	var buf [8]game.Action
	g.CopyFrom(t.game)
	for _, a := range t.path(at, buf[:0]) {
		g.Play(a)
	}
}

// expand gives position at its edges and passes its probability on to what they
// lead to. The game stands at the position and is left as it was.
func (t *tree) expand(at int32, g *game.Game, legal []game.Action, priors, policy []float32, w worth) {
	t.grown++
	first := t.write(at, legal, priors, policy)
	side, mark, level := g.Side(), g.Mark(), t.positions[at].level+1
	for i, a := range legal {
		g.Play(a)
		key := g.EvalKey()
		to, known := t.index[key]
		if !known {
			to = int32(len(t.positions))
			t.index[key] = to
			child := position{level: level, parent: at, action: a, priority: math.Inf(-1), reply: -1}
			if g.Side() != side || g.Result().Over() {
				child.state = end
			}
			t.positions = append(t.positions, child)
		}
		t.edges[int(first)+i].to = to
		g.Restore(mark)
	}
	p := &t.positions[at]
	p.state, p.worth = expanded, w
	if t.guide > 0 {
		t.raise(p)
	}
	t.spread(at, p.prior, p.sampled, p.priority)
}

// raise lifts the positions that follow an expanded position by its value. A
// position that follows several of them keeps the highest lift.
func (t *tree) raise(p *position) {
	lift := t.guide * (p.value - t.positions[0].value)
	for _, e := range t.span(p) {
		to := &t.positions[e.to]
		if to.priority == math.Inf(-1) || lift > to.lift { // Inf: it is new
			to.lift = lift
		}
	}
}

// urgency is the number by which the positions to look at are ordered.
func (p *position) urgency() float64 { return p.priority + p.lift }

// write stores the edges of position at and returns the first.
func (t *tree) write(at int32, legal []game.Action, priors, policy []float32) int32 {
	p := &t.positions[at]
	p.first, p.count = int32(len(t.edges)), int32(len(legal))
	for i, a := range legal {
		prior := max(priors[i], leastPrior)
		t.edges = append(t.edges, edge{to: -1, action: a, prior: prior, policy: max(policy[i], leastPrior), sampled: prior})
	}
	if t.rng != nil && t.heat != 1 {
		temper(t.span(p), t.heat)
	}
	return p.first
}

// temper raises the sampled priors of edges to the given power and scales them to
// sum to 1.
func temper(edges []edge, power float64) {
	var sum float64
	for i := range edges {
		p := math.Pow(float64(edges[i].prior), power)
		edges[i].sampled = float32(p)
		sum += p
	}
	for i := range edges {
		edges[i].sampled = float32(max(float64(edges[i].sampled)/sum, leastPrior))
	}
}

// span returns the edges of a position.
func (t *tree) span(p *position) []edge { return t.edges[p.first : p.first+p.count] }

// arrive adds a way to position at: the probability that comes by it, and the
// largest of its perturbed logarithms. The maximum of Gumbel variates is a Gumbel
// variate at the logarithm of the summed probabilities, so a position that keeps
// the largest of its ways' perturbations is sampled by the sum of their
// probabilities.
func (t *tree) arrive(at int32, prior, sampled, perturbed float64) {
	p := &t.positions[at]
	p.prior += prior
	p.sampled += sampled
	if t.rng != nil {
		p.priority = max(p.priority, perturbed)
	} else {
		p.priority = math.Log(p.sampled)
	}
	if p.state == expanded {
		t.spread(at, prior, sampled, perturbed)
	}
}

// spread passes what arrives at an expanded position on to what follows it.
func (t *tree) spread(at int32, prior, sampled, perturbed float64) {
	edges := t.span(&t.positions[at])
	var buf [game.MaxLegal]float64
	noise := buf[:len(edges)]
	if t.rng != nil {
		perturb(noise, edges, math.Log(sampled), perturbed, t.rng)
	}
	for i := range edges {
		e := &edges[i]
		t.arrive(e.to, prior*float64(e.prior), sampled*float64(e.sampled), noise[i])
	}
}

// anyLevel stands for all levels.
const anyLevel = -1

// best appends to buf the positions in the given state, of one level or of all,
// with the highest urgencies: at most n, the highest first and equal ones in their
// order.
func (t *tree) best(want state, level, n int, buf []int32) []int32 {
	first := len(buf)
	for i := range t.positions {
		p := &t.positions[i]
		if p.state != want || level != anyLevel && p.level != level {
			continue
		}
		j := len(buf)
		if j-first < n {
			buf = append(buf, int32(i))
		} else if j--; j < first || t.positions[buf[j]].urgency() >= p.urgency() {
			continue
		}
		for ; j > first && t.positions[buf[j-1]].urgency() < p.urgency(); j-- {
			buf[j] = buf[j-1]
		}
		buf[j] = int32(i)
	}
	return buf
}
