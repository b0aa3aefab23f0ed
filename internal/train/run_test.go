package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"warren/data"
	"warren/data/replay"
	"warren/internal/learn"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/mcts"
	"warren/net"
)

// tiny is a run that takes about a second: three generations of a few short games.
func tiny(mode string) recipe.Config {
	c := recipe.DefaultConfig()
	c.Loop.Mode = mode
	c.Loop.Duration, c.Loop.Generations = 0, 3
	c.Loop.BootstrapGames, c.Loop.GamesPerGeneration = 12, 5
	c.Loop.ReplayRatio = 0.5
	c.Loop.FlushEvery = time.Hour
	c.Network = net.Config{Blocks: 1, Channels: 8, PoolEvery: 1, PolicyChannels: 4, ValueChannels: 2, ValueHidden: 8}
	c.SelfPlay.Workers, c.SelfPlay.GamesPerWorker = 2, 2
	c.SelfPlay.Visits.Final, c.SelfPlay.FastVisits = 6, 2
	c.SelfPlay.TurnLimit = 16
	c.Data.WindowPositions, c.Data.GamesPerShard, c.Data.HeldOutFraction = 600, 3, 0.2
	c.Learner.Batch, c.Learner.HeldOut = 16, 16
	c.Match.Every = 0
	plain(&c)
	return c
}

// plain turns off what the recipe adds to AlphaZero's.
func plain(c *recipe.Config) {
	c.Search = mcts.AlphaZeroConfig()
	c.Search.NoiseFraction = 0.25
	p, d, l := &c.SelfPlay, &c.Data, &c.Learner
	p.FullFraction, p.Visits.Games, p.SetupPolicyWeight, p.SurpriseWeight = 0.25, 0, 1, 0
	d.LimitValue, d.MaterialWeight.Final, d.PolicyShare, d.PolicyWindow = 0.9, 0, 0, 0
	l.EMADecay, l.DormantResetInterval, l.ValueWeight, l.Rate.Initial = 0, 0, 1, 1e-3
	l.Optimizer.Method, l.Optimizer.Momentum = learn.Adam, 0.9
}

// watcher is a log handler and an observer. It keeps the log lines, and cancels a
// context after a number of events.
type watcher struct {
	mu     sync.Mutex
	lines  []string
	left   int // events until cancel; negative for never
	cancel context.CancelFunc
}

func (w *watcher) event() {
	w.left--
	if w.left == 0 && w.cancel != nil {
		w.cancel()
	}
}

func (w *watcher) Enabled(context.Context, slog.Level) bool { return true }
func (w *watcher) WithAttrs([]slog.Attr) slog.Handler       { return w }
func (w *watcher) WithGroup(string) slog.Handler            { return w }
func (w *watcher) Handle(_ context.Context, r slog.Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	line := r.Message
	r.Attrs(func(a slog.Attr) bool {
		line += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		return true
	})
	w.lines = append(w.lines, line)
	w.event()
	return nil
}

func (w *watcher) Observe(e observe.Event) {
	if _, ok := e.(*observe.Measured); ok {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.event()
	}
}

func (w *watcher) logged(part string) int {
	n := 0
	for _, line := range w.lines {
		if strings.Contains(line, part) {
			n++
		}
	}
	return n
}

// open opens the run at path, which shut closes.
func open(t *testing.T, path string, c recipe.Config, observer observe.Observer, log *slog.Logger) *Run {
	t.Helper()
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	run, err := Open(t.Context(), dir, c, observer, nil, log)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// shut closes a run and its directory.
func shut(t *testing.T, run *Run) {
	t.Helper()
	if err := errors.Join(run.Close(), run.dir.Close()); err != nil {
		t.Fatal(err)
	}
}

// work opens the run and works on it until it is finished or the given number of
// events have happened; -1 means no limit. It reports whether the run is finished.
func work(t *testing.T, path string, c recipe.Config, events int) (finished bool, w *watcher) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w = &watcher{left: events, cancel: cancel}
	run := open(t, path, c, w, slog.New(w))
	if err := run.Train(ctx); err != nil {
		t.Fatal(err)
	}
	finished = run.Finished()
	shut(t, run)
	return finished, w
}

