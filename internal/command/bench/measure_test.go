package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"warren/game"
	"warren/internal/nettest"
	"warren/net"
	"warren/net/onnx"
)

func TestMedianAndRatio(t *testing.T) {
	ours, theirs := rates{30, 10, 20, 25}, rates{10, 5, 4, 5}
	if m := ours.median(); m != 22.5 {
		t.Errorf("median %v, want 22.5", m)
	}
	if m := ours[:3].median(); m != 20 {
		t.Errorf("median of three %v, want 20", m)
	}
	if got, want := ours.over(theirs), "**4.50** (2.00-5.00)"; got != want {
		t.Errorf("ratio %q, want %q", got, want)
	}
	if !slices.Equal(ours, rates{30, 10, 20, 25}) {
		t.Error("the rounds were put in another order")
	}
}

func TestRandomBatchIsWhatSelfPlayGives(t *testing.T) {
	b, games := randomBatch(1)
	illegal, setups := 0, 0
	for i := range positions {
		sum := 0.0
		var want net.Bits
		if net.EncodeBits(games[i], &want); b.Bits[i] != want {
			t.Fatalf("position %d is another one than its planes", i)
		}
		for a := range game.NumActions {
			p := b.Targets[0].Values[i*game.NumActions+a]
			sum += float64(p)
			if p > 0 && !b.Legal[i*game.NumActions+a] {
				illegal++
			}
		}
		if b.Legal[i*game.NumActions+int(game.PlaceAction(game.Rabbit))] {
			setups++
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Fatalf("position %d: the policy sums to %v", i, sum)
		}
	}
	if illegal > 0 || setups == 0 || setups > positions/2 {
		t.Errorf("%d targets for illegal actions, %d positions of the setup", illegal, setups)
	}
	if again, _ := randomBatch(1); !slices.Equal(b.Bits, again.Bits) || !slices.Equal(b.Targets[0].Values, again.Targets[0].Values) {
		t.Error("the same seed gave another batch")
	}
}

func TestDifference(t *testing.T) {
	policy, value := make([]float32, positions*game.NumActions), make([]float32, positions)
	raw := make([]byte, 4*(len(policy)+len(value)))
	set := func(i int, v float32) { binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(v)) }
	set(5, 0.25)
	set(len(policy)+3, -0.5)
	if l, v, err := difference(raw, policy, value); err != nil || l != 0.25 || v != 0.5 {
		t.Errorf("got %v, %v, %v", l, v, err)
	}
	set(7, float32(math.NaN()))
	if l, _, _ := difference(raw, policy, value); l <= tolerance || !math.IsNaN(l) {
		t.Errorf("a NaN differs by %v", l)
	}
	if _, _, err := difference(raw[4:], policy, value); err == nil {
		t.Error("outputs that are too short gave no error")
	}
}

func TestTorchComputesOnTheSameCard(t *testing.T) {
	for _, c := range []struct{ device, torch, want string }{
		{"", "", ""}, {"cuda:0", "", "cuda:0"}, {"cuda:1/int8", "", "cuda:1"}, {"cuda:0/fp32", "", "cuda:0"}, {"cuda", "", "cuda"},
		{"opencl:0", "", "cpu"}, {"amx", "", "cpu"}, {"opencl:0", "cuda:1", "cuda:1"}, {"cuda:0/int8", "cpu", "cpu"},
	} {
		f := flags{Device: c.device, Torch: c.torch}
		if got := f.torch(); got != c.want {
			t.Errorf("--device %q --torch %q: PyTorch computes on %q, want %q", c.device, c.torch, got, c.want)
		}
	}
}

// TestMain runs this test program as a peer if the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv("BENCH_PEER") == "" {
		os.Exit(m.Run())
	}
	if os.Getenv("BENCH_PEER") == "broken" {
		fmt.Fprintln(os.Stderr, "Traceback\nModuleNotFoundError: No module named torch\n\nPython 3")
		os.Exit(1)
	}
	if os.Getenv("BENCH_PEER") == "interrupting at once" {
		interrupt()
	}
	fmt.Println(`{"name":"Peer 1.0"}`)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if os.Getenv("BENCH_PEER") == "interrupting" {
			interrupt()
		}
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil || r.Op != inference {
			fmt.Println(`{"error":"does not"}`)
			continue
		}
		fmt.Printf("{\"rate\":%d}\n", 100*r.Threads+r.Batch)
	}
}

// interrupt is what Ctrl-C does to the program that has started this one, which ends it.
func interrupt() {
	parent, err := os.FindProcess(os.Getppid())
	if err == nil {
		err = parent.Signal(os.Interrupt)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
	io.Copy(io.Discard, os.Stdin)
}

// Ctrl-C is not told as a failure of another program.
func TestInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process there can send Ctrl-C to its parent alone")
	}
	f := &flags{Command: inference, Size: "1x8", Rounds: 1, Time: time.Millisecond, Batch: []int{1}, Threads: []int{1}, Peers: []string{"pytorch"}, Python: os.Args[0]}
	for _, when := range []string{"interrupting at once", "interrupting"} {
		t.Setenv("BENCH_PEER", when)
		ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt)
		defer stop()
		if err := f.run(ctx, io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", when, err)
		}
	}
}

