package selfplay

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"warren/data"
	"warren/internal/eval"
	"warren/internal/eval/cpu"
	"warren/internal/eval/evaltest"
	"warren/internal/nettest"
	"warren/internal/observe"
)

// small returns the plan of a small network on the processor.
func small(t *testing.T) eval.Backend {
	t.Helper()
	b, err := cpu.New(nettest.New(t, nettest.Small, 1))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fake returns a device that computes as the back end does.
func fake(b eval.Backend) *evaltest.Device {
	return &evaltest.Device{Backend: b, Name: "fake", Best: 12, Most: 12, Depth: 2}
}

// networkOn returns a network of generation 1.
func networkOn(b eval.Backend) *eval.Network {
	return &eval.Network{Backend: b, Hash: "small", Origin: eval.Origin{Generation: 1}}
}

func shortJob(workers, gamesPerWorker int) Job {
	job := testJob(workers, gamesPerWorker)
	job.Config.TurnLimit = 8
	return job
}

// playOn plays the job's games with a network, and returns them with its error.
func playOn(t *testing.T, job Job, n *eval.Network) (map[uint64]*data.Record, error) {
	t.Helper()
	var c collector
	err := Play(t.Context(), job, Always{n}, &c, observe.Nobody)
	if len(c.twice) > 0 {
		t.Errorf("games %v came twice", c.twice)
	}
	return c.games, err
}

// count returns the number of games so far.
func (c *collector) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.games)
}

// Games on a device are the same for any number of workers and any batches.
func TestGamesDoNotDependOnTheDevicesBatches(t *testing.T) {
	plan := small(t)
	var want map[uint64]*data.Record
	for _, workers := range []int{1, 2, 8} {
		for _, games := range []int{0, 3} {
			d := fake(plan)
			d.Best += workers
			d.Most = d.Best
			got, err := playOn(t, shortJob(workers, games), networkOn(eval.Merge(d)))
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if len(got) != 12 {
				t.Fatalf("%d games, want 12", len(got))
			}
			for number, r := range got {
				if r.EvalPath != "fake" {
					t.Fatalf("game %d says it was evaluated by %q", number, r.EvalPath)
				}
				if !bytes.Equal(encode(t, r), encode(t, want[number])) {
					t.Errorf("%d workers with %d games each: game %d differs", workers, games, number)
				}
			}
		}
	}
}

// Searches that come back to a position do not ask the processor again. The games are the same as on a device that is
// always asked.
func TestTheProcessorIsAskedOnce(t *testing.T) {
	plan := small(t)
	var games [2]map[uint64]*data.Record
	var asked [2]int
	for i, depth := range []int{1, 2} {
		d := fake(plan)
		d.Depth, d.Most = depth, 64
		var err error
		if games[i], err = playOn(t, shortJob(1, 16), networkOn(d)); err != nil {
			t.Fatal(err)
		}
		for _, n := range d.Sizes() {
			asked[i] += n
		}
	}
	if asked[0] >= asked[1] {
		t.Errorf("the processor evaluated %d positions, another device %d", asked[0], asked[1])
	}
	for number, r := range games[0] {
		if !bytes.Equal(encode(t, r), encode(t, games[1][number])) {
			t.Errorf("game %d differs", number)
		}
	}
	t.Logf("%d of %d evaluations", asked[0], asked[1])
}

// The games are enough to fill the device twice: with one batch while the other is
// searched.
func TestTheDeviceIsKeptBusy(t *testing.T) {
	plan := small(t)
	synctest.Test(t, func(t *testing.T) {
		d := fake(plan)
		d.Best, d.Most = 64, 64
		turn := make(chan bool, 1)
		d.Fault = func(int) error { // one batch at a time
			turn <- true
			time.Sleep(time.Millisecond) // of the bubble's clock
			<-turn
			return nil
		}
		job := shortJob(2, 0)
		job.Count = 150
		if workers, games := job.Config.Load(d.Attributes()); workers != 4 || games != 32 {
			t.Errorf("%d workers with %d games each, want 4 with 32", workers, games)
		}
		begin := time.Now()
		if _, err := playOn(t, job, networkOn(eval.Merge(d))); err != nil {
			t.Fatal(err)
		}
		sizes, full := d.Sizes(), 0
		if took, busy := time.Since(begin), d.Attributes().Usage.Busy(); busy < took*9/10 || busy < time.Duration(len(sizes))*time.Millisecond {
			t.Errorf("the device was busy for %v of %v, in %d batches of a millisecond", busy, took, len(sizes))
		}
		early := sizes[:len(sizes)/3] // later there are fewer games
		for _, n := range early {
			if n == d.Best {
				full++
			}
		}
		if 10*full < 9*len(early) || d.MostInFlight() != 2 {
			t.Errorf("%d of the first %d batches are full, at most %d were in flight", full, len(early), d.MostInFlight())
		}
	})
	if workers, games := new(Config).Load(plan.Attributes()); workers != runtime.GOMAXPROCS(0) || games != 16 {
		t.Errorf("on the processor %d workers with %d games each, want one per core with 16", workers, games)
	}
}

