package selfplay

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"warren/data"
	"warren/eval"
	"warren/game"
	"warren/gather"
	"warren/mcts"
	"warren/turnsearch"
	"warren/watch"
)

// episode is one game in progress: its players, the current search and its record so far.
type episode struct {
	config  *Config
	players [2]*player // by colour; the same one twice, unless an older network plays a side
	rng     *rand.Rand
	record  *data.Record

	opening  int           // turns of the random or recorded opening, 0 for none
	actions  []game.Action // of the recorded opening; nil if it is random
	handicap bool          // whether a side is to lose pieces after the setup

	visits int  // root visits at which the current search is done
	full   bool // whether it is a full search
	legal  []game.Action
	stats  []mcts.MoveStats

	surprises surprises

	resigns bool // whether a side without hope resigns
	outlook data.Outlook

	observer watch.Observer
	acted    watch.Acted
}

// player is a network in a game, with a search of its own.
type player struct {
	network *eval.Network
	search  search
}

// search has the methods that an episode needs.
type search interface {
	gather.Search
	Reset(g *game.Game)
	Game() *game.Game
	Outcome(temperature float64, rng *rand.Rand) (mcts.Outcome, bool)
	Value() float32
	Root(buf []mcts.MoveStats) []mcts.MoveStats
	Advance(a game.Action)
}

// begin starts the game with the given number. It takes a search for each player.
func begin(job *Job, number uint64, network *eval.Network, take func() search, observer watch.Observer) *episode {
	self := &player{network, take()}
	e := &episode{
		config:   &job.Config,
		players:  [2]*player{self, self},
		observer: observer,
		rng:      rand.New(rand.NewPCG(job.Seed, number)),
		record: &data.Record{
			Run: job.Run, Game: number, Seed: job.Seed, Settings: job.Settings,
			Network: network.Hash, Generation: int32(network.Origin.Generation),
			EvalPath: network.Attributes().Path,
		},
		surprises: surprises{},
	}
	if share := e.config.RandomOpenings; share > 0 && e.rng.Float64() < share {
		e.opening = 1 + e.rng.IntN(e.config.RandomTurns)
	} else if share := e.config.HandicapGames; share > 0 && e.rng.Float64() < share {
		e.handicap = true
	} else if share := e.config.RecordedOpenings; share > 0 && job.Openings != nil && e.rng.Float64() < share {
		opening := job.Openings.Opening(e.rng)
		e.actions, e.record.Missing = opening.Actions, opening.Missing
		e.opening = turns(opening)
	}
	if e.config.ResignBelow > 0 {
		e.resigns = e.rng.Float64() >= e.config.ResignPlayed
	}
	if share := e.config.OlderOpponents; share > 0 && job.Opponents != nil && e.rng.Float64() < share {
		if older := job.Opponents.Opponent(e.rng); older != nil && older.Hash != network.Hash {
			e.players[data.OpponentSide(number)] = &player{older, take()}
			e.record.Opponent, e.record.OpponentGeneration = older.Hash, int32(older.Origin.Generation)
		}
	}
	for _, p := range e.players {
		p.search.Reset(game.New())
	}
	e.plan()
	e.mover().search.Begin(e.visits, e.noise())
	return e
}

// game returns the current position.
func (e *episode) game() *game.Game { return e.players[game.Gold].search.Game() }

// mover returns the player of the side to move.
func (e *episode) mover() *player { return e.players[e.game().Side()] }

// distinct returns the players, each once.
func (e *episode) distinct() []*player {
	if e.players[0] == e.players[1] {
		return e.players[:1]
	}
	return e.players[:]
}

// newest returns the network that the game teaches.
func (e *episode) newest() *eval.Network {
	return e.players[data.OpponentSide(e.record.Game).Other()].network
}

// plays reports whether a network plays a side.
func (e *episode) plays(n *eval.Network) bool {
	return e.players[game.Gold].network == n || e.players[game.Silver].network == n
}

// older reports whether the side to move is played by an older network.
func (e *episode) older() bool {
	return e.record.Opponent != "" && e.game().Side() == data.OpponentSide(e.record.Game)
}

// turns returns the number of completed turns of an opening.
func turns(o data.Opening) int {
	g := game.New()
	for _, a := range o.Actions {
		g.PlayHandicap(a, o.Missing)
	}
	return g.Turns()
}

// next plays on until the search needs the evaluation of a leaf, which it adds to the
// queue of its network. It reports false when the game is over.
func (e *episode) next(queues map[*eval.Network]*queue) bool {
	for !e.over() {
		g, p := e.game(), e.mover()
		e.legal = g.Legal(e.legal[:0])
		switch {
		case len(e.legal) == 1:
			e.play(data.Decision{Action: e.legal[0]}, nil)
		case g.Turns() < e.opening && e.actions != nil:
			e.play(data.Decision{Action: e.actions[len(e.record.Decisions)]}, nil)
		case g.Turns() < e.opening:
			e.play(data.Decision{Action: e.legal[e.rng.IntN(len(e.legal))]}, nil)
		case p.search.Simulations() >= e.visits:
			d := e.decide()
			e.play(d, e.stats)
		case queues[p.network].leaves.Take(p.search) == mcts.Evaluate:
			return true
		}
	}
	e.surprises.weigh(e.record.Decisions, e.config.SurpriseWeight)
	return false
}

