package clock

import (
	"strings"
	"testing"
	"time"
)

func TestParseControl(t *testing.T) {
	for text, want := range map[string]Control{
		"2/2/100/10/8":           {Move: 2 * time.Minute, Reserve: 2 * time.Minute, Percent: 100, Max: 10 * time.Minute, Total: 8 * time.Hour},
		"0:30/5/50/0/60t":        {Move: 30 * second, Reserve: 5 * time.Minute, Percent: 50, Turns: 60},
		"15s/1/100/90s/1:30/0:5": {Move: 15 * second, Reserve: time.Minute, Percent: 100, Max: 90 * second, Total: 90 * time.Minute, TurnTime: 5 * second},
		"3d":                     {Move: 72 * time.Hour, Percent: 100},
		" 0/0:10 ":               {Reserve: 10 * second, Percent: 100},
	} {
		if got, err := ParseControl(text); err != nil || got != want {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0/0", "x", "1/x", "1/1/-1", "1/1/NaN", "-1/5", "1:99/2", "1/1/100/1/-1t", "1/1/100/1/5000000000000000000t", "1/2/3/4/5/6/7", "1e300/1", "NaN", "inf", "9999d", "1:-1"} {
		if c, err := ParseControl(text); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is %+v, %v", text, c, err)
		}
	}
}
