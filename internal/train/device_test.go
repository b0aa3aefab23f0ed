package train

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/internal/eval/device"
	"warren/internal/eval/evaltest"
	"warren/internal/learn"
	"warren/internal/metrics"
	"warren/internal/observe"
	"warren/internal/recipe"
	"warren/internal/selfplay"
	"warren/internal/settings"
	"warren/net"
)

// fragile opens networks on a device that is lost after a number of batches, and then on the
// processor if it may.
type fragile struct {
	left    atomic.Int32
	standby bool
	then    *device.Choice
	lost    atomic.Bool
	usage   eval.Usage
}

func newFragile(batches int32, standby bool) *fragile {
	f := &fragile{standby: standby, then: device.Choose("cpu", slog.New(slog.DiscardHandler))}
	f.left.Store(batches)
	return f
}

func (f *fragile) Play(n *net.Network, origin eval.Origin) (*eval.Network, error) {
	if f.lost.Load() {
		return f.then.Play(n, origin)
	}
	b, err := cpu.New(n)
	if err != nil {
		return nil, err
	}
	d := &evaltest.Device{Backend: b, Name: "fake", Best: 4, Depth: 2, Usage: &f.usage, Fault: func(int) error {
		if f.left.Add(-1) < 0 {
			return fmt.Errorf("unplugged: %w", eval.ErrLost)
		}
		return nil
	}}
	return &eval.Network{Backend: eval.Merge(d), Hash: n.Hash(), Origin: origin, Reopen: func(string) (*eval.Network, error) {
		return f.then.Play(n, origin)
	}}, nil
}

func (f *fragile) Lost(n *eval.Network, err error) (*eval.Network, error) {
	if !f.standby {
		return nil, err
	}
	f.lost.Store(true)
	return n.Reopen("cpu")
}

// on works on the run with the devices, until it is finished or fails.
func on(t *testing.T, path string, c recipe.Config, d devices) error {
	t.Helper()
	w := &watcher{left: -1}
	run := open(t, path, c, w, slog.New(w))
	defer shut(t, run)
	run.networks.devices = d
	return run.Train(t.Context())
}

// paths counts the games of a run by path.
func paths(t *testing.T, run string) map[string]int {
	t.Helper()
	count := map[string]int{}
	for _, r := range records(t, run) {
		count[r.EvalPath]++
	}
	return count
}

func TestRunWithoutItsDevice(t *testing.T) {
	for _, mode := range []string{recipe.Sync, recipe.Async} {
		for _, batches := range []int32{150, 400} { // in self-play, or in a match
			if testing.Short() && batches > 150 {
				continue
			}
			c := tiny(mode)
			c.Match.Every, c.Match.Games, c.Match.Baselines = 1, 2, "random"

			path := filepath.Join(t.TempDir(), "alone")
			err := on(t, path, c, newFragile(batches, false))
			if !errors.Is(err, eval.ErrLost) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: a lost device gave %v", mode, err)
			}
			before := paths(t, path)
			if before["uniform"] < 12 {
				t.Errorf("%s: %v games were saved", mode, before)
			}
			if finished, _ := work(t, path, c, -1); !finished {
				t.Errorf("%s: the run does not continue", mode)
			}
			if after := paths(t, path); after["fake"] != before["fake"] || len(after) < 2 {
				t.Errorf("%s: %v games became %v", mode, before, after)
			}

			path = filepath.Join(t.TempDir(), "standby")
			f := newFragile(batches, true)
			if err := on(t, path, c, f); err != nil || !f.lost.Load() {
				t.Errorf("%s: with another device: %v", mode, err)
			}
			if games := paths(t, path); len(games) < 2 || mode == recipe.Sync && sum(games) != 22 {
				t.Errorf("%s: with another device, %v games", mode, games)
			}
		}
	}
}

