package turnsearch

// Config holds the settings of a search over turns. The caller decides how many
// evaluations a turn gets and at what temperature it is chosen.
type Config struct {
	OwnShare   float64 `yaml:"own_share" min:"0" max:"0.9" doc:"share of the evaluations spent on positions within the mover's own turn. The best by joint prior are expanded, about equally many after each step, and at least 4 in all"`
	EndsShare  float64 `yaml:"ends_share" min:"0.01" max:"1" doc:"share of the evaluations spent on positions at the end of the turn, the likeliest first; at least 2 are judged"`
	Candidates int     `yaml:"candidates" min:"1" max:"1024" doc:"number of ends of the turn with which sequential halving (Karnin et al. 2013) begins. It judges them by the opponent's replies, with the remaining evaluations"`

	Guide float64 `yaml:"guide" min:"0" max:"1000" doc:"weight of the network's values within the turn: positions that follow a position are ranked as if their joint prior were exp(guide*(value of that position - value at the turn's start)) times as high; 0 ranks by the priors alone"`

	CapturePrior float64 `yaml:"capture_prior" min:"0" max:"0.9" doc:"share of the priors in every position that is divided equally among the steps that begin captures, like search.capture_prior in a search over steps. The policy target does not include it"`
	PassPrior    float64 `yaml:"pass_prior" min:"0" max:"1" doc:"largest prior of ending the turn early, in every position, like search.pass_prior in a search over steps. Here short turns come first whenever priors are flat, because every further step divides the probability among more ends; 1 leaves the priors alone"`
	SkipReturns  bool    `yaml:"skip_returns" doc:"leave out the steps that only take back the step before, as search.skip_returns does"`

	CVisit      float64 `yaml:"c_visit" min:"0" max:"10000" doc:"with c_scale: the improved policy is prior*exp((c_visit + evaluations of the end looked at most)*c_scale*value) (Gumbel AlphaZero, Danihelka et al. 2022, sec. 5: 50)"`
	CScale      float64 `yaml:"c_scale" min:"0" max:"100" doc:"weight of the values against the priors (Danihelka et al. 2022: 1.0, with values scaled to [0, 1] at every root; here they are chances to win)"`
	ReplyWeight float64 `yaml:"reply_weight" min:"0" max:"1" doc:"weight of the opponent's replies in the value of an end; the rest is the network's value of the end itself"`

	SamplingTemperature float64 `yaml:"sampling_temperature" min:"0.1" max:"10" doc:"where ends are sampled, priors are raised to 1/temperature at every step; 1 samples from the priors (stochastic beam search, Kool et al. 2019)"`
	TargetEnds          int     `yaml:"target_ends" min:"1" max:"1024" doc:"number of judged ends beyond a position of the turn at which its policy target has weight 1; with fewer, the weight is proportionally smaller"`
	WinSteps            int64   `yaml:"win_steps" min:"0" max:"1000000000" doc:"maximum number of steps that an exact test for a win within a turn tries. The mover's own turn is tested, and the opponent's turn after every end; 0 disables these tests"`
}

// The values of a setting that chooses what a search decides on.
const (
	Step = "step" // single steps: package mcts
	Turn = "turn" // whole turns: this package
)

// DefaultConfig returns the settings of the first experiments.
func DefaultConfig() Config {
	return Config{
		OwnShare: 0.3, EndsShare: 0.2, Candidates: 4,
		PassPrior: 1,
		CVisit:    50, CScale: 0.4, ReplyWeight: 0.75,
		SamplingTemperature: 1, TargetEnds: 4, WinSteps: 500,
	}
}
