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
	all := n.Config.Rectified()
	if first := all[0]; first.Name != "blocks.0.conv1" || first.Units != 16 {
		t.Errorf("the first is %+v", first)
	}
	for _, l := range all {
		w, b := n.Param(l.Name+".weight"), n.Param(l.Name+".bias")
		if w == nil || b == nil || w.Shape[len(w.Shape)-1] != l.Units || len(b.Data) != l.Units || l.Std <= 0 || len(l.Readers) == 0 {
			t.Errorf("%+v does not fit its parameters", l)
		}
		for _, name := range l.Readers {
			r := n.Param(name)
			if r == nil {
				t.Errorf("%s: there is no reader %s", l.Name, name)
			} else if rows := len(r.Data) / r.Shape[len(r.Shape)-1]; rows%l.Units != 0 {
				t.Errorf("%s: %s has %d rows for %d units", l.Name, name, rows, l.Units)
			}
		}
	}
}