// over reports whether the game has ended, and updates the result in its record.
func (e *episode) over() bool {
	g := e.game()
	result := g.Result()
	if chance, known := e.outlook.Chance(g); known && e.resigns && chance < e.config.ResignBelow {
		result = game.Result{Winner: g.Side().Other(), Reason: game.Resignation}
	}
	stopped := !result.Over() && g.Turns() >= e.opening+e.config.turnLimit(e.record.Game)
	if limit := e.config.LimitResult; stopped && (limit == Score || limit == Lead && g.Led()) {
		result = game.Result{Winner: g.ScoreWinner(), Reason: game.TurnLimit}
	}
	e.record.Result, e.record.Turns = result, int32(g.Turns())
	e.record.Opening = int32(min(e.opening, g.Turns()))
	return stopped || result.Over()
}

// plan chooses the kind of search for the next action or turn. After the setup the searches of
// an older network are fast ones, because nothing is learnt from them.
func (e *episode) plan() {
	g := e.game()
	setup := len(e.record.Decisions) < game.Placements
	if e.older() {
		e.full = false
	} else if e.config.FullPer == Step || setup || g.StepsLeft() == 4 {
		e.full = e.rng.Float64() < e.config.FullFraction
	}
	switch {
	case setup:
		e.full, e.visits = !e.older(), e.config.SetupVisits
	case e.full:
		e.visits = e.config.fullVisits(e.record.Game)
	default:
		e.visits = e.config.FastVisits
	}
}

// noise returns the source of the root noise for the planned search. A fast search
// has none, because it should play well rather than explore.
func (e *episode) noise() *rand.Rand {
	if e.full {
		return e.rng
	}
	return nil
}

// decide chooses an action from the finished search. For an older network's decision it returns
// only the action.
func (e *episode) decide() data.Decision {
	search := e.mover().search
	out, _ := search.Outcome(e.temperature(), e.rng)
	e.stats = e.stats[:0]
	if e.older() {
		return data.Decision{Action: out.Action}
	}
	d := data.Decision{Action: out.Action, Full: e.full, Value: search.Value()}
	e.stats = search.Root(e.stats)
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
	switch {
	case e.game().InSetup() && e.handicap:
		d.PolicyWeight, d.ValueWeight = 0, 0
	case e.game().InSetup():
		d.PolicyWeight *= float32(e.config.SetupPolicyWeight)
	case d.PolicyWeight > 0 && e.config.SurpriseWeight > 0:
		e.surprises.add(len(e.record.Decisions), out.Target, e.stats)
	}
	return d
}

// policy returns the target in the order of the actions, or nil if it equals the
// distribution of the visits.
func policy(target []mcts.Share, visits []data.Visit) []data.Share {
	var shares []data.Share
	for _, t := range target {
		shares = append(shares, data.Share{Action: t.Action, Share: t.Fraction})
	}
	slices.SortFunc(shares, func(a, b data.Share) int { return cmp.Compare(a.Action, b.Action) })
	total := uint64(0)
	for _, v := range visits {
		total += uint64(v.Count)
	}
	same := func(s data.Share, v data.Visit) bool {
		return s.Action == v.Action && s.Share == float32(float64(v.Count)/float64(total))
	}
	if slices.EqualFunc(shares, visits, same) {
		return nil
	}
	return shares
}

// temperature returns the temperature for the choice of the next action.
func (e *episode) temperature() float64 {
	g := e.game()
	switch {
	case g.InSetup():
		return e.config.SetupTemperature
	case !e.full && e.config.FastChoice == Best, e.config.TemperaturePer == Turn && g.StepsLeft() < 4:
		return 0
	case g.Turns() < e.config.TemperatureTurns:
		return e.config.Temperature
	}
	return e.config.FinalTemperature
}

// play records the decision, reports it with the root's statistics, plays the
// action and begins the next search.
func (e *episode) play(d data.Decision, root []mcts.MoveStats) {
	e.record.Decisions = append(e.record.Decisions, d)
	e.acted = watch.Acted{
		Game: e.record.Game, Before: e.game(),
		Decision: &e.record.Decisions[len(e.record.Decisions)-1], Root: root,
	}
	e.observer.Observe(&e.acted)
	e.outlook.Add(e.game(), &d)
	side := e.game().Side()
	for _, p := range e.distinct() {
		p.search.Advance(d.Action)
	}
	if len(e.record.Decisions) == game.Placements {
		e.takeAway()
	}
	if g := e.game(); e.config.Unit != turnsearch.Turn || g.InSetup() || g.Side() != side {
		e.plan()
	}
	e.mover().search.Begin(e.visits, e.noise())
}
