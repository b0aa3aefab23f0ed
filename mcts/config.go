package mcts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Config holds the settings of a search. The caller decides how many
// simulations a step gets and at what temperature its action is chosen.
//
// The zero value is not valid: begin with [AlphaZeroConfig], [MatchConfig] or
// [DefaultConfig], and change fields within the ranges of their tags.
type Config struct {
	Rule string `yaml:"rule" oneof:"puct gumbel" doc:"how actions are selected and what the policy learns: puct (Silver et al. 2018) or gumbel (Danihelka et al. 2022)" origin:"docs/research/search.md#gumbel" change:"Use gumbel to search with very few visits, for which it was made."`

	CPUCTInit float64 `yaml:"cpuct_init" min:"0" max:"100" doc:"exploration constant" origin:"docs/research/search.md#cpuct (AlphaZero, Silver et al. 2018: 1.25, with values in [0, 1])" change:"Raise it to search wider, lower it to search deeper."`
	CPUCTBase float64 `yaml:"cpuct_base" min:"1" max:"1e9" unit:"visits" doc:"exploration in a node is cpuct_init + log(1 + visits / cpuct_base): with a cpuct_init of 0.25 it doubles at 0.28 times cpuct_base" origin:"AlphaZero, Silver et al. 2018" change:"Lower it for searches of many thousands of visits that should explore more."`

	RootFPUReduction float64 `yaml:"root_fpu_reduction" min:"0" max:"1" doc:"first-play urgency at the root: an action without visits is assumed to have the node's value less this times sqrt(sum of the visited actions' priors)" origin:"KataGo: 0.1 on values in [-1, 1], so 0.05 here" change:"Lower it to try more actions at the root."`
	FPUReduction     float64 `yaml:"fpu_reduction" min:"0" max:"1" doc:"first-play urgency below the root (Gelly and Wang 2006)" origin:"KataGo: 0.2 on values in [-1, 1], so 0.1 here" change:"Raise it to search deeper, lower it to search wider."`

	NoiseFraction float64 `yaml:"noise_fraction" min:"0" max:"1" doc:"weight of the Dirichlet noise in the root's priors; 0 turns it off" origin:"AlphaZero, Silver et al. 2018, in self-play" change:"Raise it if self-play never tries what would be good; matches have none."`
	NoiseAlpha    float64 `yaml:"noise_alpha" min:"0.0001" max:"1000" doc:"concentration of the noise, divided among the legal actions" origin:"KataGo, Wu 2019, which is AlphaZero's 0.03 for each of 361 moves" change:"Lower it for noise on fewer actions at a time."`

	PolicyTargetScale float64 `yaml:"policy_target_scale" min:"0" max:"1000" doc:"policy target of the rule puct: the prior times exp(policy_target_scale * value) for every action, so that values change a policy by as much as they differ, and actions without a visit count as average (Danihelka et al. 2022, sec. 4; Grill et al. 2020). 0 takes the visits, which are much sharper than the prior even where the values are noise" origin:"docs/research/targets.md#policy-target-scale and docs/research/targets.md#larger-steps" change:"Raise it for a policy that follows the values faster; use 0 for AlphaZero's target."`
	LCB               float64 `yaml:"lcb" min:"0" max:"100" unit:"standard errors" doc:"at temperature 0, play the action with the highest mean value minus this many standard errors, among the actions with at least 0.15 times the most visits; 0 plays the action with the most visits" origin:"docs/research/search.md#lcb (KataGo: 5)" change:"Set it to 5, as matches do, for the strongest play; draw_penalty must then be 0."`

	DrawPenalty float64 `yaml:"draw_penalty" min:"0" max:"0.5" doc:"how much each player loses, in chance to win, if the game is stopped at the turn limit; at 0.5 that is as bad as a loss for both. It keeps two players from waiting for each other. It needs a network with the head stopped (network.heads), and cannot be combined with lcb" origin:"docs/research/self-play.md#waiting (Leela Chess Zero: the draw score)" change:"Lower it once games are decided on the board without it; use 0 for a network without the head."`

	CapturePrior float64 `yaml:"capture_prior" min:"0" max:"0.9" doc:"share of the priors in every node that is divided equally among the steps that begin the shortest captures of the turn, of up to three steps. The rules find these steps, and the network judges what follows. Most captures take three steps or two, which an early policy never finds together. A policy target by values (policy_target_scale) does not include this share; 0 leaves the priors alone" origin:"docs/research/search.md#captures" change:"Lower it for a network that finds captures by itself, or use 0 for a search without this knowledge."`
	PassPrior    float64 `yaml:"pass_prior" min:"0" max:"1" doc:"largest prior of ending a turn early, in every node. Passing is the same action in all positions, so a network learns to prefer it before it knows anything about positions, and then its turns have a single step; 1 leaves the priors alone" origin:"docs/research/self-play.md#passing" change:"Raise it for a network that passes only with reason."`

	Proofs     bool `yaml:"proofs" doc:"back up proven wins and losses, avoid the lost actions and stop at a proven root (MCTS-Solver, Winands, Bjornsson and Saito 2008, sec. 3)" origin:"docs/research/self-play.md#waiting and docs/research/search.md#win-tests" change:"Turn it off for the plain search of AlphaZero."`
	LostVisits bool `yaml:"lost_visits" doc:"a visit that only finds that an action is lost also counts for all positions above, as in MCTS-Solver. The values of a threatened player then fall, even if a good defence is known" origin:"docs/research/search.md#lost-visits" change:"Turn it off in a search that plays to win, as matches do."`

	WinTestSteps int `yaml:"win_test_steps" min:"0" max:"1000000000" unit:"steps" doc:"maximum number of steps that the tests of one leaf try: they tell by the rules whether the side to move can win within its turn, or must lose in the next. Such a leaf needs no evaluation and counts as the end of the game; beyond the maximum, the leaf is evaluated. 0 turns the tests off" origin:"docs/research/search.md#win-tests" change:"Raise it where evaluations take long: docs/explanation/search.md has what 100, 200 and 1,000 find and cost."`

	SkipForced     bool `yaml:"skip_forced" doc:"positions with a single legal action, such as finishing a push, need no evaluation: the search continues with the next choice" origin:"docs/research/search.md#lost-visits" change:"Turn it off for the plain search of AlphaZero."`
	PruneReversals bool `yaml:"prune_reversals" doc:"leave out steps that only take back the step before, unless a pull can follow: a shorter turn reaches the same position. A search that begins within a turn may take back the last step, and so may any within a turn where everything else loses" origin:"docs/research/self-play.md#passing" change:"Turn it off for the plain search of AlphaZero."`

	Gumbel Gumbel `yaml:"gumbel" doc:"settings of the rule gumbel"`

	// SeparateEvaluations gives every position in the tree an evaluation of its own, even if
	// several orders of steps lead to it. It is for an evaluator that is not a function of the
	// position. With PruneReversals, a shared position has the actions of the first order.
	SeparateEvaluations bool `yaml:"-"`
}

