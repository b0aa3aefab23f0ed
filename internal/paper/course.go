package paper

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// shown has the series of the run of half an hour that the paper draws. Two cores computed it.
const (
	shown      = "docs/runs/quick/metrics.jsonl"
	shownCores = 2
)

// course writes, for each generation of the run, the minutes until then, the turns of a game, the share of games that
// ended by goal and the held-out loss of the value, as points of a plot.
func course(r *rated, files map[string][]byte) error {
	text, err := fs.ReadFile(r.sources, shown)
	if err != nil {
		return err
	}
	const head = "minutes turns goal value\n"
	b := bytes.NewBufferString(head)
	for lines := json.NewDecoder(bytes.NewReader(text)); ; {
		var point struct{ Values map[string]float64 }
		if err := lines.Decode(&point); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("%s: %w", shown, err)
		}
		v := point.Values
		if turns, trained := v["games/turns"]; trained {
			fmt.Fprintf(b, "%.2f %.1f %.3f %.3f\n", v["total/minutes"]/shownCores, turns, v["games/end_goal"], v["held_out/value"])
		}
	}
	if b.Len() == len(head) {
		return fmt.Errorf("%s has no generations", shown)
	}
	files[generated+"course.dat"] = b.Bytes()
	return nil
}
