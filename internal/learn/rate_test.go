package learn

import (
	"math"
	"testing"
)

func TestRateAt(t *testing.T) {
	type at struct {
		step int64
		done float64
	}
	for _, c := range []struct {
		name   string
		config RateConfig
		rates  map[at]float64
	}{
		{"constant", RateConfig{Initial: 0.1, Final: 0.1}, map[at]float64{{0, 0}: 0.1, {1e6, 0.9}: 0.1}},
		{"warm-up", RateConfig{Initial: 0.1, Final: 0.1, WarmUp: 10},
			map[at]float64{{0, 0}: 0.01, {4, 0}: 0.05, {9, 0}: 0.1, {10, 0}: 0.1}},
		{"cosine", RateConfig{Initial: 1, WarmUp: 10, Final: 0.1},
			map[at]float64{{0, 0}: 0.1, {4, 0.5}: 0.275, {10, 0}: 1, {60, 0.5}: 0.55, {60, 1}: 0.1, {60, 2}: 0.1}},
	} {
		if err := c.config.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for when, want := range c.rates {
			if got := c.config.At(when.step, when.done); !(math.Abs(got-want) < 1e-12) {
				t.Errorf("%s: the rate at %+v is %g, want %g", c.name, when, got, want)
			}
		}
	}
}

func TestRateValidate(t *testing.T) {
	if err := defaultRateConfig().Validate(); err != nil {
		t.Error(err)
	}
	if err := (RateConfig{Initial: 0.1, Final: 0.2}).Validate(); err == nil {
		t.Error("a rate that rises is let through")
	}
}
