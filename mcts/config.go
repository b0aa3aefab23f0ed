package mcts

// Config holds the settings of a search. The caller decides how many
// simulations a step gets and at what temperature its action is chosen.
type Config struct {
	CPUCTInit float64 `yaml:"cpuct_init" min:"0" max:"100" doc:"exploration constant (AlphaZero, Silver et al. 2018: 1.25, with values in [0, 1])"`
	CPUCTBase float64 `yaml:"cpuct_base" min:"1" max:"1e9" doc:"visits at which exploration begins to grow (AlphaZero: 19652)"`

	RootFPU FPU `yaml:"root_fpu" doc:"first-play urgency: the value of a root action without visits"`
	FPU     FPU `yaml:"fpu" doc:"first-play urgency below the root"`

	NoiseFraction float64 `yaml:"noise_fraction" min:"0" max:"1" doc:"weight of the Dirichlet noise in the root's priors; 0 turns it off (AlphaZero: 0.25 in self-play)"`
	NoiseAlpha    float64 `yaml:"noise_alpha" min:"0.0001" max:"1000" doc:"concentration of the noise (KataGo, Wu 2019: 10.83 in total, which is AlphaZero's 0.03 for each of 361 moves)"`
	NoiseScale    string  `yaml:"noise_scale" oneof:"total each" doc:"whether noise_alpha is shared out among the legal actions (total) or is for each of them (each, as AlphaZero: chess 0.3, shogi 0.15, Go 0.03)"`

	PolicyTemperature float64 `yaml:"policy_temperature" min:"0.1" max:"10" doc:"priors are raised to 1/temperature in every node; 1 leaves them as they are (AlphaZero: 1)"`
	ShareEvaluations  bool    `yaml:"share_evaluations" doc:"let positions reached by several orders of steps share one evaluation; changes no result if the evaluator is a function of the position"`
}

// rules is the table of selection rules: by name, a function that makes the
// pair for one search. Each search has rules of its own, so a rule may keep
// state between simulations.
var rules = map[string]func(Config) (rootRule, interiorRule){
	PUCT: func(c Config) (rootRule, interiorRule) { return newPUCTRoot(c), newPUCT(c, c.FPU) },
}

// PUCT names the rules of Silver et al. 2018, in the table of rules.
const PUCT = "puct"

// FPU is first-play urgency (Gelly and Wang 2006): the value that PUCT assumes
// for an action that has no visit yet.
type FPU struct {
	Mode  string  `yaml:"mode" oneof:"reduction absolute" doc:"absolute: the value itself; reduction: the node's present value less value*sqrt(sum of the visited actions' priors)"`
	Value float64 `yaml:"value" min:"0" max:"1" doc:"chance to win, or by how much it is reduced (absolute: AlphaZero 0, a loss; reduction: KataGo 0.1 at the root and 0.2 below on values in [-1, 1], so 0.05 and 0.1 here)"`
}

// The values of FPU.Mode and Config.NoiseScale.
const (
	Reduction = "reduction"
	Absolute  = "absolute"
	Total     = "total"
	Each      = "each"
)

// DefaultConfig returns the published settings, without noise: as for a match.
func DefaultConfig() Config {
	return Config{
		CPUCTInit:         1.25,
		CPUCTBase:         19652,
		RootFPU:           FPU{Reduction, 0.05},
		FPU:               FPU{Reduction, 0.1},
		NoiseFraction:     0,
		NoiseAlpha:        10.83,
		NoiseScale:        Total,
		PolicyTemperature: 1,
		ShareEvaluations:  true,
	}
}
