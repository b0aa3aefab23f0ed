package train

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"

	"warren/internal/eval"
	"warren/internal/eval/device"
	"warren/internal/hub"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/selfplay"
	"warren/internal/train"
)

// hubDir returns the directory of the hub's keys, workers and streams within a run directory.
func hubDir(run string) string { return filepath.Join(run, "hub") }

// playElsewhere opens the hub if the flags ask for one, and lets its workers play the run. It returns
// a function that closes the hub.
func (f *flags) playElsewhere(ctx context.Context, run *train.Run, config *recipe.Config, log *slog.Logger) (h *hub.Hub, stop func(), err error) {
	if f.Listen == "" && f.Connect == "" {
		return nil, func() {}, nil
	}
	keys, err := hub.OpenKeys(hubDir(f.Run))
	if err != nil {
		return nil, nil, err
	}
	if err := keys.Settle(f.Original); err != nil {
		return nil, nil, err
	}
	options := hub.Options{
		Keys: keys, URL: f.Connect, Log: log, Sample: f.Replay, Replicas: f.Replicas,
		Open:  func(path string) (*eval.Network, error) { return device.Load(path, device.Auto) },
		Saved: run.Network,
		// Games wait for their shard to fill, and a worker alone must be able to fill several.
		PerWorker: int64(max(1024, 4*config.Data.GamesPerShard)),
	}
	if f.Listen != "" {
		if options.Server, err = hub.Serve(keys, hub.ServerOptions{Listen: f.Listen, Log: log}); err != nil {
			return nil, nil, err
		}
	}
	closeServer := func() {
		if options.Server != nil {
			options.Server.Close()
		}
	}
	h, err = hub.Open(ctx, options)
	if err != nil {
		closeServer()
		return nil, nil, err
	}
	run.PlayElsewhere(func(ctx context.Context, job selfplay.Job, networks selfplay.Networks, store *train.Store, observer observe.Observer) error {
		return h.Play(ctx, job, networks, store, observer)
	})
	run.PlayMatchesWith(h)
	url := f.Connect
	if options.Server != nil {
		url = options.Server.URL()
	}
	log.Info(fmt.Sprintf("the hub is at %s; add a worker with: train worker add NAME --run %s", url, f.Run))
	return h, func() {
		h.Close()
		closeServer()
	}, nil
}
