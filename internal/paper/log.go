package paper

import (
	"bytes"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"time"
)

// shownLog is the log of the run of half an hour that the paper draws.
const shownLog = "docs/tutorials/quick-run.log"

var trained = regexp.MustCompile(`^time=(\S+) .*msg=trained .*\bheld_out/value=(\S+) .*\bgames/turns=(\S+) .*\bgames/end_goal=(\S+) `)

// course writes, for each generation of the run, the minutes since the first, the turns of a game and the share of
// games that ended by goal, as points of a plot.
func course(r *rated, files map[string][]byte) error {
	text, err := fs.ReadFile(r.sources, shownLog)
	if err != nil {
		return err
	}
	b := bytes.NewBufferString("minutes turns goal value\n")
	var begin time.Time
	for line := range strings.Lines(string(text)) {
		m := trained.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		at, err := time.Parse(time.RFC3339, m[1])
		if err != nil {
			return fmt.Errorf("%s: %w", shownLog, err)
		}
		if begin.IsZero() {
			begin = at
		}
		fmt.Fprintf(b, "%.2f %s %s %s\n", at.Sub(begin).Minutes(), m[3], m[4], m[2])
	}
	if begin.IsZero() {
		return fmt.Errorf("%s has no generations", shownLog)
	}
	files[generated+"course.dat"] = b.Bytes()
	return nil
}