func TestPeer(t *testing.T) {
	t.Setenv("BENCH_PEER", "sound")
	p, err := startPeer(context.Background(), os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if p.name != "Peer 1.0" {
		t.Errorf("the peer's name is %q", p.name)
	}
	var got []string
	for _, w := range p.ways(job{op: inference, batch: 8, threads: 2}) {
		rate, err := w.run()
		got = append(got, fmt.Sprint(w.name, " ", rate, " ", err))
	}
	// Two threads on one batch, and one thread in each of two processes.
	if want := []string{"2 threads 208 <nil>", "2 processes 216 <nil>"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	p.device = true
	if ways := p.ways(job{op: inference, batch: 8, threads: 2}); len(ways) != 1 {
		t.Errorf("a device is used in %d ways", len(ways))
	}
	if _, err := p.losses(1, 1, 1); err == nil || err.Error() != "Peer 1.0: does not" {
		t.Errorf("a refusal gave %v", err)
	}
}

func TestBrokenPeerGivesItsLastWords(t *testing.T) {
	t.Setenv("BENCH_PEER", "broken")
	_, err := startPeer(context.Background(), os.Args[0])
	if err == nil || !strings.Contains(err.Error(), "No module named torch") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want one line with the error of the process", err)
	}
	if _, err := startPeer(context.Background(), "no-such-program"); err == nil {
		t.Error("starting a missing program gave no error")
	}
}

// A device does both kinds of work. The processor stands for all of them.
func TestDevice(t *testing.T) {
	c, err := (&flags{Size: "1x8"}).size()
	if err != nil {
		t.Fatal(err)
	}
	m, err := newMaterial("", c)
	if err != nil {
		t.Fatal(err)
	}
	defer m.remove()
	a := &accelerated{material: m, name: "cpu"}
	for _, j := range []job{{op: inference, batch: 32, threads: 2, time: time.Millisecond}, {op: training, batch: 32, threads: 1, time: time.Millisecond}} {
		if rate, err := a.rate(j); err != nil || rate <= 0 {
			t.Errorf("%s: %g positions/s, %v", j.op, rate, err)
		}
		if j.op == inference && len(a.streams) != 2 {
			t.Errorf("there are %d streams", len(a.streams))
		}
	}
	if a.steps == 0 {
		t.Error("no training step was made")
	}
	if err := a.close(); err != nil {
		t.Error(err)
	}
	a.name = "cuda:99"
	if _, err := a.rate(job{op: inference, batch: 1}); err == nil {
		t.Error("a device that does not exist evaluated positions")
	}
}

// A network of a run has auxiliary heads, which no other program computes.
func TestAuxiliaryHeadsAreLeftOut(t *testing.T) {
	c, err := (&flags{Size: "1x8"}).size()
	if err != nil {
		t.Fatal(err)
	}
	c.Auxiliary = "survival stopped"
	path := nettest.Save(t, filepath.Join(t.TempDir(), "network.safetensors"), nettest.New(t, c, 1), nil)
	m, err := newMaterial(path, net.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.remove()
	if outputs := len(onnx.Outputs(m.network.Config)); outputs != 2 {
		t.Errorf("the model of the others has %d outputs", outputs)
	}
	w := &warren{material: m}
	defer w.close()
	if losses, err := w.losses(32, 1, 1); err != nil || len(losses) != 1 {
		t.Errorf("a training step: %v, %v", losses, err)
	}
}

// The other programs count every batch as a whole one, so there must be no rest.
func TestBatchesAreWhole(t *testing.T) {
	for batch, ok := range map[int]bool{0: false, 1: true, 3: false, 3000: false, positions: true, 2 * positions: false} {
		f := &flags{Batch: []int{batch}, Rounds: 1, Time: time.Second}
		if err := f.check(); (err == nil) != ok {
			t.Errorf("--batch %d: %v", batch, err)
		}
	}
}

// A flag without effect is refused.
func TestFlagsWithoutEffect(t *testing.T) {
	for want, f := range map[string]*flags{
		"--torch cuda:0: it is for --device": {Command: inference, Torch: "cuda:0"},
		"check has no --batch":               {Command: checking, Batch: []int{8}},
		"check has no --batch and no --t":    {Command: checking, Threads: []int{2}},
		"check has no --device":              {Command: checking, Device: "cuda:0"},
	} {
		f.Rounds, f.Time = 1, time.Second
		if err := f.check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestSize(t *testing.T) {
	for _, bad := range []string{"", "10", "10x", "x128", "10x128x2", "+1x8", "ten"} {
		if c, err := (&flags{Size: bad}).size(); err == nil {
			t.Errorf("--size %q is %v", bad, c)
		}
	}
	if c, err := (&flags{Size: "10x128"}).size(); err != nil || c.Blocks != 10 || c.Channels != 128 || c.Validate() != nil {
		t.Errorf("10x128 is %v, %v", c, err)
	}
}
