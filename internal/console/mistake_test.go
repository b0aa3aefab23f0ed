package console

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

type someFlags struct {
	Time    time.Duration
	Visits  int
	Seed    uint64
	Until   float64
	Level   string
	Limit   *int
	Set     []string `sep:"none"`
	Web     bool
	Players []string `arg:"" optional:""`
}

func parse(t *testing.T, f *someFlags, line string) error {
	t.Helper()
	parser, err := kong.New(f, kong.Name("test"), kong.Writers(io.Discard, io.Discard), filled)
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(joined(strings.Split(line, " ")))
	return err
}

func TestMistakesAreExplained(t *testing.T) {
	for line, want := range map[string]string{
		"--time 5":            `--time: 5 is not a duration with a unit, such as 90s, 30m or 1h30m`,
		"--time=":             `--time needs a value`,
		"--visits=":           `--visits needs a value`,
		"--seed=":             `--seed needs a value`,
		"--until=":            `--until needs a value`,
		"--time":              `--time needs a value`,
		"--visits x":          `--visits: x is not a whole number`,
		"--visits 1.5":        `--visits: 1.5 is not a whole number`,
		"--limit x":           `--limit: x is not a whole number`,
		"--visits":            `--visits needs a value`,
		"--visits --web":      `--visits needs a value, and --web looks like a flag: write --visits=--web if it is none`,
		"--seed -1":           `--seed: -1 is not a whole number of zero or more`,
		"--seed":              `--seed needs a value`,
		"--until soon":        `--until: soon is not a number`,
		"--until":             `--until needs a value`,
		"--level":             `--level needs a value`,
		"--level -x":          `--level needs a value, and -x looks like a flag: write --level=-x if it is none`,
		"--set":               `--set needs a value`,
		"--level ":            `--level needs a value`, // split into two words
		"--level= a":          `--level needs a value`,
		"--set ":              `--set needs a value`,
		"a ":                  `[<players> ...] needs a value`,
		"--web x --levle a":   `unknown flag --levle, did you mean "--level"?`, // clear as it is
		"--level a -- --time": "",
		"--web -level a":      `-level: flags have two dashes`,
		"a -level=a":          `-level: flags have two dashes`,
		"-help":               `-help: flags have two dashes`,
		"-x":                  `unknown flag -x, did you mean "-h"?`,
	} {
		got := ""
		if err := parse(t, &someFlags{}, line); err != nil {
			got = explain(err, strings.Split(line, " ")).Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestNegativeNumbersAreValues(t *testing.T) {
	var f someFlags
	if err := parse(t, &f, "--visits -5 --until -.5 --level -10,50 -- a -7 --seed -1"); err != nil {
		t.Fatal(err)
	}
	if f.Visits != -5 || f.Until != -0.5 || f.Level != "-10,50" || !slices.Equal(f.Players, []string{"a", "-7", "--seed", "-1"}) {
		t.Errorf("read as %+v", f)
	}
}
