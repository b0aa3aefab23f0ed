package learn

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"warren/net"
)

// Config configures the training of a network.
type Config struct {
	Device               string          `yaml:"device" doc:"what trains the network: cpu, or a graphics processor, such as opencl:0 or cuda:0, which is in mixed precision (bf16) where it has tensor cores for it; cuda:0/fp32 is in fp32. Networks learn the same on each up to rounding; the same seed gives the same weights on one device only. A run may continue on another. Several, separated by commas, are tried in that order: the first that works is used, and the next, from the newest checkpoint, if it is lost" origin:"every machine has one" change:"Name a graphics processor; warren speed --devices lists what this machine has."`
	Batch                int             `yaml:"batch" min:"1" max:"65536" unit:"samples" doc:"samples in a minibatch" origin:"KataGo, Wu 2019: 256 (AlphaZero, Silver et al. 2018: 4,096)" change:"Raise it to keep a graphics processor busy."`
	ValueWeight          float64         `yaml:"value_weight" min:"0" max:"100" doc:"weight of the value loss relative to the policy loss" origin:"docs/research/optimisation.md#muon (AlphaZero: 1; KataGo: 1.5)" change:"Lower it for a policy that learns faster, raise it for a value that does."`
	LossWeights          string          `yaml:"loss_weights" doc:"loss weights that replace the defaults of auxiliary heads, as NAME=WEIGHT, separated by spaces" origin:"docs/reference/encoding.md has the weights of the heads" change:"Set values=0, for example, to see what a head is worth."`
	EMADecay             float64         `yaml:"ema_decay" min:"0" max:"0.99999" doc:"decay of the exponential average of the weights that networks play with: the part that each step keeps; 0 means that they play with the weights themselves" origin:"chosen by hand; no effect was seen: docs/research/targets.md#factorial (KataGo, Wu 2019, appendix C: averages of snapshots)" change:"Raise it in a long run with a low rate (0.998 in the climb)."`
	DormantResetInterval int             `yaml:"dormant_reset_interval" min:"0" max:"1000000000" unit:"minibatches" doc:"interval at which dormant units, which no position activates any more, get fresh weights; 0 means never" origin:"docs/research/optimisation.md#dormant (ReDo, Sokar et al. 2023)" change:"Raise it in a long run; 0 saves the check."`
	HeldOut              int             `yaml:"held_out_samples" min:"0" max:"1000000" unit:"samples" doc:"samples of held-out games on which the losses are measured after every generation; rounded up to whole minibatches" origin:"chosen by hand, not measured" change:"Raise it for losses with less noise."`
	Optimizer            OptimizerConfig `yaml:"optimizer" doc:"how gradients change the weights"`
	Rate                 RateConfig      `yaml:"rate" doc:"the learning rate"`
}

// Processor is the value of Config.Device that means the processor.
const Processor = "cpu"

// DefaultConfig returns the settings of the recipe (docs/research/optimisation.md).
func DefaultConfig() Config {
	return Config{
		Device: Processor, Batch: 256, ValueWeight: 3, EMADecay: 0.99, DormantResetInterval: 300, HeldOut: 2048,
		Optimizer: defaultOptimizerConfig(), Rate: defaultRateConfig(),
	}
}

// maxLossWeight is the largest weight that LossWeights may give a loss.
const maxLossWeight = 100

// Weights returns the loss weights of the heads, in their order. Each word of
// LossWeights must be NAME=WEIGHT, with the name of an auxiliary head and a weight
// from 0 to 100; the error names a word that is not.
func (c *Config) Weights(heads []net.Head) ([]float64, error) {
	weights := make([]float64, len(heads))
	named := map[string]float64{}
	for _, word := range strings.Fields(c.LossWeights) {
		name, text, _ := strings.Cut(word, "=")
		w, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(w) || w < 0 || w > maxLossWeight {
			return nil, fmt.Errorf("loss_weights: %q must be NAME=WEIGHT with a weight from 0 to %d", word, maxLossWeight)
		}
		named[name] = w
	}
	for i, h := range heads {
		weights[i] = h.Weight
		if h.Name == "value" {
			weights[i] = c.ValueWeight
		}
		if w, ok := named[h.Name]; ok && h.Auxiliary {
			weights[i] = w
			delete(named, h.Name)
		}
	}
	for name := range named {
		return nil, fmt.Errorf("loss_weights: %q is not an auxiliary head of this network (network.heads)", name)
	}
	return weights, nil
}

// Validate reports settings that are in range but do not fit together or do not
// fit a network of architecture n.
func (c *Config) Validate(n net.Config) error {
	if err := c.Rate.Validate(); err != nil {
		return err
	}
	_, err := c.Weights(n.Heads())
	return err
}
