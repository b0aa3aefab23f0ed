package main

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

// openOut makes the directory of the results with the settings in it. It returns a sink that writes all
// figures there and logs the most telling ones.
func openOut(dir string, c *settings.Config, log *slog.Logger) (metrics.Sink, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("making the directory for the network: %w", err)
	}
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
