package clock

import (
	"strings"
	"testing"
	"time"
)

// controls are controls in notation: those of the rules and of the documents first.
var controls = map[string]struct {
	control Control
	written string // by FormatControl
}{
	"24h5m10s/0/0/0/60d":     {Control{Move: 24*time.Hour + 5*minute + 10*second, Total: 60 * 24 * time.Hour}, "1445:10/0/0/0/1440"},
	"1m30s/5m":               {Control{Move: 90 * second, Reserve: 5 * minute, Percent: 100}, "1:30/5/100"},
	"0:30/5/100/3":           {Control{Move: 30 * second, Reserve: 5 * minute, Percent: 100, Max: 3 * minute}, "0:30/5/100/3"},
	"2/2//10":                {Control{Move: 2 * minute, Reserve: 2 * minute, Percent: 100, Max: 10 * minute}, "2/2/100/10"},
	"2/2/100/10/8":           {Control{Move: 2 * minute, Reserve: 2 * minute, Percent: 100, Max: 10 * minute, Total: 8 * time.Hour}, "2/2/100/10/8"},
	"4/4/100/4/90t":          {Control{Move: 4 * minute, Reserve: 4 * minute, Percent: 100, Max: 4 * minute, Turns: 90}, "4/4/100/4/90t"},
	"0:30/5/50/0/60t":        {Control{Move: 30 * second, Reserve: 5 * minute, Percent: 50, Turns: 60}, "0:30/5/50/0/60t"},
	"15s/1/100/90s/1:30/0:5": {Control{Move: 15 * second, Reserve: minute, Percent: 100, Max: 90 * second, Total: 90 * minute, TurnTime: 5 * second}, "0:15/1/100/1:30/1:30/0:05"},
	" 0/0:10 ":               {Control{Reserve: 10 * second, Percent: 100}, "0/0:10/100"},
	"3d/0":                   {Control{Move: 72 * time.Hour, Percent: 100}, "4320/0/100"},
	"1d1s/0///":              {Control{Move: 24*time.Hour + second, Percent: 100}, "1440:01/0/100"},
	"0.5/1/12.5":             {Control{Move: 30 * second, Reserve: minute, Percent: 12.5}, "0:30/1/12.5"},
	"0.2s/1":                 {Control{Move: 200 * time.Millisecond, Reserve: minute, Percent: 100}, "0.2s/1/100"},
	"1/1///10s":              {Control{Move: minute, Reserve: minute, Percent: 100, Total: 10 * second}, "1/1/100/0/10s"},
	"1/1///30m/":             {Control{Move: minute, Reserve: minute, Percent: 100, Total: 30 * minute}, "1/1/100/0/0:30"},
	"1/1///0t":               {Control{Move: minute, Reserve: minute, Percent: 100}, "1/1/100"},
	"1/0/0":                  {Control{Move: minute}, "1/0/0"},
	"1/1/0/0/0/2":            {Control{Move: minute, Reserve: minute, TurnTime: 2 * minute}, "1/1/0/0/0/2"},
	"366d/366d":              {Control{Move: longest, Reserve: longest, Percent: 100}, "527040/527040/100"},
	"1:59/0:00":              {Control{Move: 119 * second, Percent: 100}, "1:59/0/100"},
}

func TestParseControl(t *testing.T) {
	for text, want := range controls {
		got, err := ParseControl(text)
		if err != nil || got != want.control {
			t.Errorf("%q is %+v, %v", text, got, err)
			continue
		}
		written := FormatControl(got)
		if again, err := ParseControl(written); written != want.written || err != nil || again != got {
			t.Errorf("%q is written as %q, which is %+v, %v", text, written, again, err)
		}
	}
}

func TestWrongControl(t *testing.T) {
	for text, want := range map[string]string{
		"": "needs minutes", "2": "needs minutes", "3d": "needs minutes", "/5": "needs minutes", "5//100": "needs minutes", "x": "needs minutes",
		"0/0": "no time for a move", "0/0/100/0/0/5": "no time for a move", "0.0004s/0": "no time for a move",
		"1/2/3/4/5/6/7": "has 7 parts", "x/1": `"x"`, "1/x": `"x"`, "-1/5": `"-1"`, "+1/5": `"+1"`, "1e3/1": `"1e3"`, "0x1/1": `"0x1"`, "inf/1": `"inf"`, "NaN/1": `"NaN"`,
		"1/1/-1": `"-1"`, "1/1/NaN": `"NaN"`, "1/1/1001": `"1001"`, "1/1/1:00": `"1:00"`,
		"1:60/2": `"1:60"`, "1:99/2": `"1:99"`, "1:-1/2": `"1:-1"`, "1:/2": `"1:"`, ":5/2": `":5"`, "1:2:3/2": `"1:2:3"`,
		"1m30/2": `"1m30"`, "30s1m/2": `"30s1m"`, "1m1m/2": `"1m1m"`, "m/2": `"m"`, "1:30m/2": `"1:30m"`, "1 m/2": `"1 m"`, "1w/2": `"1w"`, "90t/2": `"90t"`,
		"1/1/100/1/-1t": `"-1t"`, "1/1/100/1/1.5t": `"1.5t"`, "1/1/100/1/t": `"t"`, "1/1/100/1/1000001t": `"1000001t"`, "1/1/100/1/5000000000000000000t": `"5000000000000000000`,
		"9999d/1": `"9999d"`, "366d1s/1": `"366d1s"`, "1.2.3/1": `"1.2.3"`, "./1": `"."`, "1\n/1": `"1\n"`,
	} {
		c, err := ParseControl(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is %+v, %v; want %s", text, c, err, want)
		}
	}
}

func FuzzParseControl(f *testing.F) {
	for text := range controls {
		f.Add(text)
	}
	f.Add("9999d/366d1s")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseControl(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 500 {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if c.Move+c.Reserve <= 0 || min(c.Move, c.Reserve, c.Max, c.Total, c.TurnTime) < 0 || max(c.Move, c.Reserve, c.Max, c.Total, c.TurnTime) > longest ||
			!(c.Percent >= 0 && c.Percent <= mostPercent) || c.Turns < 0 || c.Turns > mostTurns {
			t.Errorf("%q is %+v", text, c)
		}
		if again, err := ParseControl(FormatControl(c)); err != nil || again != c {
			t.Errorf("%q is written as %q, which is %+v, %v", text, FormatControl(c), again, err)
		}
	})
}
