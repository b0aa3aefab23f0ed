package learn

import (
	"fmt"
	"strings"
	"testing"

	"warren/net"
)

// TestCheckFindsEveryPosition has one or two wrong targets at a time, and the first is reported.
func TestCheckFindsEveryPosition(t *testing.T) {
	const size = 100
	c := net.Config{Blocks: 1, Channels: 8, PolicyChannels: 1, ValueChannels: 1, ValueHidden: 1}
	b := NewBatch(c, size)
	value := &b.Targets[1]
	for i := range size {
		value.Values[i], value.Weight[i] = 0.5, 1
	}
	if err := b.Check(c, size); err != nil {
		t.Fatal(err)
	}
	for i := range size {
		value.Values[i] = 2
		if i+40 < size {
			value.Values[i+40] = 3
		}
		want := fmt.Sprintf("position %d: the target of value has 2,", i)
		if err := b.Check(c, size); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		value.Values[i], value.Values[min(i+40, size-1)] = 0.5, 0.5
	}
}
