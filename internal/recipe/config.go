// Package recipe defines all settings of a run: one struct with a section for
// each package that has settings, the defaults, and checks of settings that depend
// on each other. Package settings reads and writes settings files; presets are such
// files.
//
// It is separate from package train so that a program that only plays can read a
// preset without the training loop.
package recipe

import (
	"cmp"
	"fmt"
	"time"

	"warren/data/replay"
	"warren/internal/arena"
	"warren/internal/arena/rating"
	"warren/internal/eval/device"
	"warren/internal/learn"
	"warren/internal/selfplay"
	"warren/mcts"
	"warren/net"
)

// Config holds all settings of a run.
type Config struct {
	Seed     uint64          `yaml:"seed" min:"0" max:"18446744073709551615" doc:"seed of all random numbers of the run"`
	Device   string          `yaml:"device" doc:"what evaluates networks: auto, cpu, amx, the tile unit of some server processors, or a graphics processor, such as opencl:0 or cuda:0; warren speed lists and measures what this machine has. Several, separated by commas, are used in that order: the first that works, and the next if it is lost. The same seed gives the same games on one path only, so a run keeps what auto chose when it began: the fastest by measurement, or cpu in synchronous runs"`
	Loop     Loop            `yaml:"loop"`
	Network  net.Config      `yaml:"network"`
	SelfPlay selfplay.Config `yaml:"selfplay"`
	Search   mcts.Config     `yaml:"search"`
	Data     replay.Config   `yaml:"data"`
	Learner  learn.Config    `yaml:"learner"`
	Match    Match           `yaml:"match"`
}

// Loop configures how self-play and learning alternate and when the run ends.
type Loop struct {
	Mode               string        `yaml:"mode" oneof:"async sync" doc:"async: self-play continues while the network trains; sync: they alternate, and the same seed gives the same run (if duration is 0s: the learning rate depends on the run's progress)"`
	Duration           time.Duration `yaml:"duration" min:"0s" max:"8760h" doc:"how long to train, not counting interruptions; 0s means no limit"`
	Clock              string        `yaml:"clock" oneof:"wall cpu" doc:"the clock for duration and the learning rate. wall: elapsed time; cpu: processor time of this process, user and system, summed over all cores, so that other work on the machine costs the run nothing"`
	Generations        int           `yaml:"generations" min:"0" max:"1000000" doc:"number of networks to train; 0 means no limit"`
	GamesPerGeneration int           `yaml:"games_per_generation" min:"1" max:"1000000" doc:"games from one network to the next (AlphaGo Zero, Silver et al. 2017: 25,000)"`
	BootstrapGames     int           `yaml:"bootstrap_games" min:"1" max:"10000000" doc:"games of generation 0, which are played with nearly uniform priors and even values instead of the untrained network; thousands take seconds"`
	ReplayRatio        float64       `yaml:"replay_ratio" min:"0.01" max:"100" doc:"average number of times that each position played is trained on (KataGo, Wu 2019: at most 4, often about 1)"`
	MaxLead            float64       `yaml:"max_lead" min:"1" max:"100" doc:"async: self-play waits when it is this many generations' games ahead of the learner"`
	FlushEvery         time.Duration `yaml:"flush_every" min:"1s" max:"1h" doc:"finished games are saved at least this often; a kill loses at most the games of this period"`
}

// Match configures how the network is measured during training.
type Match struct {
	Every     int    `yaml:"every" min:"0" max:"1000000" doc:"generations from one measurement to the next; 0 means never"`
	Games     int    `yaml:"games" min:"2" max:"10000" doc:"games against each opponent, with colours swapped"`
	Visits    int    `yaml:"visits" min:"0" max:"1000000" doc:"root visits for each step of the networks; 0 means selfplay.visits"`
	TurnLimit int    `yaml:"turn_limit" min:"1" max:"10000" doc:"number of turns, counting both players, after which the official score decides a game"`
	Baselines string `yaml:"baselines" doc:"players that networks are measured against, separated by spaces and named as for warren evaluate; quotes as in a shell keep spaces in a name. The first has rating 0 on the scale of match/elo. A player that loses 95% of the games is not played again"`

	Gatekeeper Gatekeeper `yaml:"gatekeeper"`
}

