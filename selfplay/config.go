package selfplay

import "warren/turnsearch"

// Config says how the games of self-play are played.
type Config struct {
	Workers        int `yaml:"workers" min:"0" max:"1024" doc:"goroutines that search and evaluate; 0 is one for every core"`
	GamesPerWorker int `yaml:"games_per_worker" min:"1" max:"65536" doc:"games that a worker plays at once, which is also its largest batch"`

	Unit string `yaml:"unit" oneof:"step turn" doc:"what a search decides on: single steps, or whole turns (package turnsearch). With turn, visits and fast_visits are evaluations of a whole turn, and full_fraction is a share of the turns; placements are searched one by one either way"`

	Visits       int     `yaml:"visits" min:"2" max:"1000000" doc:"root visits of a full search for one step, the first of which is the root's own; the others are a policy target (AlphaZero, Silver et al. 2018: 800 for a whole move of chess)"`
	FastVisits   int     `yaml:"fast_visits" min:"1" max:"1000000" doc:"root visits of a fast search, which only moves the game on (KataGo, Wu 2019, sec. 3.1: about a sixth of visits)"`
	FullFraction float64 `yaml:"full_fraction" min:"0" max:"1" doc:"share of the steps that get a full search (playout cap randomisation, KataGo: 0.25); 1 makes every search full"`
	FullPer      string  `yaml:"full_per" oneof:"step turn" doc:"whether each step or each turn draws anew if its searches are full; by turns, the tree that a full search leaves serves the next step, and a turn has one mind"`
	SetupVisits  int     `yaml:"setup_visits" min:"1" max:"1000000" doc:"root visits for each placement of the setup"`

	SetupPolicyWeight float64 `yaml:"setup_policy_weight" min:"0" max:"1" doc:"weight of the policy targets of placements, of which a game has 32; 1 is that of a full search"`

	SetupTemperature float64 `yaml:"setup_temperature" min:"0" max:"10" doc:"temperature of the setup's placements: above 0 keeps the openings varied"`
	Temperature      float64 `yaml:"temperature" min:"0" max:"10" doc:"temperature of the first turns (AlphaZero: 1)"`
	TemperatureTurns int     `yaml:"temperature_turns" min:"0" max:"10000" doc:"turns of both players together that temperature lasts"`
	FinalTemperature float64 `yaml:"final_temperature" min:"0" max:"10" doc:"temperature of the later turns; 0 plays the action with the most visits"`

	TemperaturePer string `yaml:"temperature_per" oneof:"step turn" doc:"step: every step is chosen with the temperature; turn: only the first step of a turn, and the others are the best, so that four draws do not spoil a turn"`
	FastChoice     string `yaml:"fast_choice" oneof:"sample best" doc:"how steps are chosen after a fast search: sample: with the temperature, as after a full one; best: by most visits, which a few visits make nearly random otherwise"`

	RandomOpenings float64 `yaml:"random_openings" min:"0" max:"1" doc:"share of the games that begin with a setup and turns at random, of which nothing is learnt: so games go on in which pieces are gone and rabbits are far ahead, also while play from the setup is cautious"`
	RandomTurns    int     `yaml:"random_turns" min:"1" max:"10000" doc:"turns of both players together that such an opening has at most; all numbers from 1 are as likely"`

	TurnLimit   int    `yaml:"turn_limit" min:"1" max:"10000" doc:"turns of both players together, after the random ones, after which a game is stopped (real games last 55 to 68 on average, random ones 81)"`
	LimitBegin  int    `yaml:"limit_begin" min:"0" max:"10000" doc:"turn limit of the first game, from which it rises in a straight line to turn_limit; 0: turn_limit from the first game on"`
	LimitGames  int    `yaml:"limit_games" min:"1" max:"1000000000" doc:"number of the game from which the limit is turn_limit"`
	LimitResult string `yaml:"limit_result" oneof:"lead score none" doc:"what a stopped game counts as: lead: a win for who was last ahead in pieces, and no result if nobody was; score: the official score, by which Silver wins in that case; none: no result; data.no_result says what such a game teaches"`
}

// The words of FullPer and TemperaturePer, FastChoice, and LimitResult.
const (
	Step = "step"
	Turn = "turn"

	Sample = "sample"
	Best   = "best"

	Lead  = "lead"
	Score = "score"
	None  = "none"
)

// DefaultConfig returns the settings that a preset starts from.
func DefaultConfig() Config {
	return Config{
		GamesPerWorker:    16,
		Unit:              turnsearch.Step,
		Visits:            96,
		FastVisits:        16,
		FullFraction:      0.25,
		FullPer:           Step,
		SetupVisits:       8,
		SetupPolicyWeight: 1,
		SetupTemperature:  1,
		Temperature:       1,
		TemperatureTurns:  12,
		FinalTemperature:  0.3,
		TemperaturePer:    Step,
		FastChoice:        Sample,
		RandomOpenings:    0.4,
		RandomTurns:       40,
		TurnLimit:         80,
		LimitGames:        10_000,
		LimitResult:       Lead,
	}
}

// maxVisits is the most visits that any search of a game has at its root.
func (c *Config) maxVisits() int { return max(c.Visits, c.FastVisits, c.SetupVisits) }

// turnLimit returns the turn limit of a game, turns at random not counted. It
// depends on the game's number alone.
func (c *Config) turnLimit(number uint64) int {
	if c.LimitBegin == 0 || number >= uint64(c.LimitGames) {
		return c.TurnLimit
	}
	return c.LimitBegin + (c.TurnLimit-c.LimitBegin)*int(number)/c.LimitGames
}
