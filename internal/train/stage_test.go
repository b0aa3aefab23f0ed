package train

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warren/data"
	"warren/data/datatest"
	"warren/internal/learn"
	learning "warren/internal/learn/device"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/quoted"
	"warren/internal/recipe"
	"warren/net"
)

// staged is a synchronous run of three stages, of as many generations each. The rate is constant, because that
// of a run by itself would fall over all of its generations.
func staged(generations int) recipe.Config {
	c := tiny(recipe.Sync)
	c.Loop.Generations = 3 * generations
	c.Learner.EMADecay = 0.9
	c.Learner.Rate.Initial, c.Learner.Rate.Final, c.Learner.Rate.WarmUp = 1e-3, 1e-3, 3
	c.Data.WindowPositions = 900
	c.Loop.Stages = `
		0.3333 selfplay.visits.final=9 selfplay.turn_limit=12 search.noise_fraction=0.5 data.window_positions=300 data.q_ratio=0.25 learner.batch=8 learner.optimizer.method=muon
		0.6666 data.window_positions=2000 loop.replay_ratio=0.75`
	return c
}

// TestStagesAreChainedRuns: a run of three stages is the same as three runs, each of which begins with the
// network of the one before and has its games.
func TestStagesAreChainedRuns(t *testing.T) {
	t.Parallel()
	c := staged(2)
	whole := filepath.Join(t.TempDir(), "run")
	work(t, whole, c, -1)
	stages, err := c.StageList()
	if err != nil {
		t.Fatal(err)
	}
	part := ""
	for i := range stages {
		c := stages[i].Config
		c.Loop.Stages, c.Loop.Generations = "", 2*(i+1)
		part = begun(t, part, c)
		work(t, part, c, -1)
		for generation := 2 * i; generation <= 2*(i+1); generation++ {
			if weights(t, part, generation) != weights(t, whole, generation) {
				t.Errorf("stage %d has another generation %d", i+1, generation)
			}
		}
	}
	if a, b := games(t, whole), games(t, part); !maps.Equal(a, b) {
		t.Errorf("the games are %v and %v", a, b)
	}
	one, three := counters(t, whole), counters(t, part)
	if one.Stage != 2 || one.Learner != 2 || one.Begun != three.Begun || one.Step != three.Step || one.Positions != three.Positions {
		t.Errorf("the run ends at %+v, the last of three at %+v", one, three)
	}
}

// begun begins a run with the newest network of the run in the directory before, if it is not "". It has the games and
// the numbers of that run.
func begun(t *testing.T, before string, c recipe.Config) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run")
	if before == "" {
		return path
	}
	s := counters(t, before)
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := dir.Begin(c, (&Dir{path: before}).Network(s.Generation), slog.Default()); err != nil {
		t.Fatal(err)
	}
	_, tensors, err := dir.loadCheckpoint(slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	s.Begun = s.Step
	if err := errors.Join(dir.saveSettings(&c), dir.saveCheckpoint(s, tensors)); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir.games(), os.DirFS((&Dir{path: before}).games())); err != nil {
		t.Fatal(err)
	}
	return path
}

// weights returns the hash of the weights of a generation's network.
func weights(t *testing.T, path string, generation int) string {
	t.Helper()
	if generation == 0 {
		return ""
	}
	n, _, err := net.Load((&Dir{path: path}).Network(generation))
	if err != nil {
		t.Fatal(err)
	}
	return n.Hash()
}

// games returns the hashes of the games of a run, by their numbers.
func games(t *testing.T, path string) map[uint64]data.Hash {
	t.Helper()
	all := map[uint64]data.Hash{}
	for _, r := range records(t, path) {
		all[r.Game] = r.Hash()
	}
	return all
}

// records returns the games of a run.
func records(t *testing.T, path string) []*data.Record {
	t.Helper()
	return datatest.Read(t, (&Dir{path: path}).games())
}

// killed copies the directory of a run whenever a process that is killed could leave it in another state.
type killed struct {
	t       *testing.T
	path    string
	copies  map[string]string // directories, by what has happened last
	entered bool              // the learner is in another stage and has trained no minibatch there
}

func (k *killed) copy(what string) string {
	path := filepath.Join(k.t.TempDir(), "run")
	if err := os.CopyFS(path, os.DirFS(k.path)); err != nil {
		k.t.Fatal(err)
	}
	k.copies[what] = path
	return path
}

