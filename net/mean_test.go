package net

import (
	"strings"
	"testing"
)

func TestMean(t *testing.T) {
	c := Config{Blocks: 1, Channels: 8, PolicyChannels: 2, ValueChannels: 1, ValueHidden: 2}
	var networks []*Network
	for seed := range uint64(3) {
		n, err := New(c, seed)
		if err != nil {
			t.Fatal(err)
		}
		networks = append(networks, n)
	}
	before := networks[0].Hash()
	mean, err := Mean(networks...)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range mean.Params {
		for j, got := range p.Data {
			a, b, c := networks[0].Params[i].Data[j], networks[1].Params[i].Data[j], networks[2].Params[i].Data[j]
			if want := (a + b + c) / 3; max(got-want, want-got) > 1e-6 {
				t.Fatalf("%s[%d] is %v, and the mean of %v, %v and %v is %v", p.Name, j, got, a, b, c, want)
			}
		}
	}
	if networks[0].Hash() != before {
		t.Error("the first network was changed")
	}
	if same, err := Mean(networks[1], networks[1]); err != nil || same.Hash() != networks[1].Hash() {
		t.Errorf("%v: the mean of a network and itself is another one", err)
	}
}

func TestMeanOfOthers(t *testing.T) {
	var networks []*Network
	for _, channels := range []int{8, 8, 16} {
		n, err := New(Config{Blocks: 1, Channels: channels, PolicyChannels: 2, ValueChannels: 1, ValueHidden: 2}, 1)
		if err != nil {
			t.Fatal(err)
		}
		networks = append(networks, n)
	}
	if _, err := Mean(networks...); err == nil || !strings.Contains(err.Error(), "network 3 is") || !strings.Contains(err.Error(), "16") {
		t.Errorf("got %v for networks of two sizes", err)
	}
}
