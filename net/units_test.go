package net

import (
	"strings"
	"testing"
)

// Every rectified layer has the units that it says, and every one of their readers can be told
// apart by unit. TestRecycle in package learn checks that there are no further readers.
func TestRectified(t *testing.T) {
	n, err := New(Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 5, ValueChannels: 3, ValueHidden: 7, Auxiliary: strings.Join(AuxiliaryHeads(), " ")}, 1)
	if err != nil {
		t.Fatal(err)
	}
	all := n.Program.Rectified()
	if first := all[0]; first.Name != "blocks.0.conv1" || first.Outputs() != 16 {
		t.Errorf("the first is %s with %d units", first.Name, first.Outputs())
	}
	for _, l := range all {
		w, b := n.Param(l.Weight()), n.Param(l.Bias())
		if w == nil || b == nil || w.Shape[len(w.Shape)-1] != l.Outputs() || len(b.Data) != l.Outputs() || l.Std <= 0 || len(l.Readers) == 0 {
			t.Errorf("%s does not fit its parameters", l.Name)
		}
		for _, r := range l.Readers {
			if r.In != l.Outputs() || r.Inputs()%r.In != 0 {
				t.Errorf("%s: %s has %d rows and reads %d channels, not %d units", l.Name, r.Name, r.Inputs(), r.In, l.Outputs())
			}
		}
	}
}
