package selfplay

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"warren/data"
	"warren/game"
	"warren/internal/eval"
	"warren/internal/gather"
	"warren/internal/observe"
	"warren/mcts"
)

// episode is one game in progress: its network, the current search and its record so far.
type episode struct {
	config  *Config
	rules   *Rules        // config is a part of them
	network *eval.Network // plays both sides
	search  *mcts.Search
	rng     *rand.Rand
	record  *data.Record

	opening int // turns of the random opening, 0 for none

	visits int           // root visits at which the current search is done
	full   bool          // whether it is a full search
	legal  []game.Action // in the current position
	stats  []mcts.ActionStats

	surprises surprises
	setup     setup

	observer observe.Observer
	acted    observe.Acted
}

// begin starts the game with the given number.
func begin(job *Job, rules *Rules, number uint64, network *eval.Network, s *mcts.Search, observer observe.Observer) *episode {
	e := &episode{
		config:   &rules.Config,
		rules:    rules,
		network:  network,
		search:   s,
		observer: observer,
		rng:      random(job.Seed, number),
		record: &data.Record{
			Run: job.Run, Game: number, Seed: job.Seed, Settings: rules.Settings,
			Network: network.Hash, Generation: int32(network.Origin.Generation),
			EvalPath: network.Attributes().Path,
		},
		surprises: surprises{},
	}
	e.opening = e.config.opening(e.rng)
	e.search.Reset(game.New())
	e.list()
	return e
}

// random returns the random numbers of a game of the run with a seed.
func random(seed, number uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, number)) }

// game returns the current position.
func (e *episode) game() *game.Game { return e.search.Game() }

// next plays on until the search needs the evaluation of a leaf, which it adds to
// leaves. It reports false when the game is over.
func (e *episode) next(leaves *gather.Leaves) bool {
	for !e.over() {
		g := e.game()
		switch {
		case len(e.legal) == 1:
			e.play(data.Decision{Action: e.legal[0]}, nil)
		case g.Turns() < e.opening:
			e.play(data.Decision{Action: e.anyAction()}, nil)
		case g.InSetup():
			if e.drawSetup(leaves) {
				return true
			}
		case e.search.Simulations() >= e.visits:
			d := e.decide()
			e.play(d, e.stats)
		case leaves.Take(e.search) == mcts.Evaluate:
			return true
		}
	}
	e.surprises.weigh(e.record.Decisions, e.config.SurpriseWeight)
	return false
}

// anyAction draws a legal action. In the setup it draws one of the pieces left, so that all setups are equally likely.
func (e *episode) anyAction() game.Action {
	g := e.game()
	if !g.InSetup() {
		return e.legal[e.rng.IntN(len(e.legal))]
	}
	var left []game.Action
	for _, a := range e.legal {
		for range g.SetupLeft(a.Kind()) {
			left = append(left, a)
		}
	}
	return left[e.rng.IntN(len(left))]
}

// over reports whether the game has ended, and updates the result in its record.
func (e *episode) over() bool {
	g := e.game()
	result, over := e.config.ending(g, e.opening)
	e.record.Result, e.record.Turns = result, int32(g.Turns())
	e.record.Opening = int32(min(e.opening, g.Turns()))
	return over
}

// beginSearch chooses the kind of search for the next action and begins it. A fast search has no root noise,
// because it should play well rather than explore.
func (e *episode) beginSearch() {
	e.full = e.rng.Float64() < e.config.FullFraction
	e.visits = e.config.fullVisits(e.record.Game)
	if !e.full {
		e.visits = min(e.config.FastVisits, e.visits)
		e.search.Begin(e.visits, nil)
		return
	}
	e.search.Begin(e.visits, e.rng)
}

// decide chooses an action from the finished search.
func (e *episode) decide() data.Decision {
	out, _ := e.search.Outcome(e.temperature(), e.rng)
	d := data.Decision{Action: out.Action, Full: e.full, Value: e.search.Value()}
	e.stats = e.search.Root(e.stats[:0])
	for _, m := range e.stats {
		if m.Visits > 0 {
			d.Visits = append(d.Visits, data.Visit{Action: m.Action, Count: uint32(m.Visits)})
		}
	}
	slices.SortFunc(d.Visits, func(a, b data.Visit) int { return cmp.Compare(a.Action, b.Action) })
	if !d.Searched() {
		return data.Decision{Action: out.Action}
	}
	d.ValueWeight = 1
	if d.Full {
		d.Policy, d.PolicyWeight = policy(out.Target, d.Visits), out.Weight
	}
	if d.PolicyWeight > 0 && e.config.SurpriseWeight > 0 {
		e.surprises.add(len(e.record.Decisions), out.Target, e.stats)
	}
	return d
}

// policy returns the target in the order of the actions, or nil if it equals the
// distribution of the visits.
func policy(target []mcts.Share, visits []data.Visit) []data.Share {
	shares := make([]data.Share, len(target))
	for i, t := range target {
		shares[i] = data.Share(t)
	}
	slices.SortFunc(shares, func(a, b data.Share) int { return cmp.Compare(a.Action, b.Action) })
	if byVisits := (data.Decision{Visits: visits}); slices.Equal(shares, byVisits.Target(nil)) {
		return nil
	}
	return shares
}

// temperature returns the temperature for the choice of the next action.
func (e *episode) temperature() float64 {
	switch {
	case !e.full:
		return 0 // to sample from few visits is nearly random
	case e.game().Turns() < e.config.TemperatureTurns:
		return e.config.Temperature
	}
	return e.config.FinalTemperature
}

// play records the decision, reports it with the root's statistics, plays the
// action and begins the next search.
func (e *episode) play(d data.Decision, root []mcts.ActionStats) {
	e.record.Decisions = append(e.record.Decisions, d)
	e.acted = observe.Acted{
		Game: e.record.Game, Before: e.game(),
		Decision: &e.record.Decisions[len(e.record.Decisions)-1], Root: root,
	}
	e.observer.Observe(&e.acted)
	if e.search.Advance(d.Action); !e.game().InSetup() {
		e.beginSearch()
	}
	e.list()
}

// list lists the legal actions, once for each position and not at every simulation: where a position has been
// repeated, Legal plays every step.
func (e *episode) list() { e.legal = e.game().Legal(e.legal[:0]) }
