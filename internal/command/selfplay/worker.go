package selfplay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"warren/internal/durable"
	"warren/internal/eval/device"
	"warren/internal/hub"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/plural"
	"warren/internal/recipe"
	"warren/internal/selfplay"
)

// parting is the time for which a stopped worker tries to send its last games.
const parting = 10 * time.Second

// work plays for a run on another machine until the context ends.
func (f *flags) work(ctx context.Context, out io.Writer, config *recipe.Config) (err error) {
	if f.Connect == "" || f.Creds == "" {
		return errors.New("--connect and --creds go together: train worker add makes a credential")
	}
	if f.Network != "" || f.Out != "" {
		return errors.New("with --connect the network comes from the hub and the games go there: leave out --network and --out")
	}
	if f.Games != usualGames || f.Seed != usualSeed {
		return errors.New("with --connect this machine plays until it is stopped, with the seed of the run: leave out --games and --seed")
	}
	creds, err := durable.ReadFile(f.Creds, durable.Document)
	if err != nil {
		return fmt.Errorf("reading the credential: %w", err)
	}
	if f.Metrics != "" { // refused before the spool is made
		l, err := net.Listen("tcp", f.Metrics)
		if err != nil {
			return fmt.Errorf("--metrics %s: %w; choose another address, such as 127.0.0.1:9101", f.Metrics, err)
		}
		l.Close()
	}
	spool, err := f.spool(creds)
	if err != nil {
		return err
	}
	defer func() {
		if errors.Is(err, hub.ErrCredential) {
			err = fmt.Errorf("--creds %s: %w", f.Creds, err)
		}
	}()
	progress := metrics.NewProgress(os.Stderr)
	defer progress.Close()
	devices := device.Choose(config.Device, progress.Logger())
	w, err := hub.Dial(ctx, hub.WorkerOptions{
		URL: f.Connect, Creds: creds, Spool: spool, Log: progress.Logger(),
		Open: devices.Load, Lost: devices.Lost,
		Check: func(job selfplay.Job) error {
			for stage := range 1 + len(job.Later) {
				rules := job.Stage(stage).Rules
				hash, err := recipe.HashOfGames(rules.Config, rules.Search)
				if err == nil && hash != rules.Settings {
					err = errors.New("their hash is another here")
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	})
	if err != nil && ctx.Err() != nil { // it was waiting for its hub
		return f.command.Stopped(os.Stderr, "Stopped.")
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	var counts observe.Counts
	if f.Metrics != "" {
		url, closeMetrics, err := metrics.Serve(f.Metrics, func(context.Context) []metrics.Family {
			return append(counts.Families(), w.Metrics()...)
		})
		if err != nil {
			return err
		}
		defer closeMetrics()
		progress.Logger().Info("the metrics are at " + url)
	}
	stop := progress.Every(func() metrics.Status { return status(&counts, w.Condition()) })
	err = w.Play(ctx, config.SelfPlay.Workers, config.SelfPlay.GamesPerWorker, &counts)
	if ctx.Err() != nil {
		err = nil
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), parting)
	if err == nil {
		w.Flush(last)
	}
	cancel()
	stop()
	progress.Close()
	fmt.Fprintf(out, "played %s for %s\n", plural.Of(int(counts.Totals().Games), "game"), f.Connect)
	if c := w.Condition(); c.Queue+c.Unsaved > 0 {
		fmt.Fprintf(out, "kept in %s for the next start: %s", spool, plural.Of(c.Queue+c.Unsaved, "game"))
		if c.Unsaved > 0 {
			fmt.Fprintf(out, ", %d of them sent but not in a shard yet", c.Unsaved)
		}
		fmt.Fprintln(out)
	}
	if ctx.Err() != nil {
		return f.command.Stopped(os.Stderr, "Stopped.")
	}
	return err
}

// status returns the status for the display.
func status(counts *observe.Counts, c hub.Condition) metrics.Status {
	now := counts.SelfPlay(0, 0)
	now.Title = fmt.Sprintf("generation %d", c.Network)
	switch {
	case c.CutOff:
		now.Title += ", cut off from the hub"
	case c.Behind:
		now.Title += ", waiting for the learner"
	}
	now.Values = append([]metrics.Value{
		{Name: "queue", Value: float64(c.Queue)},
		{Name: "latency_ms", Value: float64(c.Latency.Microseconds()) / 1000},
	}, now.Values...)
	return now
}

// spool returns the directory for finished games. Each credential has its own, because another hub would refuse the
// games, and remove the worker.
func (f *flags) spool(creds []byte) (string, error) {
	all := f.Spool
	if all == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("finding a directory for finished games, which --spool can give: %w", err)
		}
		all = filepath.Join(cache, "warren", "spool")
	}
	sum := sha256.Sum256(creds)
	return filepath.Join(all, hex.EncodeToString(sum[:8])), nil
}
