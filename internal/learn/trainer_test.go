package learn

import (
	"slices"
	"testing"
)

// TestLossesAreWeighted: a mean over minibatches counts each of them by its weight.
func TestLossesAreWeighted(t *testing.T) {
	var l Losses
	l.Add(Losses{{"policy", 2, 1}, {"value", 9, 0}})
	l.Add(Losses{{"policy", 4, 3}, {"value", 5, 2}})
	l.Add(Losses{{"policy", 7, 0}, {"value", 1, 6}})
	if want := (Losses{{"policy", 3.5, 4}, {"value", 2, 8}}); !slices.Equal(l, want) {
		t.Errorf("the losses are %v, want %v", l, want)
	}
}
