package train

import (
	"fmt"
	"strings"
	"time"

	"warren/data"
	"warren/learn"
	"warren/match"
	"warren/mcts"
	"warren/net"
	"warren/selfplay"
	"warren/turnsearch"
)

// Config is all settings of a run.
type Config struct {
	Seed     uint64            `yaml:"seed" min:"0" max:"18446744073709551615" doc:"seed of everything random in the run"`
	Loop     LoopConfig        `yaml:"loop"`
	Network  net.Config        `yaml:"network"`
	SelfPlay selfplay.Config   `yaml:"selfplay"`
	Search   mcts.Config       `yaml:"search"`
	Turns    turnsearch.Config `yaml:"turns"`
	Data     data.Config       `yaml:"data"`
	Learner  learn.Config      `yaml:"learner"`
	Match    MatchConfig       `yaml:"match"`
}

// LoopConfig says how self-play and learning take turns, and when to stop.
type LoopConfig struct {
	Mode               string        `yaml:"mode" oneof:"async sync" doc:"async: self-play goes on while the network is trained; sync: they take turns, and the same seed gives the same run (with duration 0s, for the learning rate goes by the run's progress)"`
	Duration           time.Duration `yaml:"duration" min:"0s" max:"8760h" doc:"how long to train, interruptions not counted; 0s sets no limit"`
	Generations        int           `yaml:"generations" min:"0" max:"1000000" doc:"how many networks to train; 0 sets no limit"`
	GamesPerGeneration int           `yaml:"games_per_generation" min:"1" max:"1000000" doc:"games from one network to the next (AlphaGo Zero, Silver et al. 2017: 25,000)"`
	FirstGames         int           `yaml:"first_games" min:"1" max:"10000000" doc:"games of generation 0, which are played with even priors and values in place of the untrained network: thousands take seconds"`
	SamplesPerPosition float64       `yaml:"samples_per_position" min:"0.01" max:"100" doc:"samples trained for every position played, on average (KataGo, Wu 2019: at most 4, often about 1)"`
	MaxLead            float64       `yaml:"max_lead" min:"1" max:"100" doc:"async: self-play is held back when it is this many generations' games ahead of the learner"`
	FlushEvery         time.Duration `yaml:"flush_every" min:"1s" max:"1h" doc:"finished games are saved at least this often; a kill loses no more"`
}

// MatchConfig says how the network is measured while it trains.
type MatchConfig struct {
	Every       int     `yaml:"every" min:"0" max:"1000000" doc:"generations from one measurement to the next; 0 is never"`
	Games       int     `yaml:"games" min:"2" max:"10000" doc:"games against each opponent, colours swapped"`
	Visits      int     `yaml:"visits" min:"0" max:"1000000" doc:"root visits for every step of either side; 0 is selfplay.visits"`
	Temperature float64 `yaml:"temperature" min:"0" max:"10" doc:"temperature during the setup and the first turns, so that games differ"`
	Turns       int     `yaml:"temperature_turns" min:"0" max:"10000" doc:"turns of both players together that temperature lasts"`
	TurnLimit   int     `yaml:"turn_limit" min:"1" max:"10000" doc:"turns of both players together after which the official score decides a game"`
	Search      string  `yaml:"search" doc:"settings of the search, separated by spaces, that differ from self-play's, as search.cpuct_init=0.5 or unit=turn; noise is off unless it is set here"`
	Baselines   string  `yaml:"baselines" doc:"players that networks are measured against, apart by spaces, named as cmd/evaluate names them; the first is 0 on the scale of match/elo, and one that is beaten in 95% of the games is not played again"`

	Gatekeeper GatekeeperConfig `yaml:"gatekeeper"`
}

// DefaultConfig returns the settings that a preset starts from.
func DefaultConfig() Config {
	c := Config{
		Seed: 1,
		Loop: LoopConfig{
			Mode:               Async,
			Duration:           30 * time.Minute,
			GamesPerGeneration: 100,
			FirstGames:         2000,
			SamplesPerPosition: 1,
			MaxLead:            2,
			FlushEvery:         30 * time.Second,
		},
		Network:  net.DefaultConfig(),
		SelfPlay: selfplay.DefaultConfig(),
		Search:   mcts.DefaultConfig(),
		Turns:    turnsearch.DefaultConfig(),
		Data:     data.DefaultConfig(),
		Learner:  learn.DefaultConfig(),
		Match: MatchConfig{
			Every: 10, Games: 20, Temperature: 1, Turns: 4, TurnLimit: 200, Baselines: "greedy random alphabeta:nodes=2000",
			Gatekeeper: GatekeeperConfig{Elo0: 0, Elo1: 35, Alpha: 0.05, Beta: 0.05},
		},
	}
	c.Search.NoiseFraction = 0.25
	return c
}

// The words of LoopConfig.Mode.
const (
	Async = "async"
	Sync  = "sync"
)

// Validate reports settings that are each in range but do not go together.
func (c *Config) Validate() error {
	if err := c.Network.Validate(); err != nil {
		return err
	}
	if err := c.Learner.Validate(c.Network); err != nil {
		return fmt.Errorf("learner.%w", err)
	}
	for _, name := range c.Match.baselines() {
		if _, err := (&match.Names{}).Parse(name); err != nil {
			return fmt.Errorf("match.baselines: %w", err)
		}
	}
	if _, err := c.matchSettings(); err != nil {
		return fmt.Errorf("match.search: %w", err)
	}
	if err := c.Match.Gatekeeper.test().Validate(); err != nil {
		return fmt.Errorf("match.gatekeeper: %w", err)
	}
	if c.Loop.Duration == 0 && c.Loop.Generations == 0 {
		return fmt.Errorf("loop.duration and loop.generations are both 0: set one, or the run never ends")
	}
	if c.Data.WindowPositions < c.Learner.Batch {
		return fmt.Errorf("data.window_positions is %d, less than one minibatch (learner.batch %d)", c.Data.WindowPositions, c.Learner.Batch)
	}
	return nil
}

// matchSettings says how networks play in matches.
func (c *Config) matchSettings() (match.SearchSettings, error) {
	s := match.SearchSettings{
		Visits: c.Match.Visits, Temperature: c.Match.Temperature, TemperatureTurns: c.Match.Turns,
		Unit: c.SelfPlay.Unit, Search: c.Search, Turns: c.Turns,
	}
	if s.Visits == 0 {
		s.Visits = c.SelfPlay.Visits
	}
	s.Search.NoiseFraction = 0
	return s, match.ReadSearch(strings.Fields(c.Match.Search), &s)
}
