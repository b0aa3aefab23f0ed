package replay

import "math"

// Config is the section data of a run's settings: which games are trained on, their targets, and, for
// [data.WriterConfig], the size of a shard.
type Config struct {
	WindowPositions int     `yaml:"window_positions" min:"1" max:"100000000" unit:"positions" doc:"positions in the replay window, which keeps the newest games" origin:"chosen by hand; larger ones: docs/research/self-play.md#large-window (AlphaGo Zero, Silver et al. 2017: 500,000 games; KataGo, Wu 2019: 250,000 positions, growing)" change:"Scale it with the number of games that the run will play."`
	PolicyWindow    int     `yaml:"policy_window" min:"0" max:"100000000" unit:"positions" doc:"newest positions of the window whose policy targets are trained on; older ones train only the value and the auxiliary heads, except soft_policy. The value needs many games, while a policy improves only on the one that its target comes from. 0 means all" origin:"docs/research/targets.md#policy-window" change:"Raise it for a network that already plays well: its policy changes slowly."`
	PolicyShare     float64 `yaml:"policy_share" min:"0" max:"1" doc:"share of the samples that are drawn in proportion to their policy weight, and so only from positions with a policy target, which take most of the evaluations. If policy_window is set, they are drawn from these newest positions. A weight above 1 is drawn like 1, and counts in full in the loss. 0 means that all positions are equally likely" origin:"docs/research/optimisation.md#muon" change:"Raise it for more policy targets in a minibatch, lower it for more outcomes."`
	HeldOutFraction float64 `yaml:"held_out_fraction" min:"0" max:"0.5" doc:"share of the games that are never trained on, so that the loss can be measured on unseen games" origin:"chosen by hand, not measured" change:"Raise it in a short run, so that enough games are held out; lower it to train on more games."`
	GamesPerShard   int     `yaml:"games_per_shard" min:"1" max:"100000" unit:"games" doc:"games in one shard, a file of games; a kill loses the finished games that are not in a shard yet" origin:"chosen by hand, not measured" change:"Raise it where games are fast, for fewer, larger files."`
	QRatio          float64 `yaml:"q_ratio" min:"0" max:"1" doc:"share of the search's root value in the value target; the rest is the game's outcome" origin:"chosen by hand; 0.5 instead of 0: docs/research/optimisation.md#cycles (AlphaZero, Silver et al. 2018: 0)" change:"Raise it while outcomes are mostly luck; use 0 for values that are trained on outcomes alone."`
	LimitValue      float64 `yaml:"limit_value" min:"0.5" max:"1" doc:"outcome of a stopped game for its winner by the score. With 1 it is as good as a goal, and a network may learn to sit on a lead; with 0.5 neither side is ahead" origin:"docs/research/targets.md#limit-value" change:"Raise it to reward a lead in pieces at the limit, for example with a short turn_limit."`

	MaterialWeight MaterialConfig `yaml:"material_weight" doc:"share of the outcome that is the final difference in pieces: a lead of 1 is worth 2/3, of 2 3/4, of 6 7/8; the rest is who won. Above 0, values are no longer chances to win, but captures count in every game (KataGo's score utility, Wu 2019, sec. 4.1, put into the target)"`
}

// MaterialConfig configures the share of material in outcomes, as a [schedule.ByGame].
type MaterialConfig struct {
	Initial float64 `yaml:"initial" min:"0" max:"0.9" doc:"share in the first game" origin:"docs/research/self-play.md#pace" change:"Set it with games."`
	Final   float64 `yaml:"final" min:"0" max:"0.9" doc:"share in the later games" origin:"docs/research/self-play.md#pace" change:"Use 0 for a network that plays well (docs/research/targets.md#outcome-only), or for values that are chances to win."`
	Games   int     `yaml:"games" min:"0" max:"1000000000" unit:"games" doc:"number of the first game with the final share, to which the share goes linearly; 0 means that every game has it" origin:"every game" change:"Set it in a long run, with a final share of 0: counting pieces teaches a young network that captures matter, but it teaches a strong one that a rabbit is worth as much as a camel (docs/research/targets.md#outcome-only)."`
}

// Holding returns the settings with a window of at least the given number of positions.
// PolicyWindow grows in proportion.
func (c Config) Holding(positions int) Config {
	if positions > c.WindowPositions {
		policy := float64(c.PolicyWindow) / float64(c.WindowPositions) * float64(positions)
		c.WindowPositions, c.PolicyWindow = positions, int(math.Ceil(policy))
	}
	return c
}

// DefaultConfig returns the settings of the recipe. The pages named are in docs/research.
func DefaultConfig() Config {
	return Config{
		WindowPositions: 1_000_000,
		PolicyWindow:    200_000, // targets.md#policy-window
		PolicyShare:     0.5,
		HeldOutFraction: 0.05,
		GamesPerShard:   256,
		QRatio:          0.3,
		LimitValue:      0.5, // self-play.md#waiting, and so the next
		MaterialWeight:  MaterialConfig{Initial: 0.45, Final: 0.45},
	}
}
