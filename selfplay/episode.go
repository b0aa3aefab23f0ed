package selfplay

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"warren/data"
	"warren/game"
	"warren/mcts"
)

// episode is one game being played: the search of its present step, and the
// record of what has been played.
type episode struct {
	config  *Config
	network *Network
	search  *mcts.Search
	rng     *rand.Rand
	record  *data.Record
	leaf    *mcts.Leaf

	random int // turns of the random opening, 0 for none

	visits int  // root visits at which the present search is done
	full   bool // whether it is a full search
	legal  []game.Action
	stats  []mcts.MoveStats
}

// begin starts the game number of the run on a search that no one else uses.
func begin(job *Job, number uint64, network *Network, search *mcts.Search) *episode {
	e := &episode{
		config:  &job.Config,
		network: network,
		search:  search,
		rng:     rand.New(rand.NewPCG(job.Seed, number)),
		record: &data.Record{
			Run: job.Run, Game: number, Seed: job.Seed, Settings: job.Settings,
			Network: network.Hash, Generation: int32(network.Generation),
		},
	}
	if share := e.config.RandomOpenings; share > 0 && e.rng.Float64() < share {
		e.random = 1 + e.rng.IntN(e.config.RandomTurns)
	}
	e.plan()
	search.Reset(game.New(), e.noise())
	return e
}

// next goes on until the search wants an evaluation, and returns the leaf; nil
// when the game is over.
func (e *episode) next() *mcts.Leaf {
	for !e.over() {
		g := e.search.Game()
		e.legal = g.Legal(e.legal[:0])
		switch {
		case len(e.legal) == 1:
			e.play(data.Decision{Action: e.legal[0]})
		case g.Turns() < e.random:
			e.play(data.Decision{Action: e.legal[e.rng.IntN(len(e.legal))]})
		case e.search.Simulations() >= e.visits:
			e.play(e.decide())
		default:
			if leaf, status := e.search.Select(); status == mcts.Evaluate {
				e.leaf = leaf
				return leaf
			}
		}
	}
	return nil
}

// expand hands the evaluation of the leaf back to the search.
func (e *episode) expand(priors []float32, value float32) {
	e.search.Expand(e.leaf, priors, value)
	e.leaf = nil
}

// over reports whether the game has ended, and if so completes its record.
func (e *episode) over() bool {
	g := e.search.Game()
	result := g.Result()
	stopped := !result.Over() && g.Turns() >= e.random+e.config.TurnLimit
	if limit := e.config.LimitResult; stopped && (limit == "score" || limit == "lead" && g.Led()) {
		result = game.Result{Winner: g.ScoreWinner(), Reason: game.TurnLimit}
	}
	e.record.Result, e.record.Turns = result, int32(g.Turns())
	return stopped || result.Over()
}

// plan says what kind of search the next action gets.
func (e *episode) plan() {
	e.full = e.rng.Float64() < e.config.FullFraction
	switch {
	case len(e.record.Decisions) < game.Placements:
		e.full, e.visits = true, e.config.SetupVisits
	case e.full:
		e.visits = e.config.Visits
	default:
		e.visits = e.config.FastVisits
	}
}

// noise returns the source of the planned search's root noise: a fast search
// is not to explore, but to play well.
func (e *episode) noise() *rand.Rand {
	if e.full {
		return e.rng
	}
	return nil
}

// decide chooses an action by the finished search.
func (e *episode) decide() data.Decision {
	a, _ := e.search.Choose(e.temperature(), e.rng)
	d := data.Decision{Action: a, Full: e.full, Value: e.search.Value()}
	e.stats = e.search.Root(e.stats[:0])
	for _, m := range e.stats {
		if m.Visits > 0 {
			d.Visits = append(d.Visits, data.Visit{Action: m.Action, Count: uint32(m.Visits)})
		}
	}
	slices.SortFunc(d.Visits, func(a, b data.Visit) int { return cmp.Compare(a.Action, b.Action) })
	d.Full = d.Full && d.Searched()
	if !d.Searched() {
		d.Value = 0
	}
	return d
}

func (e *episode) temperature() float64 {
	g := e.search.Game()
	switch {
	case g.InSetup():
		return e.config.SetupTemperature
	case g.Turns() < e.config.TemperatureTurns:
		return e.config.Temperature
	}
	return e.config.FinalTemperature
}

// play records the decision, makes its action and plans the next search.
func (e *episode) play(d data.Decision) {
	e.record.Decisions = append(e.record.Decisions, d)
	e.plan()
	e.search.SetNoise(e.noise())
	e.search.Advance(d.Action)
}
