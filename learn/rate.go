package learn

import (
	"fmt"
	"math"
)

// RateConfig configures the learning rate. The rate rises to its peak over a
// number of minibatches, then falls with the progress of the run.
type RateConfig struct {
	Schedule string  `yaml:"schedule" oneof:"constant steps cosine" doc:"the rate after the warm-up. constant: the peak; steps: multiplied by factor at equal intervals (AlphaZero, Silver et al. 2018: by 0.1, three times); cosine: half a cosine from peak to final (Loshchilov and Hutter 2017)"`
	Peak     float64 `yaml:"peak" min:"1e-8" max:"10" doc:"the rate after the warm-up (adam: 1e-3, Kingma and Ba 2015; sgd: 0.2 at a batch of 4,096, AlphaZero)"`
	WarmUp   int64   `yaml:"warm_up" min:"0" max:"1000000000" doc:"number of minibatches over which the rate rises linearly; 0 starts at the peak"`
	Drops    int     `yaml:"drops" min:"1" max:"100" doc:"steps: number of times that the rate drops; the drops divide the run into equal parts"`
	Factor   float64 `yaml:"factor" min:"0.0001" max:"1" doc:"steps: factor by which each drop multiplies the rate"`
	Final    float64 `yaml:"final" min:"0" max:"10" doc:"cosine: the rate at the end of the run"`
}

// DefaultRateConfig returns the settings that a preset starts from.
func DefaultRateConfig() RateConfig {
	return RateConfig{Schedule: Cosine, Peak: 1e-3, WarmUp: 100, Drops: 3, Factor: 0.1, Final: 1e-4}
}

// The values of RateConfig.Schedule.
const (
	Constant = "constant"
	Steps    = "steps"
	Cosine   = "cosine"
)

// Validate reports settings that are in range but do not fit together.
func (c RateConfig) Validate() error {
	switch c.Schedule {
	case Constant, Steps:
		return nil
	case Cosine:
		if c.Final > c.Peak {
			return fmt.Errorf("rate.final is %g, more than rate.peak %g", c.Final, c.Peak)
		}
		return nil
	}
	return fmt.Errorf("rate.schedule is %q, want %s, %s or %s", c.Schedule, Constant, Steps, Cosine)
}

// At returns the learning rate of minibatch step, counted from 0, when the
// fraction done of the run, from 0 to 1, is over. The rate depends on nothing
// else, so an interruption does not change it. In a run without an end done is
// always 0, and the rate stays at the peak.
func (c RateConfig) At(step int64, done float64) float64 {
	done = min(1, max(0, done))
	rate := c.Peak
	switch c.Schedule {
	case Steps:
		parts := float64(c.Drops + 1)
		rate *= math.Pow(c.Factor, math.Floor(min(done*parts, parts-1)))
	case Cosine:
		rate = c.Final + (c.Peak-c.Final)*(1+math.Cos(math.Pi*done))/2
	}
	if step < c.WarmUp {
		rate *= float64(step+1) / float64(c.WarmUp)
	}
	return rate
}
