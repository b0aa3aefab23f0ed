package learn

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"warren/configs"
	"warren/internal/durable"
	"warren/metrics"
	"warren/settings"
)

// seriesFile is the name of the file with all figures, as in a run.
const seriesFile = "metrics.jsonl"

// free returns an error if the directory belongs to another training or to a run.
func free(dir string) error {
	if info, err := os.Stat(filepath.Join(dir, seriesFile)); err == nil && info.Size() > 0 {
		return fmt.Errorf("%s has the figures of another training (%s): choose another --out", dir, seriesFile)
	}
	for _, name := range []string{"learner", "games"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return fmt.Errorf("%s is the directory of a run, with %s in it: choose another --out", dir, name)
		}
	}
	return nil
}

// claim makes the directory of the results and locks it, so that no other training writes there
// until the returned file is closed.
func claim(dir string) (io.Closer, error) {
	lock, err := durable.LockDir(dir, fmt.Sprintf("another training writes to %s: choose another --out", dir))
	if err != nil {
		return nil, err
	}
	if err := free(dir); err != nil { // another training may have ended there since the flags were read
		lock.Close()
		return nil, err
	}
	return lock, nil
}

// openOut writes the settings to the directory of the results. It returns a sink that writes all
// figures there and logs the most telling ones.
func openOut(dir string, c *settings.Config, log *slog.Logger) (metrics.Sink, error) {
	err := durable.WriteFile(filepath.Join(dir, "config.yaml"), func(w io.Writer) error { return configs.Write(w, c) })
	if err != nil {
		return nil, err
	}
	lines, err := metrics.OpenLines(filepath.Join(dir, seriesFile))
	if err != nil {
		return nil, err
	}
	return metrics.Tee(lines, metrics.Log(log, "measured", "loss/policy", "loss/value", "held_out/policy", "held_out/value",
		"outcome/pieces", "outcome/search", "outcome/value")), nil
}