// DefaultConfig returns the recipe: the settings that the presets share, and where they differ, those of
// the preset desktop.
func DefaultConfig() Config {
	return Config{
		Seed: 1, Device: device.Auto,
		Loop: Loop{
			Mode:               Async,
			Duration:           8 * time.Hour,
			Clock:              WallClock,
			GamesPerGeneration: 1000,
			BootstrapGames:     1000,
			ReplayRatio:        0.5,
			MaxLead:            2,
			FlushEvery:         30 * time.Second,
		},
		Network:  net.DefaultConfig(),
		SelfPlay: selfplay.DefaultConfig(),
		Search:   mcts.DefaultConfig(),
		Data:     replay.DefaultConfig(),
		Learner:  learn.DefaultConfig(),
		Match: Match{
			Every: 10, Games: 40, TurnLimit: 200, Baselines: "greedy random alphabeta:nodes=2000",
			Gatekeeper: Gatekeeper{Test: rating.SPRT{Elo0: 0, Elo1: 35, Alpha: 0.05, Beta: 0.05}},
		},
	}
}

// The values of Loop.Mode and Loop.Clock.
const (
	Async = "async"
	Sync  = "sync"

	WallClock      = "wall"
	ProcessorClock = "cpu"
)

// Validate reports settings that are in range but do not fit together.
func (c *Config) Validate() error {
	if err := c.Network.Validate(); err != nil {
		return err
	}
	if err := device.Check(c.Device); err != nil {
		return fmt.Errorf("device: %w", err)
	}
	if err := device.CheckLearner(c.Learner.Device); err != nil {
		return fmt.Errorf("learner.device must be cpu or a graphics processor: %w", err)
	}
	if err := c.Learner.Validate(c.Network); err != nil {
		return fmt.Errorf("learner.%w", err)
	}
	if c.Search.DrawPenalty > 0 && !c.Network.Has("stopped") {
		return fmt.Errorf("search.draw_penalty needs a network that knows the chance: add stopped to network.heads")
	}
	if _, err := c.Match.Opponents(); err != nil {
		return err
	}
	if err := c.Search.Validate(); err != nil {
		return fmt.Errorf("search.%w", err)
	}
	if c.Loop.Duration == 0 && c.Loop.Generations == 0 {
		return fmt.Errorf("loop.duration and loop.generations are both 0: set one, or the run never ends")
	}
	if c.Data.WindowPositions < c.Learner.Batch {
		return fmt.Errorf("data.window_positions is %d, less than one minibatch (learner.batch %d)", c.Data.WindowPositions, c.Learner.Batch)
	}
	return nil
}

// MatchSearch returns how networks search in the run's matches, as in warren evaluate. The
// temperature makes the openings differ.
func (c *Config) MatchSearch() arena.SearchSettings {
	return arena.SearchSettings{
		Search: mcts.MatchConfig(), Visits: cmp.Or(c.Match.Visits, c.SelfPlay.Visits), Temperature: 1, TemperatureTurns: 4,
	}
}

// Games returns the number of games that a generation plays.
func (c *Loop) Games(generation int) int {
	if generation == 0 {
		return c.BootstrapGames
	}
	return c.GamesPerGeneration
}

// FirstNumber returns the number of a generation's first game in a synchronous run that has had these
// settings from its beginning.
func (c *Loop) FirstNumber(generation int) int {
	if generation == 0 {
		return 0
	}
	return c.BootstrapGames + (generation-1)*c.GamesPerGeneration
}

// Gatekeeper configures the sequential test that a new network must pass before self-play uses it.
type Gatekeeper struct {
	Games int `yaml:"games" min:"0" max:"100000" doc:"most games of the match in which a new network must pass a sequential test against the one that plays: 35 Elo stronger against equally strong, each decided wrongly in 5% of the cases. If the test is undecided after all games, the likelier hypothesis counts. 0 means that self-play uses every network at once (AlphaGo Zero, Silver et al. 2017: 400 games, of which 55%, or 35 Elo, must be won; AlphaZero: none)"`

	Test rating.SPRT `yaml:"-"`
}