// interrupt works on a run until it is finished, and stops it each time after as many events as it is told.
func interrupt(t *testing.T, path string, c recipe.Config, events func() int) {
	t.Helper()
	starts := 0
	for finished := false; !finished; starts++ {
		if starts > 100 {
			t.Fatal("the run does not get on")
		}
		finished, _ = work(t, path, c, events())
	}
	if starts < 3 {
		t.Errorf("only %d starts: nothing was interrupted", starts)
	}
}

// upTo returns a function that draws numbers from 1 to most.
func upTo(most int, seed1, seed2 uint64) func() int {
	rng := rand.New(rand.NewPCG(seed1, seed2))
	return func() int { return 1 + rng.IntN(most) }
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// final returns the weights of a finished tiny run, without provenance.
func final(t *testing.T, path string) string {
	t.Helper()
	n, meta, err := net.Load(filepath.Join(path, "networks", "gen-00003.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if meta["generation"] != "3" || meta["run"] == "" || meta["settings"] == "" {
		t.Errorf("provenance: %v", meta)
	}
	return n.Hash()
}

func TestSynchronousRunsAreTheSame(t *testing.T) {
	t.Parallel()
	synchronous(t, tiny(recipe.Sync))
}

// synchronous tests that a run is the same with another number of workers, and
// when it is interrupted.
func synchronous(t *testing.T, c recipe.Config) {
	whole := filepath.Join(t.TempDir(), "run")
	if finished, _ := work(t, whole, c, -1); !finished {
		t.Fatal("the run did not finish")
	}
	want := final(t, whole)

	again := filepath.Join(t.TempDir(), "run")
	other := c
	other.SelfPlay.Workers, other.SelfPlay.GamesPerWorker = 1, 5
	work(t, again, other, -1)
	if got := final(t, again); got != want {
		t.Error("another number of workers gave another network")
	}

	broken := filepath.Join(t.TempDir(), "run")
	interrupt(t, broken, c, upTo(6, 1, 2))
	if got := final(t, broken); got != want {
		t.Error("an interrupted run gave another network")
	}
}

// A run that plays with averaged weights continues with the same averages after an interruption, and learns the same setups.
func TestAveragesGoOn(t *testing.T) {
	t.Parallel()
	c := tiny(recipe.Sync)
	c.Learner.EMADecay, c.Learner.Optimizer.Method = 0.9, learn.Muon
	whole, broken := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	work(t, whole, c, -1)
	interrupt(t, broken, c, func() int { return 5 }) // the first start ends after the first network
	if final(t, broken) != final(t, whole) {
		t.Error("an interrupted run gave another network")
	}
	last, _, err := net.Load((&Dir{path: broken}).Network(3))
	if err != nil {
		t.Fatal(err)
	}
	_, tensors, err := (&Dir{path: broken}).loadCheckpoint(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	learner := map[string][]float32{}
	for _, tensor := range tensors {
		learner[tensor.Name] = tensor.Data
	}
	averaged := false
	for _, p := range last.Params {
		if !slices.Equal(p.Data, learner[learn.AveragePrefix+p.Name]) {
			t.Errorf("the network's %s is not the learner's average", p.Name)
		}
		averaged = averaged || !slices.Equal(p.Data, learner[p.Name])
	}
	if !averaged {
		t.Error("the averages are the newest weights")
	}
}

func TestAsynchronousRunGoesOn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	rng := rand.New(rand.NewPCG(3, 4))
	games := 0
	known := map[string]bool{} // shards
	newest := uint64(0)
	for starts, finished := 0, false; !finished; starts++ {
		if starts > 100 {
			t.Fatal("the run does not get on")
		}
		finished, _ = work(t, path, tiny(recipe.Async), 1+rng.IntN(6))
		index, err := data.Scan(filepath.Join(path, "games"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if index.Games < games {
			t.Fatalf("%d games after %d", index.Games, games)
		}
		for _, s := range index.Shards {
			if !known[s.Path] && s.Arrival <= newest {
				t.Errorf("start %d: a new shard has the arrival number %d, and one before had %d", starts, s.Arrival, newest)
			}
			known[s.Path] = true
		}
		newest = index.Arrival
		games = index.Games
		if games != int(index.Next()) && finished && games < 22 {
			t.Errorf("%d games, the highest number is %d", games, index.Next()-1)
		}
	}
	final(t, path)
	points, err := metrics.ReadLines(filepath.Join(path, "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	losses := metrics.Series(points, "loss/value")
	if len(losses) == 0 || losses[len(losses)-1].Step != 3 {
		t.Errorf("the series of the value loss: %v", losses)
	}
	for _, name := range []string{"search/full", "search/target_entropy", "search/prior_entropy", "search/passes", "games/early_captures", "wait/learner_for_games", "speed/evaluations", "probe/even", "probe/goal_now_prior"} {
		if s := metrics.Series(points, name); len(s) == 0 {
			t.Errorf("there is no series %s", name)
		}
	}
	checkpoints, err := filepath.Glob(filepath.Join(path, "learner", "*"))
	if err != nil || len(checkpoints) > keptCheckpoints {
		t.Errorf("kept %v, %v", checkpoints, err)
	}
	before := 0.0
	for generation := range 4 {
		_, meta, err := net.Load(net.GenerationFile(path, generation))
		if err != nil {
			t.Fatal(err)
		}
		seconds, err := strconv.ParseFloat(meta["seconds"], 64)
		if err != nil || seconds < before || seconds > 600 {
			t.Errorf("generation %d after %q seconds, the one before after %v", generation, meta["seconds"], before)
		}
		before = seconds
	}
}

// learned cancels a context at the first training step.
type learned struct{ cancel context.CancelFunc }

func (l learned) Observe(e observe.Event) {
	if _, ok := e.(*observe.Learned); ok {
		l.cancel()
	}
}

// leading checks at every step of the training that self-play is bounded by the games that have been collected.
type leading struct {
	t   *testing.T
	run *Run
}

func (l *leading) Observe(e observe.Event) {
	if _, ok := e.(*observe.Learned); !ok || l.run.progress.state.Generation == 0 {
		return
	}
	l.run.store.mu.Lock()
	defer l.run.store.mu.Unlock()
	if bound, want := l.run.store.bound, l.run.progress.schedule.bound(&l.run.progress.state); bound != want {
		l.t.Errorf("generation %d: self-play is held at %d games while the run learns, want %d", l.run.progress.state.Generation, bound, want)
	}
}

// A run that was stopped while it learned from its first games, and has lost them since, plays
// as many again.
func TestFirstGamesArePlayedAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Async)
	c.Loop.BootstrapGames = 40 // many steps
	for _, lost := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		ahead := &leading{t: t}
		var observer observe.Observer = learned{cancel}
		if lost {
			observer = ahead
			if err := os.RemoveAll(filepath.Join(path, "games")); err != nil {
				t.Fatal(err)
			}
		}
		run := open(t, path, c, observer, slog.New(slog.DiscardHandler))
		ahead.run = run
		run.holdPlaying()
		if next := run.progress.state.Games + c.Loop.BootstrapGames; run.store.bound < next {
			t.Fatalf("self-play is held at %d games, and learning waits for %d", run.store.bound, next)
		}
		if err := run.Train(ctx); err != nil {
			t.Fatal(err)
		}
		cancel()
		if run.Finished() != lost || !lost && (run.progress.state.Games == 0 || run.progress.state.Samples >= run.progress.state.Target) {
			t.Fatalf("games lost %v: it ended at %+v", lost, run.progress.state)
		}
		shut(t, run)
	}
}

func flip(t *testing.T, path string) {
	t.Helper()
	b := read(t, path)
	b[len(b)*2/3] ^= 4
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

func newest(t *testing.T, pattern string) string {
	t.Helper()
	all, err := filepath.Glob(pattern)
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: %v, %v", pattern, all, err)
	}
	return all[len(all)-1]
}

// content returns the contents of all files below a directory, by path.
func content(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files[path] = string(read(t, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A run with trained networks and without a usable checkpoint does not begin anew, which would replace
// them: it changes nothing, and names the network to begin another run from.
func TestWithoutCheckpointsNetworksStay(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Sync)
	c.Loop.Generations = 2
	work(t, path, c, -1)
	checkpoints, err := filepath.Glob(filepath.Join(path, "learner", "*.safetensors"))
	if err != nil || len(checkpoints) == 0 {
		t.Fatal(checkpoints, err)
	}
	refuses := func(what string, parts ...string) {
		t.Helper()
		before := content(t, path)
		dir, err := OpenDir(path)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		_, err = Open(t.Context(), dir, c, observe.Nobody, nil, slog.New(slog.DiscardHandler))
		if err == nil {
			t.Fatalf("%s: the run begins anew", what)
		}
		for _, part := range parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q is not in %q", what, part, err)
			}
		}
		if !maps.Equal(before, content(t, path)) {
			t.Errorf("%s: files have changed", what)
		}
	}
	for _, checkpoint := range checkpoints {
		flip(t, checkpoint)
	}
	newest := (&Dir{path: path}).Network(2)
	refuses("damaged checkpoints", "has only damaged checkpoints", filepath.Base(checkpoints[len(checkpoints)-1]), "--from "+newest)
	for _, checkpoint := range checkpoints {
		if err := os.Remove(checkpoint); err != nil {
			t.Fatal(err)
		}
	}
	refuses("no checkpoints", "has no checkpoint", "--from "+newest)
	flip(t, newest)
	refuses("the newest network is damaged too", "--from "+(&Dir{path: path}).Network(1))
}

// A run whose settings are lost is not begun again: the error names its newest network.
func TestLostSettings(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Sync)
	c.Loop.Generations = 1
	work(t, path, c, -1)
	if err := os.Remove(filepath.Join(path, "config.yaml")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"has lost its settings, config.yaml", "--from " + (&Dir{path: path}).Network(1)} {
		if dir, err := OpenDir(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
			if err == nil {
				dir.Close()
			}
		}
	}
}

// What warren learn has written is not taken for a run, though it has settings.
func TestLearnedNetworkIsNoRun(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	for _, c := range []struct{ name, want string }{
		{"config.yaml", ""},
		{UnfinishedFile, "warren learn has written it; choose another --run"},
		{LearnedFile, "--from " + filepath.Join(path, LearnedFile) + " and another --run"},
	} {
		if err := os.WriteFile(filepath.Join(path, c.name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if c.want == "" {
			continue
		}
		if dir, err := OpenDir(path); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
			if err == nil {
				dir.Close()
			}
		}
	}
}

// Damaged checkpoints of a run without a trained network cost nothing, and it learns anew.
func TestDamagedFirstCheckpoints(t *testing.T) {
	t.Parallel()
	dir, err := OpenDir(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := dir.saveCheckpoint(state{Step: 3}, []net.Tensor{{Name: "a", Shape: []int{1}, Data: []float32{7}}}); err != nil {
		t.Fatal(err)
	}
	flip(t, dir.checkpoint(3))
	w := &watcher{left: -1}
	s, tensors, err := dir.loadCheckpoint(slog.New(w))
	if err != nil || tensors != nil || s.Step != 0 || w.logged("no trained network, so the run learns anew") != 1 {
		t.Errorf("step %d, %v, %v, logged %q", s.Step, tensors, err, w.lines)
	}
	if _, err := os.Stat(dir.checkpoint(3) + ".damaged"); err != nil {
		t.Error(err)
	}
}

// A directory or a link to nothing with the name of a checkpoint is named, passed over
// and left where it is.
func TestNoFileIsNoCheckpoint(t *testing.T) {
	t.Parallel()
	dir, err := OpenDir(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	tensors := []net.Tensor{{Name: "a", Shape: []int{1}, Data: []float32{7}}}
	if err := os.MkdirAll(filepath.Join(dir.checkpoint(9), "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir.checkpoint(1), "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", dir.checkpoint(8)); err != nil {
		t.Log("no links here:", err)
	}
	for step := range int64(3) {
		if err := dir.saveCheckpoint(state{Step: 3 + step}, tensors); err != nil {
			t.Fatal(err)
		}
	}
	w := &watcher{left: -1}
	s, got, err := dir.loadCheckpoint(slog.New(w))
	if err != nil || s.Step != 5 || len(got) != 1 || w.logged(filepath.Base(dir.checkpoint(9))) != 1 {
		t.Errorf("step %d, %v, logged %q", s.Step, err, w.lines)
	}
	for step, want := range map[int64]bool{1: true, 3: false, 4: true, 5: true, 9: true} {
		if _, err := os.Stat(dir.checkpoint(step)); (err == nil) != want {
			t.Errorf("after saving, the checkpoint of step %d: %v", step, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	work(t, path, tiny(recipe.Sync), 3)
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDir(path); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a second process got %v", err)
	}
	for want, change := range map[string]func(*recipe.Config){
		"network":         func(c *recipe.Config) { c.Network.Channels = 16 },
		"seed":            func(c *recipe.Config) { c.Seed++ },
		"never ends":      func(c *recipe.Config) { c.Loop.Generations = 0 },
		"method":          func(c *recipe.Config) { c.Learner.Optimizer.Method = "sgd" },
		"multiple of 8":   func(c *recipe.Config) { c.Network.Channels = 12 },
		"learner.batch":   func(c *recipe.Config) { c.Learner.Batch = 1000 },
		"at most 0.2":     func(c *recipe.Config) { c.Data.HeldOutFraction = 0.3 },
		"rate.final is 1": func(c *recipe.Config) { c.Learner.Rate.Final = 1 },
	} {
		c := tiny(recipe.Sync)
		change(&c)
		if _, err := Open(t.Context(), dir, c, observe.Nobody, nil, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
	saved := filepath.Join(path, "config.yaml")
	whole := string(read(t, saved))
	for content, want := range map[string]string{
		"loop: {mode: never}\n":                  "loop.mode: never is not allowed (allowed: async, sync); mend the file",
		"loop: {tempo: 1}\n":                     "(warren train --settings lists them all); mend the file",
		"":                                       "it has no seed, device, loop",
		whole[:strings.Index(whole, "\nmatch:")]: "is cut off or incomplete: it has no match; mend the file",
		whole[:strings.Index(whole, "\nselfplay:")+12]: "is cut off or incomplete: it has no search, data, learner, match; mend the file",
	} {
		if err := os.WriteFile(saved, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), dir, tiny(recipe.Sync), observe.Nobody, nil, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a config.yaml of %d bytes gave %v, want %q", len(content), err, want)
		}
		if _, err := ReadSettings(path, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("learn: a config.yaml of %d bytes gave %v, want %q", len(content), err, want)
		}
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	dir, err = OpenDir(path)
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	dir.Close()
}

// The learner's samples are positions of games that are not held out.
func TestMinibatchHoldsWhatTheWindowHolds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Sync)
	c.Loop.Generations = 1
	work(t, path, c, -1)
	index, err := data.Scan(filepath.Join(path, "games"), nil)
	if err != nil {
		t.Fatal(err)
	}
	windows := replay.NewWindows(c.Data)
	if err := windows.Restore(replay.Source{Index: index}); err != nil {
		t.Fatal(err)
	}
	m, err := newMinibatch(c.Network, c.Learner.Batch)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.sample(windows.Train, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	first := slices.Clone(b.Bits)
	mirrored := 0
	for i := range m.samples {
		s := &m.samples[i]
		if s.Mirror {
			mirrored++
		}
		sum := float32(0)
		for a := range 263 {
			p := b.Targets[0].Values[i*263+a]
			sum += p
			if p > 0 && !b.Legal[i*263+a] {
				t.Errorf("sample %d: a target on the illegal action %d", i, a)
			}
		}
		if sum < 0.999 || sum > 1.001 {
			t.Errorf("sample %d: the policy target sums to %g", i, sum)
		}
	}
	if mirrored == 0 || mirrored == len(m.samples) {
		t.Errorf("%d of %d samples are mirrored", mirrored, len(m.samples))
	}
	if b, err := m.sample(windows.Train, rand.New(rand.NewPCG(1, 1))); err != nil || !slices.Equal(first, b.Bits) {
		t.Errorf("the same random numbers gave another batch, %v", err)
	}
	if _, err := m.sample(replay.NewWindow(10, replay.DefaultConfig()), rand.New(rand.NewPCG(1, 1))); err == nil {
		t.Error("sampled from an empty window")
	}
}