func (k *killed) Observe(e observe.Event) {
	switch e := e.(type) {
	case *observe.Published:
		if e.Generation == 0 {
			return
		}
		k.copy(fmt.Sprintf("network %d", e.Generation))
		without := k.copy(fmt.Sprintf("checkpoint before network %d", e.Generation))
		if err := os.Remove((&Dir{path: without}).Network(e.Generation)); err != nil {
			k.t.Fatal(err)
		}
		k.entered = true
	case *observe.Learned:
		if k.entered {
			k.copy(fmt.Sprintf("minibatch %d", e.Step))
			k.entered = false
		}
	case *observe.Measured:
		k.copy(fmt.Sprintf("point %d", e.Point.Step))
	}
}

// often works on a run to its end, and copies its directory for each kill.
func often(t *testing.T, path string, c recipe.Config) *killed {
	t.Helper()
	k := &killed{t: t, path: path, copies: map[string]string{}}
	run := open(t, path, c, k, slog.New(slog.DiscardHandler))
	if err := run.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	shut(t, run)
	return k
}

// growing is what the last stage of a staged run may change too.
const growing = " network.blocks=2 network.channels=16"

// TestKillsAtStages: a run that is killed anywhere near the beginning of a stage ends with the same networks and games.
func TestKillsAtStages(t *testing.T) {
	t.Parallel()
	c := staged(1)
	c.Loop.Stages += growing
	whole := filepath.Join(t.TempDir(), "run")
	k := often(t, whole, c)
	stopped := filepath.Join(t.TempDir(), "run")
	for finished := false; !finished; { // often while a stage plays
		finished, _ = work(t, stopped, c, 3)
	}
	k.copies["being stopped"] = stopped
	if len(k.copies) < 3*3+3 {
		t.Errorf("it was killed only after %v", slices.Collect(maps.Keys(k.copies)))
	}
	for i, what := range slices.Sorted(maps.Keys(k.copies)) {
		if testing.Short() && i%3 > 0 {
			continue
		}
		path := k.copies[what]
		work(t, path, c, -1)
		for generation := range 4 {
			if weights(t, path, generation) != weights(t, whole, generation) {
				t.Errorf("killed after %s, the run has another generation %d", what, generation)
			}
		}
		if !maps.Equal(games(t, path), games(t, whole)) {
			t.Errorf("killed after %s, the run has other games", what)
		}
	}
}

// TestStagesWithAGatekeeper: the games of a network that has passed its test have the settings of its stage. A kill
// before a network that waits for the test is saved costs nothing.
func TestStagesWithAGatekeeper(t *testing.T) {
	t.Parallel()
	c := staged(1)
	c.Match.Visits, c.Match.TurnLimit, c.Match.Gatekeeper.Games = 2, 16, 12
	c.Match.Gatekeeper.Test.Elo0, c.Match.Gatekeeper.Test.Elo1 = -1000, -900 // which every network passes that does not lose all games
	whole := filepath.Join(t.TempDir(), "run")
	k := often(t, whole, c)
	stages, err := c.StageList()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := rulesOf(stages)
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for _, r := range records(t, whole) {
		if stage := min(int(r.Generation), 2); r.Settings != rules[stage].Settings {
			t.Errorf("game %d of generation %d has other settings", r.Game, r.Generation)
		}
		last = max(last, int(r.Generation))
	}
	if last != 2 {
		t.Errorf("generation %d played last", last)
	}
	const kill = "checkpoint before network 2"
	if s := counters(t, k.copies[kill]); !s.Untested || s.Stage != 2 {
		t.Fatalf("%s it is at %+v", kill, s)
	}
	work(t, k.copies[kill], c, -1)
	for generation := 1; generation <= 3; generation++ {
		if weights(t, k.copies[kill], generation) != weights(t, whole, generation) {
			t.Errorf("after the kill, the run has another generation %d", generation)
		}
	}
}

