package selfplay

import (
	"math/rand/v2"
	"runtime"

	"warren/data/schedule"
	"warren/game"
	"warren/internal/eval"
)

// Config configures the games of self-play.
type Config struct {
	Workers        int `yaml:"workers" min:"0" max:"1024" unit:"goroutines" doc:"goroutines that search and evaluate; 0 means one per core. A device that computes by itself gets as many again for each further batch that it has in flight" origin:"one per core" change:"Lower it to leave cores to other programs."`
	GamesPerWorker int `yaml:"games_per_worker" min:"0" max:"65536" unit:"games" doc:"games that a worker plays at once, and so its largest batch; 0 means that all workers together play as many as fill the device's batches in flight, and each at least 16" origin:"chosen by hand; more gained nothing: docs/reference/benchmarks.md" change:"Use 0 on a graphics processor; lower it to use less memory."`

	FastVisits        int     `yaml:"fast_visits" min:"1" max:"1000000" unit:"visits" doc:"root visits of a fast search, at most those of a full one; it teaches everything but the policy, and plays the step with the most visits" origin:"KataGo, Wu 2019, sec. 3.1: about a sixth of visits" change:"Set it with full_fraction; without fast searches it has no effect."`
	FullFraction      float64 `yaml:"full_fraction" min:"0" max:"1" doc:"share of the steps that get a full search; 1 makes every search full" origin:"docs/research/self-play.md#pace (playout cap randomisation, KataGo, Wu 2019: 0.25)" change:"Lower it for more games, and fewer policy targets, from the same number of evaluations."`
	SetupPolicyWeight float64 `yaml:"setup_policy_weight" min:"0" max:"1" doc:"weight of the policy targets of the 32 placements of a game; 1 is the weight of a full search. Placements are drawn from the policy, and the policy learns them by what setups led to: a linear regression of the values of the games' first turns on where the pieces stood" origin:"docs/research/setups.md, chosen by hand" change:"Raise it to learn setups faster, at the cost of everything else."`

	SurpriseWeight float64 `yaml:"surprise_weight" min:"0" max:"1" doc:"part of a game's policy weight that is shared out in proportion to the divergence of the policy target from the network's prior, so that more is learned where the search has found something; the rest is shared equally. Placements keep their weight" origin:"docs/research/targets.md#surprise-weight (policy surprise weighting, KataGo: 0.5)" change:"Use 0 to weigh all steps equally, as AlphaZero does."`

	Temperature      float64 `yaml:"temperature" min:"0" max:"10" doc:"temperature of the first turns" origin:"AlphaZero, Silver et al. 2018" change:"Raise it if games repeat each other, lower it for stronger play."`
	TemperatureTurns int     `yaml:"temperature_turns" min:"0" max:"10000" unit:"turns" doc:"number of turns, counting both players, for which temperature applies" origin:"chosen by hand, not measured (AlphaGo Zero, Silver et al. 2017: 30 moves)" change:"As temperature: more turns give more varied games."`
	FinalTemperature float64 `yaml:"final_temperature" min:"0" max:"10" doc:"temperature of the later turns; 0 plays the action with the most visits" origin:"chosen by hand, not measured" change:"Use 0 for the strongest play after the opening."`

	RandomOpenings float64 `yaml:"random_openings" min:"0" max:"1" doc:"share of the games that begin with a random setup and random turns, which are not trained on. They supply open positions, with pieces captured and rabbits far advanced, while normal play is passive" origin:"docs/research/setups.md#random-openings" change:"Lower it for a network that already plays well, as the climb does (0.2)."`
	RandomTurns    int     `yaml:"random_turns" min:"1" max:"10000" unit:"turns" doc:"largest number of turns, counting both players, of a random opening; all numbers from 1 to this are equally likely" origin:"chosen by hand, not measured" change:"Lower it for positions closer to those of real games."`

	TurnLimit int `yaml:"turn_limit" min:"1" max:"10000" unit:"turns" doc:"number of turns, counting both players but not those of a random opening, after which a game is stopped. The player who was last ahead in pieces has won it, and nobody if nobody ever was; such a game teaches the policy but no value" origin:"docs/research/self-play.md#passing (147 games on arimaa.com last 69 turns on average, random ones 76)" change:"Lower it for a quick test; raise it if many games of strong networks are stopped."`

	Visits VisitsConfig `yaml:"visits" doc:"root visits of a full search for one step. The first is the root's own; the others make the policy target. They rise linearly from game to game: while values are still noise, many quick games teach more than deep searches (progressive simulation: MiniZero, Wu et al. 2023)"`
}

