package net

import (
	"slices"
	"strings"
	"testing"
)

func TestConfigValidate(t *testing.T) {
	good := architectures[2]
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Config){
		"blocks is 0":           func(c *Config) { c.Blocks = 0 },
		"blocks is 41":          func(c *Config) { c.Blocks = 41 },
		"channels is 0":         func(c *Config) { c.Channels = 0 },
		"channels is 520":       func(c *Config) { c.Channels = 520 },
		"channels is 12":        func(c *Config) { c.Channels = 12 },
		"pool_every is -1":      func(c *Config) { c.PoolEvery = -1 },
		"policy_channels is 0":  func(c *Config) { c.PolicyChannels = 0 },
		"value_channels is 65":  func(c *Config) { c.ValueChannels = 65 },
		"value_hidden is -9999": func(c *Config) { c.ValueHidden = -9999 },
	} {
		c := good
		change(&c)
		err := c.Validate()
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got error %v", name, err)
		}
		if _, err := New(c, 1); err == nil {
			t.Errorf("%s: New makes the network all the same", name)
		}
	}
	for _, c := range []Config{
		{Blocks: 1, Channels: 8, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 1},
		{Blocks: 40, Channels: 512, PoolEvery: 40, PolicyChannels: 256, ValueChannels: 64, ValueHidden: 1024},
	} {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestNew(t *testing.T) {
	c := Config{Blocks: 3, Channels: 16, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}
	n, err := New(c, 7)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := New(c, 7)
	other, _ := New(c, 8)
	if n.Hash() != again.Hash() {
		t.Error("the same seed gives two networks")
	}
	if n.Hash() == other.Hash() {
		t.Error("two seeds give the same network")
	}

	var names []string
	for _, p := range n.Params {
		names = append(names, p.Name)
		if len(p.Data) != size(p.Shape) {
			t.Errorf("%s of shape %v has %d numbers", p.Name, p.Shape, len(p.Data))
		}
	}
	want := strings.Fields(`stem.weight stem.bias
		blocks.0.conv1.weight blocks.0.conv1.bias blocks.0.conv2.weight blocks.0.conv2.bias
		blocks.1.conv1.weight blocks.1.conv1.bias blocks.1.conv2.weight blocks.1.conv2.bias
		blocks.1.pool.weight blocks.1.pool.bias
		blocks.2.conv1.weight blocks.2.conv1.bias blocks.2.conv2.weight blocks.2.conv2.bias
		policy.conv.weight policy.conv.bias policy.step.weight policy.step.bias policy.other.weight policy.other.bias
		value.conv.weight value.conv.bias value.hidden.weight value.hidden.bias value.out.weight value.out.bias`)
	if !slices.Equal(names, want) {
		t.Errorf("parameters are\n%v, want\n%v", names, want)
	}
	if n.Param("nothing") != nil {
		t.Error("a parameter that is not there was found")
	}
	if got := n.Param("blocks.1.pool.weight").Shape; !slices.Equal(got, []int{32, 16}) {
		t.Errorf("pool.weight has shape %v", got)
	}
}

func TestCloneIsIndependent(t *testing.T) {
	n := fresh(t, smallest, 1)
	before := n.Hash()
	m := n.Clone()
	if m.Hash() != before {
		t.Error("the clone differs")
	}
	m.Params[0].Data[0]++
	if n.Hash() != before || m.Hash() == before {
		t.Error("the clone shares the original's numbers")
	}
}