// TestStageOfAResumedRun: a run continues only with settings that have its stage, with the same network.
func TestStageOfAResumedRun(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := staged(1)
	c.Loop.Generations = 2
	c.Loop.Stages = strings.ReplaceAll(c.Loop.Stages, "0.3333", "0.4")
	work(t, path, c, -1)
	if s := counters(t, path); s.Stage != 1 || s.Learner != 1 {
		t.Fatalf("it is at %+v", s)
	}
	dir, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	for want, stages := range map[string]string{
		"is in its stage 2, and the settings have 1": "",
		"method muon, and the settings ask for adam": "0.4 learner.batch=8",
	} {
		c := c
		c.Loop.Generations, c.Loop.Stages = 3, stages
		if _, err := Open(t.Context(), dir, c, observe.Nobody, nil, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", stages, err, want)
		}
	}
	run, err := Open(t.Context(), dir, c, observe.Nobody, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if s := &run.progress.state; s.Begun == 0 || run.training.begun != s.Begun {
		t.Errorf("the optimiser has begun with step %d, in the counters %d", run.training.begun, s.Begun)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	own, err := Settings(path, []string{"loop.generations=4"})
	if err != nil {
		t.Fatal(err)
	}
	dir.Close()
	work(t, path, *own, -1)
	if s := counters(t, path); s.Stage != 2 || s.Generation != 4 {
		t.Errorf("with its own settings it is at %+v", s)
	}
}

// TestAsynchronousStages: self-play continues through the stages, and its games have the settings of their network's.
func TestAsynchronousStages(t *testing.T) {
	t.Parallel()
	c := staged(1)
	c.Loop.Mode = recipe.Async
	path := filepath.Join(t.TempDir(), "run")
	finished, w := work(t, path, c, -1)
	s := counters(t, path)
	index, err := data.Scan((&Dir{path: path}).games(), nil)
	if err != nil {
		t.Fatal(err)
	}
	began := w.logged("a stage of the run begins stage=2 of=3 generation=1 changes=selfplay.turn_limit=12 selfplay.visits.final=9 ") +
		w.logged("a stage of the run begins stage=3 of=3 generation=2 changes=loop.replay_ratio=0.75 data.window_positions=2000")
	if !finished || s.Stage != 2 || s.Learner != 2 || began != 2 || index.Games < 12+5+5 {
		t.Errorf("finished: %t, at %+v, with %d games; %q", finished, s, index.Games, w.lines)
	}
	points, err := metrics.ReadLines((&Dir{path: path}).Metrics())
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range metrics.Series(points, "learner/stage") {
		if int(p.Step) != i+1 || p.Value != float64(i+1) || i > 2 {
			t.Errorf("generation %d was trained in stage %v", p.Step, p.Value)
		}
	}
	if _, w := work(t, path, c, -1); w.logged("continuing with the run") != 1 || w.logged(" stage=3 of=3") != 1 {
		t.Errorf("opened again it says %q", w.lines)
	}
	stages, err := c.StageList()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := rulesOf(stages)
	if err != nil {
		t.Fatal(err)
	}
	for generation := 1; generation <= 3; generation++ { // the last network plays as well, for the next process
		_, meta, err := net.Load((&Dir{path: path}).Network(generation))
		if err != nil {
			t.Fatal(err)
		}
		stage := min(generation, 2)
		if meta["stage"] != fmt.Sprint(stage) || meta["settings"] != rules[stage].Settings {
			t.Errorf("generation %d has the metadata %v", generation, meta)
		}
	}
	for _, r := range records(t, path) {
		if stage := min(r.Generation, 2); r.Settings != rules[stage].Settings {
			t.Errorf("game %d of generation %d has other settings", r.Game, r.Generation)
		}
	}
}

// TestRunGrows: the network of a stage that asks for a larger one plays as the one before. It is trained on the whole
// window before it is published, and meanwhile the smaller one plays.
func TestRunGrows(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "run")
	c := staged(1)
	c.Loop.Stages += growing
	_, w := work(t, path, c, -1)
	large := c.Network
	large.Blocks, large.Channels = 2, 16
	var small *net.Network
	for generation, want := range map[int]net.Config{1: c.Network, 2: c.Network, 3: large} {
		n, _, err := net.Load((&Dir{path: path}).Network(generation))
		if err != nil {
			t.Fatal(err)
		}
		if n.Config != want {
			t.Errorf("generation %d has the network %v, want %v", generation, n.Config, want)
		}
		if generation == 2 {
			small = n
		}
	}
	s := counters(t, path)
	if w.logged(fmt.Sprintf("the network has grown: the smaller one plays until the larger one is trained on the replay window network=2x16 samples=%d", s.Target-s.From)) != 1 {
		t.Errorf("logged %q", w.lines)
	}
	if want := int64(0.75 * float64(s.Saved.Positions)); s.Positions != s.Saved.Positions || s.Again != 0 || s.Target-s.From < want-1 || s.Target-s.From > want+1 {
		t.Errorf("in the last stage it was trained on %d samples of all %d positions, want %d: %+v; %q", s.Target-s.From, s.Saved.Positions, want, s, w.lines)
	}

	r := atLastStage(t, c)
	defer shut(t, r)
	if err := r.training.advance(); err != nil {
		t.Fatal(err)
	}
	got, err := r.training.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	want, err := small.Grow(large, c.Seed)
	if err != nil {
		t.Fatal(err)
	}
	if got.Hash() != want.Hash() {
		t.Errorf("the learner begins with another network, %v", got.Config)
	}
	if n := r.store.config.Learner.Batch; n != 8 {
		t.Errorf("the store waits for minibatches of %d", n)
	}
	if n := r.progress.state.Step; n == 0 || r.training.begun != n || r.progress.state.Begun != n {
		t.Errorf("after %d steps the optimiser has begun with step %d, in the counters %d", n, r.training.begun, r.progress.state.Begun)
	}
}

// Another run can begin with the newest network of a run, as the error of that run says. It has the settings of that
// network's stage and the stages after it, and a low rate and no few visits, because the network plays.
func TestAnotherRunOfANetwork(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stages               string
		newest, stage        int
		initial, final, want float64 // rates
	}{
		"one stage":               {"", 3, 0, 1e-3, 1e-4, 0.0005},
		"a lower rate":            {"", 3, 0, 2e-4, 1e-4, 2e-4},
		"a higher rate, grown":    {staged(1).Loop.Stages + growing, 3, 2, 1e-3, 1e-3, 1e-3},
		"grown before its stage":  {"0.3333 learner.batch=8" + growing + " 0.6666 learner.batch=9", 3, 2, 1e-3, 1e-4, 0.0005},
		"about to grow":           {"0.3333 learner.batch=8 0.6666" + growing, 2, 2, 1e-3, 1e-4, 0.0005},
		"grows in the next stage": {"0.3333 learner.batch=8 0.6666" + growing, 1, 1, 1e-3, 1e-4, 0.0005},
		"in its first stage":      {"0.5 learner.batch=8 0.6666" + growing, 1, 0, 1e-3, 1e-4, 0.0005},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, d := staged(1), &Dir{path: filepath.Join(t.TempDir(), "its run")}
			c.Loop.Stages, c.Learner.Rate.Initial, c.Learner.Rate.Final = test.stages, test.initial, test.final
			c.SelfPlay.Visits.Games = 5
			work(t, d.path, c, -1)
			for generation := test.newest + 1; generation <= 3; generation++ {
				if err := os.Remove(d.Network(generation)); err != nil {
					t.Fatal(err)
				}
			}
			want, err := c.From(test.stage)
			if err != nil {
				t.Fatal(err)
			}
			another := anotherRun(t, d)
			want.Device = another.Device // what auto was when the run began
			want.SelfPlay.Visits.Games, want.Learner.Rate.Initial = 0, test.want
			if another != want {
				t.Errorf("it has the settings\n%+v, want\n%+v", another, want)
			}
			// Without those of the run it has the defaults for its network.
			if err := os.Remove(d.config()); err != nil {
				t.Fatal(err)
			}
			n, _, err := net.Load(d.Network(test.newest))
			if err != nil {
				t.Fatal(err)
			}
			want = recipe.DefaultConfig()
			want.Network, want.SelfPlay.Visits.Games, want.Learner.Rate.Initial = n.Config, 0, 0.0005
			if another := anotherRun(t, d); another != want {
				t.Errorf("without its settings it has\n%+v, want\n%+v", another, want)
			}
		})
	}
}

