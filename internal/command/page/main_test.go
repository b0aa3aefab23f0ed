package page

import (
	"strings"
	"testing"
)

// The levels of one run are rated, by some games.
func TestRateNeedsOneRun(t *testing.T) {
	for _, f := range []flags{{Rate: 10}, {Rate: 10, Runs: []string{"a", "b"}}, {Rate: 1, Runs: []string{"a"}}, {Rate: -1, Runs: []string{"a"}}} {
		if err := f.run(t.Context()); err == nil || !strings.HasSuffix(err.Error(), ": name one run, and at least 2 games") {
			t.Errorf("%+v: %v", f, err)
		}
	}
}
