package learn

import (
	"slices"
	"strings"
	"testing"

	"warren/net"
)

func TestLossWeights(t *testing.T) {
	heads := net.Config{Auxiliary: "stopped reply"}.Heads()
	c := DefaultConfig()
	c.ValueWeight, c.LossWeights = 3, "stopped=0.5  reply=0"
	weights, err := c.Weights(heads)
	if want := []float64{1, 3, 0, 0.5}; err != nil || !slices.Equal(weights, want) {
		t.Errorf("policy, value, reply and stopped weigh %v, want %v, %v", weights, want, err)
	}
	for setting, want := range map[string]string{
		"value=2": "not an auxiliary", "survival=1": "not an auxiliary",
		"reply=-1": "from 0 to 100", "reply=101": "from 0 to 100", "reply=NaN": "from 0 to 100",
		"reply": "NAME=WEIGHT",
	} {
		c.LossWeights = setting
		if _, err := c.Weights(heads); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gave %v, want an error with %q", setting, err, want)
		}
	}
}