// VisitsConfig configures the visits of full searches, as a [schedule.ByGame].
type VisitsConfig struct {
	Initial int `yaml:"initial" min:"2" max:"1000000" unit:"visits" doc:"visits in the first game" origin:"docs/research/self-play.md#pace" change:"Raise it if the first games teach nothing."`
	Final   int `yaml:"final" min:"2" max:"1000000" unit:"visits" doc:"visits in the later games" origin:"docs/research/self-play.md#pace (AlphaZero, Silver et al. 2018: 800 for a whole move of chess)" change:"Raise it in a long run: deeper searches give better targets, and fewer games."`
	Games   int `yaml:"games" min:"0" max:"1000000000" unit:"games" doc:"number of the first game with the final visits; 0 means that every game has them" origin:"docs/research/self-play.md#pace" change:"Set it to about the number of games that the run will play, and to 0 for a run that begins with a trained network (--from)."`
}

// DefaultConfig returns the settings of the recipe. The pages named are in docs/research.
func DefaultConfig() Config {
	return Config{
		GamesPerWorker:    16,
		Visits:            VisitsConfig{Initial: 6, Final: 128, Games: 70_000},
		FastVisits:        16,
		FullFraction:      1, // every step, few visits at first and more later: self-play.md#pace
		SetupPolicyWeight: 0.3,
		SurpriseWeight:    0.5, // targets.md#surprise-weight
		Temperature:       1,
		TemperatureTurns:  12,
		FinalTemperature:  0.3,
		RandomOpenings:    0.4,
		RandomTurns:       40,
		TurnLimit:         160, // self-play.md#passing
	}
}

// opening draws the number of turns of a game's random opening, 0 for none, from the first random
// numbers of the game.
func (c *Config) opening(rng *rand.Rand) int {
	if c.RandomOpenings > 0 && rng.Float64() < c.RandomOpenings {
		return 1 + rng.IntN(c.RandomTurns)
	}
	return 0
}

// ending returns the result of a game in the position g, whose random opening has the given number of
// turns, and whether the game ends there. A game that is stopped may have no result.
func (c *Config) ending(g *game.Game, opening int) (result game.Result, over bool) {
	result = g.Result()
	if result.Over() {
		return result, true
	}
	stopped := g.Turns() >= opening+c.TurnLimit
	if stopped && g.Led() {
		result = game.Result{Winner: g.ScoreWinner(), Reason: game.TurnLimit}
	}
	return result, stopped
}

// Load returns the number of workers for a network on a device, and the number of games that each
// of them plays at once. For a device that computes by itself there is a worker per core for each
// batch in flight: while some workers wait for the device, the others search. Unless GamesPerWorker
// says how many, all games together fill these batches.
func (c *Config) Load(device eval.Attributes) (workers, games int) {
	cores := c.Workers
	if cores == 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	if games = c.GamesPerWorker; games == 0 {
		games = max(fewestGames, (device.Best+cores-1)/cores)
	}
	return cores * max(device.Depth, 1), games
}

// fewestGames is enough for the processor.
const fewestGames = 16

// maxVisits returns the most root visits that any search of a game has.
func (c *Config) maxVisits() int {
	return max(c.Visits.Initial, c.Visits.Final)
}

// fullVisits returns the visits of a full search in the game with the given number.
func (c *Config) fullVisits(number uint64) int { return schedule.ByGame[int](c.Visits).At(number) }