// The series say for which share of the time the device had work. There is no such share for another
// device than that of the report before, and none for the processor.
func TestRunReportsItsDevice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	if err := on(t, path, tiny(recipe.Sync), newFragile(never, false)); err != nil {
		t.Fatal(err)
	}
	points, err := metrics.ReadLines(filepath.Join(path, "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	busy := metrics.Series(points, "device/busy")
	for _, p := range busy {
		if !(p.Value > 0 && p.Value <= 1) {
			t.Errorf("generation %d: busy for %v of the time", p.Step, p.Value)
		}
	}
	if len(busy) == 0 {
		t.Error("there is no series device/busy")
	}

	before := mark{device: "cuda:0", busy: 10 * time.Second}
	for _, c := range []struct {
		now  mark
		want []metrics.Value
	}{
		{mark{device: "cuda:0", busy: 13 * time.Second}, []metrics.Value{{Name: "device/busy", Value: 0.75}}},
		{mark{device: "cuda:1", busy: 13 * time.Second}, nil},
		{mark{}, nil},
	} {
		var p point
		if p.device(c.now, before, 4); !slices.Equal(p.Values, c.want) {
			t.Errorf("%+v: got %v, want %v", c.now, p.Values, c.want)
		}
	}
	var p point
	if p.device(mark{}, mark{}, 4); p.Values != nil {
		t.Errorf("on the processor: %v", p.Values)
	}
}

// In whole numbers, the series say in which share of the positions an activation was limited: those that
// the network before the newest has evaluated.
func TestRunReportsSaturation(t *testing.T) {
	for name, want := range map[string]bool{"int16": true, "cpu": false} {
		path := filepath.Join(t.TempDir(), "run")
		c := tiny(recipe.Sync)
		c.Device = name
		work(t, path, c, -1)
		points, err := metrics.ReadLines(filepath.Join(path, "metrics.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if limited := metrics.Series(points, "int16/limited"); want != (len(limited) > 0) {
			t.Errorf("%s: the series is %v", name, limited)
		}
	}
	in8 := eval.Saturation{Format: "int8"}
	var p point
	if p.saturation(&in8); p.Values != nil {
		t.Errorf("before a position was looked at: %v", p.Values)
	}
	in8.Count(true)
	if p.saturation(&in8); !slices.Equal(p.Values, []metrics.Value{{Name: "int8/limited", Value: 1}}) {
		t.Errorf("in int8: %v", p.Values)
	}
}

func sum(count map[string]int) (n int) {
	for _, c := range count {
		n += c
	}
	return n
}

// A run keeps the device that "auto" chose, and says so where there is no such device.
func TestDeviceIsSettled(t *testing.T) {
	w := &watcher{left: -1}
	wide := tiny(recipe.Async).Network
	wide.Channels = 32 // for which the fastest device is not cpu on all processors
	settle := func(mode, name string, before ...string) string {
		c := tiny(mode)
		c.Network, c.Device = wide, name
		narrow := c
		narrow.Network.Channels = 16
		stages := []recipe.Stage{{Config: narrow}, {Begin: 0.5, Config: c}}
		if before == nil {
			settleDevice(stages, nil, slog.New(w))
		} else {
			old := tiny(mode)
			old.Device = before[0]
			settleDevice(stages, &old, slog.New(w))
		}
		if stages[1].Device != stages[0].Device {
			t.Errorf("the stages have the devices %s and %s", stages[0].Device, stages[1].Device)
		}
		return stages[0].Device
	}
	fastest := device.Fastest(wide)
	for _, c := range []struct{ got, want string }{
		{settle(recipe.Async, "auto"), fastest},
		{settle(recipe.Sync, "auto"), "cpu"},
		{settle(recipe.Async, "cpu"), "cpu"},
		{settle(recipe.Async, "auto", "cpu"), "cpu"},
		{settle(recipe.Async, "auto", "auto"), fastest},
		{settle(recipe.Async, "cpu", "amx"), "cpu"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	if len(w.lines) != 0 {
		t.Errorf("logged %v", w.lines)
	}
	if got := settle(recipe.Async, "auto", "gone"); got != fastest || w.logged("the run was evaluated on gone, which cannot be used here: it continues on "+fastest) != 1 {
		t.Errorf("got %q, logged %v", got, w.lines)
	}

	path := filepath.Join(t.TempDir(), "run")
	c := tiny(recipe.Async)
	c.Loop.Generations = 1
	work(t, path, c, -1)
	kept := recipe.DefaultConfig()
	if err := settings.Read(filepath.Join(path, "config.yaml"), nil, &kept); err != nil {
		t.Fatal(err)
	}
	if want := device.Fastest(c.Network); kept.Device != want {
		t.Errorf("the run's settings have the device %q, want %q", kept.Device, want)
	}
}

// A run that learns on a graphics processor is the same with another number of workers and when
// it is interrupted.
func TestRunLearnsOnADevice(t *testing.T) {
	c := tiny(recipe.Sync)
	c.Learner.Device, c.Learner.EMADecay, c.Learner.DormantResetInterval = "opencl:0", 0.9, 5
	c.Network.Auxiliary = strings.Join(net.AuxiliaryHeads(), " ")
	if _, _, err := device.Processor(c.Learner.Device); err != nil {
		t.Skipf("not tested here: %v (Debian: apt-get install pocl-opencl-icd)", err)
	}
	for _, c.Learner.Optimizer.Method = range []string{learn.Adam, learn.Muon} {
		synchronous(t, c)
	}
}

// fading is a trainer whose device is lost after a number of steps, or of uses for something else:
// snapshots, measurements and checkpoints.
type fading struct {
	learn.Trainer
	left, others int
	lost         func() // called when it is, unless nil
}

// use takes one from the uses that are left of a kind, and returns an error once the device is lost.
func (f *fading) use(left *int) error {
	if *left--; f.left >= 0 && f.others >= 0 {
		return nil
	}
	if f.lost != nil {
		f.lost()
	}
	f.left, f.lost = -1, nil
	return fmt.Errorf("%w: unplugged", learn.ErrLost)
}

func (f *fading) Snapshot() (*net.Network, error) {
	if err := f.use(&f.others); err != nil {
		return nil, err
	}
	return f.Trainer.Snapshot()
}

func (f *fading) Measure(b *learn.Batch) (learn.Losses, error) {
	if err := f.use(&f.others); err != nil {
		return nil, err
	}
	return f.Trainer.Measure(b)
}

func (f *fading) Step(b *learn.Batch, rate float64) (learn.Losses, error) {
	if err := f.use(&f.left); err != nil {
		return nil, err
	}
	return f.Trainer.Step(b, rate)
}

func (f *fading) State() ([]net.Tensor, error) {
	if err := f.use(&f.others); err != nil {
		return nil, err
	}
	return f.Trainer.State()
}

// learnOn works on the run until it is finished or fails. The learner's first device is lost
// after some steps, or some other uses.
func learnOn(t *testing.T, path string, c recipe.Config, steps, others int) (*watcher, error) {
	t.Helper()
	w := &watcher{left: -1}
	run := open(t, path, c, w, slog.New(w))
	defer shut(t, run)
	run.training.learner.Trainer = &fading{Trainer: run.training.learner.Trainer, left: steps, others: others}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	err := run.Train(ctx)
	if err == nil && !run.Finished() {
		err = errors.New("the run does not come to its end")
	}
	return w, err
}

// never is more than the steps and other uses of a run.
const never = 1 << 30

// The learner's device may also be lost when a network is published, tested or measured, and when the learner is saved,
// the last time at the end of the run: then, too, the run ends, a synchronous one with the same network, and every
// generation has its point in the series.
func TestRunLosesTheLearnersDeviceAtATest(t *testing.T) {
	for _, mode := range []string{recipe.Sync, recipe.Async} {
		c := tiny(mode)
		c.Match.Gatekeeper.Games = 2
		whole := filepath.Join(t.TempDir(), "run")
		work(t, whole, c, -1)
		c.Learner.Device = "cpu, cpu"
		for others := 0; ; others++ {
			if others%4 > 0 && (testing.Short() || mode == recipe.Async) {
				continue
			}
			path := filepath.Join(t.TempDir(), "run")
			w, err := learnOn(t, path, c, never, others)
			if err != nil {
				t.Fatalf("%s, after %d uses: %v", mode, others, err)
			}
			if mode == recipe.Sync && final(t, whole) != final(t, path) {
				t.Errorf("after %d uses: the run has learned another network", others)
			}
			points, err := metrics.ReadLines(filepath.Join(path, "metrics.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			reported := map[int64]int{}
			for _, p := range points {
				if slices.ContainsFunc(p.Values, func(v metrics.Value) bool { return v.Name == "total/games" }) {
					reported[p.Step]++
				}
			}
			if !maps.Equal(reported, map[int64]int{1: 1, 2: 1, 3: 1}) {
				t.Errorf("%s, after %d uses: points of the generations %v", mode, others, reported)
			}
			if w.logged("cpu cannot be used for learning: it continues on cpu") == 0 {
				if t.Logf("%s: %d uses in a run", mode, others); others < 7 {
					t.Error("too few to tell")
				}
				break
			}
		}
	}
}

// A run whose learner loses its device continues to the same network: on the next device of the
// list, or when it is started again.
func TestRunLosesTheLearnersDevice(t *testing.T) {
	c := tiny(recipe.Sync)
	whole := filepath.Join(t.TempDir(), "run")
	work(t, whole, c, -1)
	for devices, advice := range map[string]string{
		c.Learner.Device: "learner.device=cpu,cpu",
		"cpu,opencl:99":  "opencl:99", // which cannot be used
	} {
		t.Run(devices, func(t *testing.T) {
			path, c := filepath.Join(t.TempDir(), "run"), c
			c.Learner.Device = devices
			_, err := learnOn(t, path, c, 20, never)
			if !errors.Is(err, learn.ErrLost) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "the same command continues") ||
				!strings.Contains(err.Error(), advice) {
				t.Errorf("got %v", err)
			}
			if finished, _ := work(t, path, c, -1); !finished {
				t.Error("the run does not continue")
			}
			if final(t, whole) != final(t, path) {
				t.Error("the run has learned another network")
			}
		})
	}
	c.Learner.Device = "cpu, cpu"
	for _, steps := range []int{0, 1, 13, 25, 26, 37, 38, 50} { // generations begin after 26 and 38, and the run ends after 51
		if testing.Short() && steps%26 > 0 {
			continue
		}
		path := filepath.Join(t.TempDir(), "run")
		w, err := learnOn(t, path, c, steps, never)
		if err != nil {
			t.Errorf("after %d steps: %v", steps, err)
		}
		if w.logged("cpu cannot be used for learning: it continues on cpu") != 1 {
			t.Errorf("after %d steps: logged %v", steps, w.lines)
		}
		if final(t, whole) != final(t, path) {
			t.Errorf("after %d steps: the run has learned another network", steps)
		}
	}
	c.Loop.Mode = recipe.Async
	if _, err := learnOn(t, filepath.Join(t.TempDir(), "run"), c, 20, never); err != nil {
		t.Errorf("asynchronous: %v", err)
	}
}

// A learner's device that is lost while a synchronous run plays games does not stop them: they would be played again.
func TestRunLosesTheLearnersDeviceDuringGames(t *testing.T) {
	c := tiny(recipe.Sync)
	c.Learner.Device = "cpu, cpu"
	whole, path := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	work(t, whole, c, -1)
	w := &watcher{left: -1}
	run := open(t, path, c, w, slog.New(w))
	lost := make(chan struct{})
	run.training.learner.Trainer = &fading{Trainer: run.training.learner.Trainer, left: never, lost: func() { close(lost) }}
	run.training.saved = time.Time{} // the first checkpoint is due
	run.PlayElsewhere(func(ctx context.Context, job selfplay.Job, networks selfplay.Networks, store *Store, observer observe.Observer) error {
		err := selfplay.Play(ctx, job, networks, store, observer)
		<-lost // the games last until then
		return err
	})
	if err := run.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	shut(t, run)
	if n := w.logged("cpu cannot be used for learning: it continues on cpu"); n != 1 {
		t.Errorf("the device was lost %d times", n)
	}
	if got, want := counters(t, path).Saved.Games, counters(t, whole).Saved.Games; got != want {
		t.Errorf("%d games were saved, want %d", got, want)
	}
	if final(t, whole) != final(t, path) {
		t.Error("the run has learned another network")
	}
}
