package learn

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"warren/internal/durable"
	"warren/internal/metrics"
	"warren/internal/recipe"
	"warren/internal/settings"
	"warren/internal/train"
)

// seriesFile is the name of the file with all figures, as in a run.
const seriesFile = "metrics.jsonl"

// free returns an error if the directory has the results of a training or anything else. What a killed
// training with the same words has left is no hindrance.
func free(dir, words string) error {
	if kept, err := durable.ReadFile(filepath.Join(dir, train.UnfinishedFile), durable.Document); err == nil && string(kept) != words {
		return fmt.Errorf("%s has what a killed training with other flags or settings has left: remove it, or choose another --out", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	} else if err == nil {
		return nil
	}
	if info, err := os.Stat(filepath.Join(dir, seriesFile)); err == nil && info.Size() > 0 {
		return fmt.Errorf("%s has the figures of another training (%s): choose another --out", dir, seriesFile)
	}
	return durable.Fresh(dir, seriesFile)
}

// claim makes the directory of the results and locks it, so that no other training writes there
// until the returned file is closed. It removes the figures of a killed training with the same words.
func claim(dir, words string) (io.Closer, error) {
	lock, err := durable.LockDir(dir, fmt.Sprintf("another training writes to %s: choose another --out", dir))
	if err != nil {
		return nil, err
	}
	err = free(dir, words) // another training may have ended there since the flags were read
	if err == nil {
		err = durable.Sweep(dir)
	}
	if err == nil {
		err = durable.WriteBytes(filepath.Join(dir, train.UnfinishedFile), []byte(words))
	}
	if err == nil {
		if err = os.Remove(filepath.Join(dir, seriesFile)); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return lock, nil
}

// finish says that all results of the training are in the directory.
func finish(dir string) error {
	if err := os.Remove(filepath.Join(dir, train.UnfinishedFile)); err != nil {
		return err
	}
	return durable.SyncDir(dir)
}

// openOut writes the settings to the directory of the results. It returns a sink that writes all
// figures there and logs the most telling ones.
func openOut(dir string, c *recipe.Config, log *slog.Logger) (metrics.Sink, error) {
	err := durable.WriteFile(filepath.Join(dir, "config.yaml"), func(w io.Writer) error { return settings.Write(w, c) })
	if err != nil {
		return nil, err
	}
	lines, err := metrics.OpenLines(filepath.Join(dir, seriesFile))
	if err != nil {
		return nil, err
	}
	return metrics.Tee(lines, metrics.Log(log, "measured", "step", "loss/policy", "loss/value", "held_out/policy", "held_out/value",
		"outcome/pieces", "outcome/search", "outcome/value")), nil
}
