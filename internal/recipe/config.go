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
	Seed     uint64          `yaml:"seed" min:"0" max:"18446744073709551615" doc:"seed of all random numbers of the run" origin:"arbitrary" change:"Change it to repeat a run with different luck, as warren experiment does."`
	Device   string          `yaml:"device" doc:"what evaluates networks: auto, cpu, int16 (16-bit integers, the same results on every processor), int16/amx (those on the tile unit of some server processors), amx (that unit in bf16) or a graphics processor, such as opencl:0 or cuda:0. Several graphics processors joined by +, such as cuda:0+cuda:1, share the work. Several names separated by commas are tried in that order: the first that works is used, and the next if it is lost. auto is amx where the processor has it, int16 where it has AVX-512 or AVX2, and cpu elsewhere. It is always cpu for networks of fewer than 32 channels (in the last of loop.stages) and in synchronous runs. The run keeps what auto chose when it began, because another device plays other games" origin:"docs/reference/benchmarks.md" change:"Name a device to use it even if it is not the fastest; warren speed lists and measures them."`
	Loop     Loop            `yaml:"loop" doc:"how self-play and training alternate, and when the run ends"`
	Network  net.Config      `yaml:"network" doc:"the size of the network, and what it predicts"`
	SelfPlay selfplay.Config `yaml:"selfplay" doc:"the games of self-play"`
	Search   mcts.Config     `yaml:"search" doc:"the tree search of self-play"`
	Data     replay.Config   `yaml:"data" doc:"the replay window, and the targets of the samples"`
	Learner  learn.Config    `yaml:"learner" doc:"how the network is trained"`
	Match    Match           `yaml:"match" doc:"how the network is measured during training"`
}

// Loop configures how self-play and learning alternate and when the run ends.
type Loop struct {
	Mode               string        `yaml:"mode" oneof:"async sync" doc:"async: self-play continues while the network trains; sync: they alternate, and the same seed gives the same run (if duration is 0s, because the learning rate depends on the run's progress)" origin:"AlphaZero, Silver et al. 2018" change:"Use sync to repeat a run exactly, for example to test a change of the program."`
	Duration           time.Duration `yaml:"duration" min:"0s" max:"8760h" doc:"how long to train, not counting interruptions; 0s means no limit" origin:"one night" change:"Set it to the time that you have: the learning rate falls until then. In a run that has begun, a longer duration raises the rate again, and a shorter one lowers it at once."`
	Clock              string        `yaml:"clock" oneof:"wall cpu" doc:"the clock for duration and the learning rate. wall: elapsed time, except while the process is stopped (Ctrl-Z) or the machine sleeps; cpu: processor time of this process, user and system, summed over all cores" origin:"what people expect of a duration" change:"Use cpu to compare runs while other programs use the machine: they then cost a run nothing."`
	Generations        int           `yaml:"generations" min:"0" max:"99999" unit:"networks" doc:"number of networks to train, without one that is given (--from); 0 means no limit" origin:"duration ends the run" change:"Set it to end a run after a number of networks, as in a synchronous run."`
	Stages             string        `yaml:"stages" doc:"settings that change in the course of the run: the share of the run that is done when a stage begins, then KEY=VALUE for each setting that changes, as for --set, then the share of the next stage, and so on. A stage begins with the first generation after its share, like a run that begins with the newest network (--from): with a fresh optimiser, and a learning rate that rises and falls within the stage. A network that becomes larger is first trained on all of the replay window, replay_ratio samples a position; the smaller one plays until then, as far as max_lead allows. A game has the settings of the stage that its network was published in. Stages change settings of network, selfplay, search, data and learner, and loop.replay_ratio. Other commands, such as learn and selfplay, use the settings of the last stage" origin:"one stage" change:"Set it for a long run, which needs a small network and few visits at first and a large one and more later, as in 0.35 network.blocks=6 network.channels=64 learner.rate.initial=0.0005 0.7 selfplay.visits.final=256. A network that grows needs a low rate (docs/research/networks.md#growth)."`
	GamesPerGeneration int           `yaml:"games_per_generation" min:"1" max:"1000000" unit:"games" doc:"games from one network to the next" origin:"chosen by hand, not measured (AlphaGo Zero, Silver et al. 2017: 25,000)" change:"Raise it where games are fast; lower it in a short run, so that there are enough generations."`
	BootstrapGames     int           `yaml:"bootstrap_games" min:"1" max:"10000000" unit:"games" doc:"games of generation 0, which are played with nearly uniform priors and even values instead of the untrained network. A run that begins with a given network (--from) has none" origin:"chosen by hand, not measured" change:"Raise it with the window; thousands take seconds."`
	ReplayRatio        float64       `yaml:"replay_ratio" min:"0.01" max:"100" unit:"samples a position" doc:"average number of times that each position played is trained on" origin:"docs/research/optimisation.md#replay-ratio (KataGo, Wu 2019: at most 4, often about 1)" change:"Raise it where games are slow and the learner is idle; lower it if the held-out loss rises."`
	MaxLead            float64       `yaml:"max_lead" min:"1" max:"100" unit:"generations" doc:"async: number of generations whose games self-play may be ahead of the learner before it waits" origin:"chosen by hand, not measured" change:"Raise it for workers on a slow network; lower it so that more games come from the newest network."`
	FlushEvery         time.Duration `yaml:"flush_every" min:"1s" max:"1h" doc:"longest time until a finished game is saved; a kill loses at most the games of this period" origin:"chosen by hand, not measured" change:"Raise it for fewer, larger files; lower it to lose less by a kill."`
}

