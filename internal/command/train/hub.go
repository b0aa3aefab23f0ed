package train

import (
	"context"
	"fmt"
	"log/slog"
	"os"
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

// elsewhere is a hub whose workers play the run. The zero value stands for a run that plays in this process and never
// had a hub.
type elsewhere struct {
	hub    *hub.Hub
	server *hub.Server // nil if it is not in this process
	url    string
	made   string // the hub's directory, if it was not there before
	first  uint64 // number that this process may play, if there is no hub now; its workers may bring games with lower ones
}

// openHub opens the hub if the flags ask for one. It is opened before the run, so that a run with a hub that cannot be
// opened does not begin.
func (f *flags) openHub(ctx context.Context, dir *train.Dir, config *recipe.Config, log *slog.Logger) (_ *elsewhere, err error) {
	e := &elsewhere{url: f.Connect}
	if f.Listen == "" && f.Connect == "" {
		e.first, err = hub.Next(hubDir(f.Run))
		return e, err
	}
	path := hubDir(f.Run)
	if !hub.HasKeys(path) {
		if f.Connect != "" {
			return nil, fmt.Errorf("--connect %s: the run %s has no hub yet; first write the server's configuration: %s", f.Connect, f.Run, f.command.Line("server", "--run", f.Run, "--store", "DIR"))
		}
		if _, err := os.Stat(path); os.IsNotExist(err) {
			e.made = path
		}
	}
	defer func() {
		if err != nil {
			e.undo()
		}
	}()
	keys, err := hub.OpenKeys(path)
	if err != nil {
		return nil, err
	}
	if f.Listen != "" {
		if e.server, err = hub.Serve(keys, hub.ServerOptions{Listen: f.Listen, Log: log}); err != nil {
			return nil, err
		}
		e.url = e.server.URL()
	}
	e.hub, err = hub.Open(ctx, hub.Options{
		Keys: keys, Server: e.server, URL: f.Connect, Log: log, Sample: f.Replay, Replicas: f.Replicas,
		Open:  func(path string) (*eval.Network, error) { return device.Load(path, device.Auto) },
		Saved: dir.Network,
		// Games wait for their shard to fill, and a worker alone must be able to fill several.
		PerWorker: int64(max(1024, 4*config.Data.GamesPerShard)),
	})
	return e, err
}

// play lets the workers of the hub play the run, or else this process. The command line add adds a worker.
func (e *elsewhere) play(run *train.Run, add string, log *slog.Logger) {
	if e.hub == nil {
		run.PlayFrom(e.first)
		return
	}
	run.PlayElsewhere(func(ctx context.Context, job selfplay.Job, networks selfplay.Networks, store *train.Store, observer observe.Observer) error {
		return e.hub.Play(ctx, job, networks, store, observer)
	})
	run.PlayMatchesWith(e.hub)
	log.Info(fmt.Sprintf("the hub is at %s; add a worker with: %s", e.url, add))
}

// close closes the hub.
func (e *elsewhere) close() {
	if e.hub != nil {
		e.hub.Close()
	}
	if e.server != nil {
		e.server.Close()
	}
	e.hub, e.server = nil, nil
}

// undo closes the hub and leaves nothing that was not there before.
func (e *elsewhere) undo() {
	e.close()
	if e.made != "" {
		os.RemoveAll(e.made)
	}
}
