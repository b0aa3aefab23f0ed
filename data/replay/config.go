package replay

import "math"

// Config is the section data of a run's settings: which games are trained on, their targets, and, for
// [data.WriterConfig], the size of a shard.
type Config struct {
	WindowPositions int     `yaml:"window_positions" min:"1" max:"100000000" doc:"positions in the replay window, which keeps the newest games (AlphaGo Zero, Silver et al. 2017: 500,000 games; KataGo, Wu 2019: 250,000 positions, growing)"`
	PolicyWindow    int     `yaml:"policy_window" min:"0" max:"100000000" doc:"positions, the newest of the window, whose policy targets are learnt; older ones teach only the value and the auxiliary heads. The value needs many games, while a policy improves only on the one that its target comes from. 0 means all"`
	PolicyShare     float64 `yaml:"policy_share" min:"0" max:"1" doc:"share of the samples that are drawn in proportion to their policy weight, and so only from positions with a policy target, which take most of the evaluations. If policy_window is set, they are drawn from these newest positions. A weight above 1 is drawn like 1, and counts in full in the loss. 0 means that all positions are equally likely"`
	HeldOutFraction float64 `yaml:"held_out_fraction" min:"0" max:"0.5" doc:"fraction of the games that are never trained on, so that the loss can be measured on unseen games"`
	GamesPerShard   int     `yaml:"games_per_shard" min:"1" max:"100000" doc:"games in one shard, a file of games; a kill loses the finished games that are not in a shard yet"`
	QRatio          float64 `yaml:"q_ratio" min:"0" max:"1" doc:"share of the search's root value in the value target; the rest is the game's outcome (AlphaZero, Silver et al. 2018: 0)"`
	LimitValue      float64 `yaml:"limit_value" min:"0.5" max:"1" doc:"outcome of a stopped game for its winner by the score. With 1 it is as good as a goal, and a network may learn to sit on a lead; with 0.5 neither side is ahead"`
	MaterialWeight  float64 `yaml:"material_weight" min:"0" max:"0.9" doc:"share of the outcome that is the final difference in pieces: a lead of 1 is worth 2/3, of 2 3/4, of 6 7/8; the rest is who won. Above 0, values are no longer chances to win, but captures count in every game (KataGo's score utility, Wu 2019, sec. 4.1, put into the target)"`
	MaterialGames   int     `yaml:"material_games" min:"0" max:"1000000000" doc:"number of the first game of a run whose outcome is nothing but who won: material_weight falls linearly until then. 0 means that it does not fall. Counting pieces teaches a young network that captures matter, but it teaches a strong network that a rabbit is worth as much as a camel (docs/experiments/lead.md)"`
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

// DefaultConfig returns the settings of the recipe. The pages named are in docs/experiments.
func DefaultConfig() Config {
	return Config{
		WindowPositions: 1_000_000,
		PolicyWindow:    200_000, // turnover.md
		PolicyShare:     0.5,
		HeldOutFraction: 0.05,
		GamesPerShard:   256,
		QRatio:          0.3,
		LimitValue:      0.5, // waiting.md, and so the next
		MaterialWeight:  0.45,
	}
}