// Validate reports a rule that does not exist, and settings that do not fit together.
// It does not check the ranges.
func (c Config) Validate() error {
	if rules[c.Rule] == nil {
		return fmt.Errorf("rule is %q, which does not exist: use %s", c.Rule, strings.Join(slices.Sorted(maps.Keys(rules)), " or "))
	}
	if c.DrawPenalty > 0 && c.LCB > 0 {
		return fmt.Errorf("draw_penalty is %g, but cannot be combined with lcb: set one of them to 0", c.DrawPenalty)
	}
	return nil
}

// rules is the table of selection rules: by name, a function that makes the
// pair for one search. Each search has rules of its own, so a rule may keep
// state between simulations. To add a rule:
//
//  1. Implement rootRule, interiorRule or both (rules.go) in a file of its own.
//  2. Add a line here that makes the pair from the Config, and the name to the tag
//     of Config.Rule.
//  3. Test it in the way that rules_test.go tests its two rules.
var rules = map[string]func(Config) (rootRule, interiorRule){
	PUCT:       func(c Config) (rootRule, interiorRule) { return newPUCTRoot(c), newPUCT(c, c.FPUReduction) },
	GumbelRule: newGumbel,
}

// rulesOf returns a pair of the rules that config names. It panics if config is not valid.
func rulesOf(config Config) (rootRule, interiorRule) {
	if err := config.Validate(); err != nil {
		panic("mcts: " + err.Error())
	}
	return rules[config.Rule](config)
}

// PUCT names the rules of Silver et al. 2018, in the table of rules.
const PUCT = "puct"

// DefaultConfig returns the settings of self-play in a run, which the presets share. The pages
// named are in docs/research.
func DefaultConfig() Config {
	c := AlphaZeroConfig()
	c.NoiseFraction = 0.25
	c.CPUCTInit = 0.25                         // search.md#cpuct
	c.CapturePrior = 0.2                       // search.md#captures
	c.PassPrior, c.PruneReversals = 0.05, true // self-play.md#passing
	c.PolicyTargetScale = 40                   // targets.md#policy-target-scale and #larger-steps
	c.DrawPenalty = 0.5                        // self-play.md#waiting, and so the next line
	c.Proofs, c.WinTestSteps = true, 200       // exact tests help where waiting is bad
	c.SkipForced, c.LostVisits = true, true    // search.md#lost-visits
	return c
}

// AlphaZeroConfig returns the published settings of Silver et al. 2018, with the first-play
// urgency of KataGo and without noise.
func AlphaZeroConfig() Config {
	return Config{
		Rule:             PUCT,
		CPUCTInit:        1.25,
		CPUCTBase:        19652,
		RootFPUReduction: 0.05,
		FPUReduction:     0.1,
		NoiseAlpha:       10.83,
		PassPrior:        1,
		Gumbel:           DefaultGumbel(),
	}
}

// MatchConfig returns the settings of a search that plays to win, without noise: shorter win
// tests than in self-play (docs/research/search.md#win-tests), no visits for what is lost
// (docs/research/search.md#lost-visits), a larger share of the priors for captures
// (docs/research/search.md#captures), and the action with the best lower confidence bound
// (docs/research/search.md#lcb). A game that is stopped costs nothing.
func MatchConfig() Config {
	c := DefaultConfig()
	c.NoiseFraction, c.DrawPenalty = 0, 0
	c.WinTestSteps, c.LostVisits, c.CapturePrior = 100, false, 0.35
	c.LCB = 5
	return c
}
