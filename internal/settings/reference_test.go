package settings

import (
	"strings"
	"testing"
	"time"
)

func TestReference(t *testing.T) {
	type settings struct {
		Seed   int `yaml:"seed" min:"0" max:"9" doc:"seed of all random numbers"`
		Search struct {
			Visits int           `yaml:"visits" min:"2" max:"1000" unit:"visits" doc:"root visits" origin:"AlphaZero: 800" change:"Raise it."`
			Time   time.Duration `yaml:"time" doc:"time for a turn."`
			Rule   string        `yaml:"rule" oneof:"puct gumbel" doc:"puct: as published; gumbel: better"`
			Name   string        `yaml:"name" doc:"f(x) of the player"`
		} `yaml:"search" doc:"how a turn is searched"`
	}
	var defaults settings
	defaults.Search.Visits, defaults.Search.Rule = 64, "puct"
	few, long := defaults, defaults
	few.Search.Visits, few.Search.Name = 8, "few"
	long.Search.Time = time.Minute
	const want = `
### seed

Default ` + "`0`" + `, allowed 0 to 9.

Seed of all random numbers.

## search

How a turn is searched.

### search.visits

Default ` + "`64`" + ` visits, allowed 2 to 1000. In ` + "`few`: `8`" + ` visits.

Root visits.

- Where the default comes from: AlphaZero: 800.
- When to change it: Raise it.

### search.time

Default ` + "`0s`" + `. In ` + "`long`: `1m`" + `.

Time for a turn.

### search.rule

Default ` + "`puct`" + `, allowed puct, gumbel.

puct: as published; gumbel: better.

### search.name

Default empty. In ` + "`few`: `few`" + `.

f(x) of the player.
`
	var got strings.Builder
	if err := Reference(&got, &defaults, []Variant{{"few", few}, {"long", &long}}); err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