// anotherRun returns the settings that the flags give with which another run begins.
func anotherRun(t *testing.T, d *Dir) recipe.Config {
	t.Helper()
	_, flags, _ := strings.Cut(d.orFromNewest(), ", with ")
	words, err := quoted.Words(flags)
	if err != nil {
		t.Fatal(err)
	}
	given := map[string][]string{}
	for i := 0; i+1 < len(words); i += 2 {
		given[words[i]] = append(given[words[i]], words[i+1])
	}
	if len(given["--config"]) != 1 || len(given["--from"]) != 1 || given["--run"][0] != d.path+"-2" {
		t.Fatalf("the flags are %q", flags)
	}
	c := recipe.DefaultConfig()
	if _, err := recipe.Apply(given["--config"][0], given["--set"], &c); err != nil {
		t.Fatal(err)
	}
	if _, _, err := LoadFirst(given["--from"][0], c); err != nil {
		t.Error(err)
	}
	return c
}

// until cancels a context when a generation is published.
type until struct {
	generation int
	cancel     context.CancelFunc
}

func (u until) Observe(e observe.Event) {
	if p, ok := e.(*observe.Published); ok && p.Generation == u.generation {
		u.cancel()
	}
}

// atLastStage opens a run with the settings of a staged one, after the last generation of its second stage.
func atLastStage(t *testing.T, c recipe.Config) *Run {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := open(t, filepath.Join(t.TempDir(), "run"), c, until{2, cancel}, slog.New(slog.DiscardHandler))
	if err := r.Train(ctx); err != nil {
		t.Fatal(err)
	}
	if s := &r.progress.state; s.Generation != 2 || s.Stage != 2 || s.Learner != 1 {
		t.Fatalf("it is at %+v", s)
	}
	return r
}