// faults are the ways in which a device is lost, by a part of their message. Those that come
// while it works come once a game has been finished, whatever batches that took.
var faults = map[string]func(*evaltest.Device, *collector){
	"unplugged": func(d *evaltest.Device, c *collector) {
		d.Fault = func(int) error {
			if c.count() > 0 {
				return fmt.Errorf("unplugged: %w", eval.ErrLost)
			}
			return nil
		}
	},
	"no memory":     func(d *evaltest.Device, _ *collector) { d.Full = fmt.Errorf("no memory: %w", eval.ErrLost) },
	"wrong results": func(d *evaltest.Device, c *collector) { d.Wrong = func(int) bool { return c.count() > 0 } },
}

func TestALostDeviceEndsTheJob(t *testing.T) {
	plan := small(t)
	whole, err := playOn(t, shortJob(2, 1), networkOn(eval.Merge(fake(plan))))
	if err != nil {
		t.Fatal(err)
	}
	for message, fault := range faults {
		var c collector
		d := fake(plan)
		fault(d, &c)
		err := Play(t.Context(), shortJob(2, 1), Always{networkOn(eval.Merge(eval.Checked(d, plan)))}, &c, observe.Nobody)
		got := c.games
		if !errors.Is(err, eval.ErrLost) || !strings.Contains(err.Error(), message) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", message, err)
		}
		if len(got) == len(whole) || message == "unplugged" && len(got) == 0 || len(c.twice) > 0 {
			t.Errorf("%s: %d games were finished, %v came twice", message, len(got), c.twice)
		}
		for number, r := range got {
			if message != "wrong results" && !bytes.Equal(encode(t, r), encode(t, whole[number])) {
				t.Errorf("%s: game %d differs", message, number)
			}
		}
		if n := d.Streams(); n != 0 {
			t.Errorf("%s: %d streams of the device are open", message, n)
		}
	}
}

// One of several devices that is lost leaves the others working: the job goes on, no game begins again, and the games are
// those of a single device.
func TestOneOfSeveralDevicesIsLost(t *testing.T) {
	plan := small(t)
	whole, err := playOn(t, shortJob(4, 2), networkOn(eval.Merge(fake(plan))))
	if err != nil {
		t.Fatal(err)
	}
	for message, fault := range faults {
		if message == "wrong results" {
			continue // games have some of them
		}
		var c collector
		lost, other := fake(plan), fake(plan)
		lost.Name, lost.Path, other.Name, other.Path = "lost", "fake", "other", "fake"
		fault(lost, &c)
		job := shortJob(4, 2)
		job.Lost = func(_ *eval.Network, err error) (*eval.Network, error) {
			t.Errorf("%s: games begin again: %v", message, err)
			return nil, err
		}
		if err := Play(t.Context(), job, Always{networkOn(eval.Merge(lost, other))}, &c, observe.Nobody); err != nil {
			t.Errorf("%s: %v", message, err)
		}
		if len(c.games) != len(whole) || len(c.twice) > 0 {
			t.Errorf("%s: %d games, %v came twice", message, len(c.games), c.twice)
		}
		for number, r := range c.games {
			if !bytes.Equal(encode(t, r), encode(t, whole[number])) {
				t.Errorf("%s: game %d differs", message, number)
			}
		}
	}
}

// With another device, a job whose device is lost plays all games, each on one of the two
// from its beginning to its end.
func TestALostDeviceIsReplaced(t *testing.T) {
	plan := small(t)
	on := map[string]map[uint64]*data.Record{}
	for path, b := range map[string]eval.Backend{"fake": eval.Merge(fake(plan)), plan.Attributes().Path: plan} {
		games, err := playOn(t, shortJob(2, 1), networkOn(b))
		if err != nil {
			t.Fatal(err)
		}
		on[path] = games
	}
	for message, fault := range faults {
		var c collector
		d := fake(plan)
		fault(d, &c)
		lost := networkOn(eval.Merge(eval.Checked(d, plan)))
		instead := networkOn(plan)
		var told atomic.Int32
		job := shortJob(2, 1)
		job.Lost = func(n *eval.Network, err error) (*eval.Network, error) {
			if n != lost || !strings.Contains(err.Error(), message) {
				t.Errorf("%s: lost %v with %v", message, n, err)
			}
			told.Add(1)
			return instead, nil
		}
		source := &changing{networks: []*eval.Network{lost, instead}}
		if err := Play(t.Context(), job, source, &c, observe.Nobody); err != nil {
			t.Errorf("%s: %v", message, err)
		}
		if len(c.games) != 12 || len(c.twice) > 0 || told.Load() == 0 {
			t.Errorf("%s: %d games, %v came twice, told %d times", message, len(c.games), c.twice, told.Load())
		}
		replaced := 0
		for number, r := range c.games {
			if r.EvalPath != "fake" {
				replaced++
			}
			if message != "wrong results" && !bytes.Equal(encode(t, r), encode(t, on[r.EvalPath][number])) {
				t.Errorf("%s: game %d differs from that on %s", message, number, r.EvalPath)
			}
		}
		if replaced == 0 || message == "unplugged" && replaced == 12 {
			t.Errorf("%s: %d games were played on the other device", message, replaced)
		}
	}
}
