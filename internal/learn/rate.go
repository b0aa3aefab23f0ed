package learn

import (
	"fmt"
	"math"
)

// RateConfig configures the learning rate. The rate rises to its initial value over a number of
// minibatches, then falls with the progress of the run, or of its stage, as half a cosine
// (Loshchilov and Hutter 2017). It is constant if the final value is the initial one.
type RateConfig struct {
	Initial float64 `yaml:"initial" min:"1e-8" max:"10" doc:"the rate after the warm-up" origin:"docs/research/optimisation.md#muon (adam: 1e-3, Kingma and Ba 2015; sgd: 0.2 at a batch of 4,096, AlphaZero, Silver et al. 2018)" change:"Lower it for a network that already plays well (0.001 in the climb), and for adam."`
	Final   float64 `yaml:"final" min:"0" max:"10" doc:"the rate at the end of the run, or of its stage: it falls from the initial rate as half a cosine (Loshchilov and Hutter 2017)" origin:"chosen by hand, not measured" change:"Set it to the initial rate for a constant one."`
	WarmUp  int64   `yaml:"warm_up" min:"0" max:"1000000000" unit:"minibatches" doc:"number of minibatches over which the rate rises linearly; 0 starts at the initial rate" origin:"chosen by hand, not measured" change:"Raise it with a high rate, or if the first losses jump."`
}

// defaultRateConfig returns the settings of the recipe.
func defaultRateConfig() RateConfig {
	return RateConfig{Initial: 0.004, WarmUp: 100, Final: 1e-4}
}

// Validate reports settings that are in range but do not fit together.
func (c RateConfig) Validate() error {
	if c.Final > c.Initial {
		return fmt.Errorf("rate.final is %g, more than rate.initial %g", c.Final, c.Initial)
	}
	return nil
}

// At returns the learning rate of minibatch step, counted from 0, when the
// fraction done of the run, or of its stage, from 0 to 1, is over. The rate
// depends on nothing else, so an interruption does not change it.
func (c RateConfig) At(step int64, done float64) float64 {
	done = min(1, max(0, done))
	rate := c.Final + (c.Initial-c.Final)*(1+math.Cos(math.Pi*done))/2
	if step < c.WarmUp {
		rate *= float64(step+1) / float64(c.WarmUp)
	}
	return rate
}
