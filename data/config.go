package data

// Config says which games are learnt from, what they teach, and how they are stored.
type Config struct {
	WindowPositions int     `yaml:"window_positions" min:"1" max:"100000000" doc:"positions in the replay window, newest games kept (AlphaGo Zero, Silver et al. 2017: 500,000 games; KataGo, Wu 2019: 250,000 positions, growing)"`
	WindowFraction  float64 `yaml:"window_fraction" min:"0" max:"1" doc:"part of all positions played that the window holds at least, so that it grows with the run (KataGo, Wu 2019, appendix C, grows with a power below 1); 0: it does not grow"`
	PolicyShare     float64 `yaml:"policy_share" min:"0" max:"1" doc:"share of the samples that are drawn only from positions with a policy target, which cost most of the evaluations; 0: all positions are equally likely"`
	LengthPower     float64 `yaml:"length_power" min:"0" max:"1" doc:"value weights are divided by the number of a game's positions to this power: 0 gives long games more weight than short ones, 1 gives all games the same"`
	HeldOutFraction float64 `yaml:"held_out_fraction" min:"0" max:"0.5" doc:"fraction of the games never trained on, kept to measure the loss honestly"`
	GamesPerShard   int     `yaml:"games_per_shard" min:"1" max:"100000" doc:"games in one replay file; a kill loses the finished games that are not in one yet"`
	RootValueWeight float64 `yaml:"root_value_weight" min:"0" max:"1" doc:"share of the search's root value in the value target, the rest being the game's outcome (AlphaZero, Silver et al. 2018: 0)"`
	LimitValue      float64 `yaml:"limit_value" min:"0.5" max:"1" doc:"outcome of a stopped game for who wins it by the score: 1 is as good as a goal, and a network may learn to sit on a lead; 0.5 teaches that neither side is ahead"`
	NoResult        string  `yaml:"no_result" oneof:"nothing search even" doc:"what a game without a result teaches the value: nothing; search: the chances that its last search saw; even: that both sides are as likely to win, which makes play passive"`
}

// DefaultConfig returns the settings that every preset starts from.
func DefaultConfig() Config {
	return Config{
		WindowPositions: 500_000,
		HeldOutFraction: 0.05,
		GamesPerShard:   64,
		RootValueWeight: 0.3,
		LimitValue:      0.9,
		NoResult:        nothing,
	}
}
