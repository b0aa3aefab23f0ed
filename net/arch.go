package net

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
)

// Config is the architecture of a network: a residual tower of 3x3 convolutions
// with a policy head and a value head (Silver et al. 2017, "Mastering the game of
// Go without human knowledge"). Some blocks have the global-pooling bias of KataGo
// (Wu 2019, sec. 3.3). There is no batch normalisation.
type Config struct {
	Blocks         int `yaml:"blocks" json:"blocks" min:"1" max:"40" unit:"blocks" doc:"residual blocks, two 3x3 convolutions each" origin:"docs/research/networks.md#size (AlphaZero, Silver et al. 2018: 19)" change:"Raise it for a long run or on a graphics processor; lower it for a short run."`
	Channels       int `yaml:"channels" json:"channels" min:"8" max:"512" unit:"channels" doc:"channels of the trunk, a multiple of 8" origin:"docs/research/networks.md#size (AlphaZero, Silver et al. 2018: 256)" change:"As blocks: a larger network learns more from each game, and plays fewer of them."`
	PoolEvery      int `yaml:"pool_every" json:"pool_every" min:"0" max:"40" unit:"blocks" doc:"interval between blocks with a global-pooling bias; 0 means none" origin:"KataGo, Wu 2019: about every third" change:"Lower it for a network of one or two blocks, which would have none."`
	PolicyChannels int `yaml:"policy_channels" json:"policy_channels" min:"1" max:"256" unit:"channels" doc:"channels of the policy head" origin:"KataGo, Wu 2019: 32" change:"Scale it with channels."`
	ValueChannels  int `yaml:"value_channels" json:"value_channels" min:"1" max:"64" unit:"channels" doc:"channels of the value head" origin:"chosen by hand; wider heads: docs/research/optimisation.md#muon (Leela Chess Zero: 32; AlphaZero: 1)" change:"Scale it with channels."`
	ValueHidden    int `yaml:"value_hidden" json:"value_hidden" min:"1" max:"1024" unit:"units" doc:"hidden units of the value head" origin:"chosen by hand; wider heads: docs/research/optimisation.md#muon (AlphaZero, Silver et al. 2018: 256)" change:"Scale it with channels."`

	Auxiliary string `yaml:"heads" json:"heads,omitempty" doc:"auxiliary heads, separated by spaces: additional targets that help the trunk to learn and cost nothing in play, except stopped, which search.draw_penalty needs; docs/reference/encoding.md lists them" origin:"docs/research/targets.md#heads (KataGo, Wu 2019, sec. 3.4 and 4.1)" change:"Leave heads out to see what they are worth; add soft_policy to try it (docs/research/targets.md#soft-policy)."`
}

// DefaultConfig returns the network that a preset starts from: 6 blocks of 64
// channels, about half a million parameters.
func DefaultConfig() Config {
	return Config{Blocks: 6, Channels: 64, PoolEvery: 3, PolicyChannels: 32, ValueChannels: 8, ValueHidden: 64, Auxiliary: "stopped survival moves_left reply values"}
}

// Validate reports the first invalid field, with its value and what is allowed.
// The struct tags give the ranges; Channels must also be a multiple of 8.
func (c Config) Validate() error {
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		if v.Field(i).Kind() != reflect.Int {
			continue
		}
		tag := v.Type().Field(i).Tag
		lo, _ := strconv.ParseInt(tag.Get("min"), 10, 64)
		hi, _ := strconv.ParseInt(tag.Get("max"), 10, 64)
		if n := v.Field(i).Int(); n < lo || n > hi {
			return fmt.Errorf("network: %s is %d, must be from %d to %d", tag.Get("yaml"), n, lo, hi)
		}
	}
	if c.Channels%8 != 0 {
		return fmt.Errorf("network: channels is %d, must be a multiple of 8", c.Channels)
	}
	return c.checkHeads()
}

// Pooled reports whether residual block i, counted from 0, has a
// global-pooling bias.
func (c Config) Pooled(i int) bool { return c.PoolEvery > 0 && (i+1)%c.PoolEvery == 0 }

// String returns the usual short form of the architecture, blocks x channels, such
// as "6x64".
func (c Config) String() string { return fmt.Sprintf("%dx%d", c.Blocks, c.Channels) }

// Param is one parameter tensor. The length of Data is the product of Shape, and
// the last dimension varies fastest.
type Param struct {
	Name  string
	Shape []int
	Data  []float32
}

// size returns the number of elements of a tensor of this shape.
func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// Network is an architecture with its parameters, in the order of the program's layers: of each the
// weight and the bias.
//
// A back end uses the values that Params have when it is made. To play with a
// network that is being trained, make the back end from a Clone.
type Network struct {
	Config  Config
	Program *Program // of Config
	Params  []Param
}

// Layout returns the names and shapes of the parameters of a network with this architecture,
// without data, in the order in which files keep them.
func (c Config) Layout() []Tensor { return c.Program().layout() }

func (p *Program) layout() []Tensor {
	var tensors []Tensor
	for i := range p.Layers {
		l := &p.Layers[i]
		tensors = append(tensors,
			Tensor{Name: l.Weight(), Shape: l.Shape},
			Tensor{Name: l.Bias(), Shape: []int{l.Outputs()}})
	}
	return tensors
}

// blank returns a network of zeros. Its parameters are slices of one array.
func blank(c Config) (*Network, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	n := &Network{Config: c, Program: c.Program()}
	n.Params = n.Program.layout()
	total := 0
	for _, p := range n.Params {
		total += size(p.Shape)
	}
	data := make([]float32, total)
	for i := range n.Params {
		k := size(n.Params[i].Shape)
		n.Params[i].Data = data[:k:k]
		data = data[k:]
	}
	return n, nil
}

// New returns an untrained network. The same configuration and seed give the same
// parameters. The error is that of Config.Validate.
func New(c Config, seed uint64) (*Network, error) {
	n, err := blank(c)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x77617272656e)) // "warren"
	for i := range n.Program.Layers {
		weight, std := n.Params[2*i].Data, n.Program.Layers[i].Std
		for j := range weight {
			weight[j] = float32(std * rng.NormFloat64())
		}
	}
	return n, nil
}

// Weight returns the weight of a layer, by the layer's number.
func (n *Network) Weight(layer int) []float32 { return n.Params[2*layer].Data }

// Bias returns the bias of a layer, by the layer's number.
func (n *Network) Bias(layer int) []float32 { return n.Params[2*layer+1].Data }

// Param returns the parameter with the given name, or nil if there is none.
func (n *Network) Param(name string) *Param {
	for i := range n.Params {
		if n.Params[i].Name == name {
			return &n.Params[i]
		}
	}
	return nil
}

// NumParams returns the number of trained values.
func (n *Network) NumParams() int {
	total := 0
	for _, p := range n.Params {
		total += len(p.Data)
	}
	return total
}

// WithoutAuxiliary returns the network without its auxiliary heads. It shares the parameters.
func (n *Network) WithoutAuxiliary() *Network {
	c := n.Config
	c.Auxiliary = ""
	p := c.Program()
	return &Network{Config: c, Program: p, Params: n.Params[:2*len(p.Layers)]}
}

// Clone returns a copy of the network. The copy can play while the original is
// trained further. Clone panics if n.Config is not valid.
func (n *Network) Clone() *Network {
	m, err := blank(n.Config)
	if err != nil {
		panic("net: cloning a network that New or Load did not make: " + err.Error())
	}
	for i, p := range n.Params {
		copy(m.Params[i].Data, p.Data)
	}
	return m
}
