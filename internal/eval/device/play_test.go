package device

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"warren/data"
	"warren/internal/eval"
	"warren/internal/nettest"
	"warren/internal/observe"
	"warren/internal/selfplay"
	"warren/mcts"
	"warren/net"
)

// games keeps games by their number.
type games struct {
	mu  sync.Mutex
	all map[uint64][]byte
}

func (g *games) Put(_ context.Context, r *data.Record) error {
	b, err := r.AppendBinary(nil)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all[r.Game] = b
	return err
}

// TestGraphicsPlay plays the same games on a graphics processor with 1, 2 and 8 workers, each
// alone on a stream and with all batches merged.
func TestGraphicsPlay(t *testing.T) {
	n := nettest.New(t, net.Config{Blocks: 2, Channels: 16, PoolEvery: 2, PolicyChannels: 8, ValueChannels: 4, ValueHidden: 16}, 1)
	for _, name := range []string{"opencl:0", "opencl:0/fp16"} {
		network, err := Play(n, eval.Origin{Generation: 1}, name)
		if err != nil {
			t.Skipf("not tested here: %v", err)
		}
		if a := network.Attributes(); a.Device != "opencl:0" || !strings.HasPrefix(a.Path, "opencl-fp") {
			t.Errorf("%s: attributes are %+v", name, a)
		}
		merged := *network
		merged.Backend = eval.Merge(network.Backend)
		var first map[uint64][]byte
		for _, workers := range []int{1, 2, 8, -8} {
			c := selfplay.DefaultConfig()
			c.Workers, c.GamesPerWorker = max(workers, -workers), 2
			c.Visits.Final, c.FastVisits = 8, 2
			c.TurnLimit, c.RandomOpenings, c.FullFraction, c.Visits.Games = 8, 0, 0.25, 0
			job := selfplay.Job{Rules: selfplay.Rules{Config: c, Search: mcts.AlphaZeroConfig(), Settings: "s"}, Run: "test", Seed: 5, Count: 8}
			on := network
			if workers < 0 {
				on = &merged
			}
			played := &games{all: map[uint64][]byte{}}
			if err := selfplay.Play(t.Context(), job, selfplay.Always{Network: on}, played, new(observe.Counts)); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = played.all
			}
			if len(played.all) != 8 {
				t.Errorf("%s, %d workers: %d games", name, workers, len(played.all))
			}
			for number, game := range played.all {
				if !bytes.Equal(game, first[number]) {
					t.Errorf("%s: game %d is another with %d workers", name, number, workers)
				}
			}
		}
	}
}

// TestGraphicsPool plays the same games on one graphics processor and on two together. pocl offers the processor
// as two, if its environment says so, which must be set before it is loaded: the test runs itself again.
func TestGraphicsPool(t *testing.T) {
	const two = "POCL_DEVICES"
	if os.Getenv(two) == "" {
		if err := Check("opencl:0"); err != nil {
			t.Skip(err)
		}
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestGraphicsPool$", "-test.v")
		again.Env = append(os.Environ(), two+"=pthread pthread")
		out, err := again.CombinedOutput()
		switch {
		case err != nil:
			t.Errorf("%v\n%s", err, out)
		case bytes.Contains(out, []byte("--- SKIP")):
			t.Skipf("not tested here:\n%s", out)
		}
		return
	}
	if err := Check("opencl:1"); err != nil {
		t.Skip(err)
	}
	n := small(t)
	all := map[string]map[uint64][]byte{}
	for _, name := range []string{"opencl:0", "opencl:0+opencl:1"} {
		network, err := Play(n, eval.Origin{Generation: 1}, name)
		if err != nil {
			t.Fatal(err)
		}
		c := selfplay.DefaultConfig()
		c.Workers, c.GamesPerWorker = 2, 2
		c.Visits = selfplay.VisitsConfig{Initial: 8, Final: 8}
		c.FastVisits, c.TurnLimit, c.RandomOpenings = 2, 8, 0
		played := &games{all: map[uint64][]byte{}}
		job := selfplay.Job{Rules: selfplay.Rules{Config: c, Search: mcts.AlphaZeroConfig(), Settings: "s"}, Run: "test", Seed: 5, Count: 12}
		if err := selfplay.Play(t.Context(), job, selfplay.Always{Network: network}, played, new(observe.Counts)); err != nil {
			t.Fatal(err)
		}
		all[name] = played.all
	}
	if one, two := all["opencl:0"], all["opencl:0+opencl:1"]; len(one) != 12 || !maps.EqualFunc(one, two, bytes.Equal) {
		t.Errorf("%d games on one device, %d others on two", len(one), len(two))
	}
	if _, err := Play(n, eval.Origin{}, "opencl:0+opencl:1/fp16"); err == nil || !strings.Contains(err.Error(), "computes on the path opencl-fp32 and opencl:1/fp16 on opencl-fp16") {
		t.Errorf("devices of two paths: %v", err)
	}
}

func TestGraphicsNames(t *testing.T) {
	for name, want := range map[string]string{
		"opencl:x":       "write opencl:0",
		"opencl:99":      "opencl",
		"cuda:-1":        "write cuda:0",
		"opencl:0/fp8":   "opencl",
		"openclx":        "there is no device",
		"opencl:0/fp16/": "opencl",
	} {
		if err := Check(name); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want one line with %q", name, err, want)
		}
	}
	if lines := Graphics(); len(lines) < len(drivers) {
		t.Errorf("%d drivers, and only %q", len(drivers), lines)
	}
}