// Match configures how the network is measured during training.
type Match struct {
	Every     int    `yaml:"every" min:"0" max:"1000000" unit:"generations" doc:"generations from one measurement to the next; 0 means never" origin:"chosen by hand, not measured" change:"Raise it in a short run: matches take time from the learning."`
	Games     int    `yaml:"games" min:"2" max:"10000" unit:"games" doc:"games against each opponent, with colours swapped" origin:"chosen by hand, not measured" change:"Raise it for narrower intervals; they take time from the learning."`
	Visits    int    `yaml:"visits" min:"0" max:"1000000" unit:"visits" doc:"root visits for each step of the networks; 0 means selfplay.visits.final, before stages change it" origin:"as in self-play" change:"Set it to compare runs whose self-play has different visits."`
	Baselines string `yaml:"baselines" doc:"players that networks are measured against, separated by spaces and named as for warren evaluate; quotes as in a shell keep spaces in a name. The first has rating 0 on the scale of match/elo. A player that loses 95% of the games is not played again, unless the networks search otherwise then" origin:"players from weak to strong" change:"Add a stronger player for a long run, such as alphabeta:nodes=200000."`

	// TurnLimit is the number of turns, counting both players, after which the official score decides a game.
	TurnLimit int `yaml:"-"`

	Gatekeeper Gatekeeper `yaml:"gatekeeper" doc:"the test that a new network must pass before self-play uses it"`
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

// Validate reports settings that are in range but do not fit together, in any stage of the run.
func (c *Config) Validate() error {
	if err := c.validate(); err != nil {
		return err
	}
	_, err := c.StageList()
	return err
}

// validate reports settings of a stage that do not fit together.
func (c *Config) validate() error {
	if err := c.Network.Validate(); err != nil {
		return err
	}
	if err := device.Check(c.Device); err != nil {
		return fmt.Errorf("device: %w", err)
	}
	if err := device.CheckLearner(c.Learner.Device); err != nil {
		return fmt.Errorf("learner.device: %w; --set learner.device=cpu learns on the processor", err)
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
	if err := c.validateSearch(); err != nil {
		return err
	}
	if c.Loop.Duration == 0 && c.Loop.Generations == 0 {
		return fmt.Errorf("loop.duration and loop.generations are both 0: set one, or the run never ends")
	}
	if c.Data.WindowPositions < c.Learner.Batch {
		return fmt.Errorf("data.window_positions is %d, less than one minibatch (learner.batch %d)", c.Data.WindowPositions, c.Learner.Batch)
	}
	return nil
}

func (c *Config) validateSearch() error {
	if err := c.Search.Validate(); err != nil {
		return fmt.Errorf("search.%w", err)
	}
	return nil
}

// MatchSearch returns how networks search in the run's matches, as in warren evaluate. The
// temperature makes the openings differ.
func (c *Config) MatchSearch() arena.SearchSettings {
	s := arena.DefaultSearch()
	s.Visits, s.Temperature, s.TemperatureTurns = cmp.Or(c.Match.Visits, c.SelfPlay.Visits.Final), 1, 4
	return s
}

// Games returns the number of games that a generation plays.
func (c *Loop) Games(generation int) int {
	if generation == 0 {
		return c.BootstrapGames
	}
	return c.GamesPerGeneration
}

// Gatekeeper configures the sequential test that a new network must pass before self-play uses it.
type Gatekeeper struct {
	Games int `yaml:"games" min:"0" max:"100000" unit:"games" doc:"largest number of games of the match in which a new network must pass a sequential test against the one that plays: 35 Elo stronger against equally strong, each decided wrongly in 5% of the cases. If the test is undecided after all games, the likelier hypothesis counts. 0 means that self-play uses every network at once" origin:"AlphaZero, Silver et al. 2018: none (AlphaGo Zero, 2017: 400 games, of which 55%, or 35 Elo, must be won)" change:"Set it to 400 to keep weaker networks out of self-play, as AlphaGo Zero and KataGo do."`

	Test rating.SPRT `yaml:"-"`
}