// unplugger takes the learner's device away in the last stage of a staged run, after a number of further steps.
type unplugger struct {
	run   *Run
	steps int
	done  bool
}

func (u *unplugger) Observe(e observe.Event) {
	if _, ok := e.(*observe.Learned); ok && !u.done && u.run.progress.state.Learner == 2 {
		l := u.run.training.learner
		l.Trainer, u.done = &fading{Trainer: l.Trainer, left: u.steps, others: never}, true
	}
}

// TestStagesWithoutTheLearnersDevice: a run whose learner loses its device near the beginning of a stage, or in it,
// ends with the same networks on the next device.
func TestStagesWithoutTheLearnersDevice(t *testing.T) {
	t.Parallel()
	c := staged(1)
	c.Loop.Stages += growing
	c.Learner.Rate.Final = 1e-4 // it falls with what is trained of a generation
	whole := filepath.Join(t.TempDir(), "run")
	work(t, whole, c, -1)
	want := counters(t, whole)
	c.Learner.Device = "cpu, cpu"
	same := func(what string, path string, w *watcher) {
		t.Helper()
		for generation := range 4 {
			if weights(t, path, generation) != weights(t, whole, generation) {
				t.Errorf("%s: the run has another generation %d", what, generation)
			}
		}
		if w.logged("cpu cannot be used for learning: it continues on cpu") != 1 {
			t.Errorf("%s: logged %v", what, w.lines)
		}
		s := counters(t, path)
		if s.Elapsed = want.Elapsed; s != want {
			t.Errorf("%s: it ends at %+v, want %+v", what, s, want)
		}
	}
	for others := range 4 { // the learner of the first stage is saved, its network published, measured and grown
		path := filepath.Join(t.TempDir(), "run")
		w, err := learnOn(t, path, c, never, others)
		if err != nil {
			t.Fatal(err)
		}
		same(fmt.Sprintf("after %d uses", others), path, w)
	}
	for _, steps := range []int{0, 5} {
		path := filepath.Join(t.TempDir(), "run")
		w, u := &watcher{left: -1}, &unplugger{steps: steps}
		u.run = open(t, path, c, u, slog.New(w))
		if err := u.run.Train(t.Context()); err != nil {
			t.Fatal(err)
		}
		shut(t, u.run)
		same(fmt.Sprintf("after %d steps of the last stage", steps), path, w)
	}
}

// closing is a trainer that knows whether it is closed.
type closing struct {
	learn.Trainer
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return c.Trainer.Close()
}

// TestStageReleasesTheLearner: a device need not have memory for the learners of two stages. A run without a device for
// the next one stops, and the same command continues.
func TestStageReleasesTheLearner(t *testing.T) {
	t.Parallel()
	c := staged(1)
	r := atLastStage(t, c)
	before := &closing{Trainer: r.training.learner.Trainer}
	r.training.learner.Trainer = before
	r.training.trainers = learning.Choose("unplugged:0", slog.New(slog.DiscardHandler))
	if err := r.Train(t.Context()); err == nil || !strings.Contains(err.Error(), "beginning stage 3: ") {
		t.Errorf("without a device for the next learner: %v", err)
	}
	if !before.closed {
		t.Error("the learner of the stage before was still there")
	}
	shut(t, r)
	if finished, _ := work(t, r.dir.path, c, -1); !finished {
		t.Error("the run does not continue")
	}
}

// A checkpoint whose stages cannot be is damaged.
func TestStagesOfACheckpoint(t *testing.T) {
	t.Parallel()
	dir, err := OpenDir(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	for i, s := range []state{{Step: 1}, {Step: 2, Stage: -1, Learner: -1}, {Step: 3, Learner: 1}} {
		if err := dir.saveCheckpoint(s, []net.Tensor{{Name: "a", Shape: []int{1}, Data: []float32{7}}}); err != nil {
			t.Fatal(err)
		}
		if got, _, err := dir.loadCheckpoint(slog.New(slog.DiscardHandler)); err != nil || got.Step != 1 {
			t.Errorf("after checkpoint %d: step %d, %v", i, got.Step, err)
		}
	}
}
