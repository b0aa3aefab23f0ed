package hub

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The wire between two machines: packets take this long each way, and this share of them is lost.
const (
	wireDelay = 50 * time.Millisecond
	wireLoss  = 0.01
)

// machine is a network namespace.
type machine struct {
	t    *testing.T
	name string
}

// newMachine makes a network namespace, or skips the test where that is not allowed.
func newMachine(t *testing.T, name string) *machine {
	t.Helper()
	m := &machine{t, fmt.Sprintf("warren-%d-%s", os.Getpid(), name)}
	if out, err := exec.Command("ip", "netns", "add", m.name).CombinedOutput(); err != nil {
		t.Skipf("no network namespaces here, which need root and ip: %v %s", err, out)
	}
	t.Cleanup(func() { exec.Command("ip", "netns", "del", m.name).Run() })
	m.ip("link", "set", "lo", "up")
	return m
}

func (m *machine) ip(args ...string) {
	m.t.Helper()
	if out, err := exec.Command("ip", append([]string{"-n", m.name}, args...)...).CombinedOutput(); err != nil {
		m.t.Fatalf("ip %q: %v %s", args, err, out)
	}
}

// command returns a command on the machine.
func (m *machine) command(args ...string) *exec.Cmd {
	return exec.Command("ip", append([]string{"netns", "exec", m.name}, args...)...)
}

// plug gives a machine a network interface and returns its other end, which carries IP packets.
func (m *machine) plug(name, address string) *os.File {
	m.t.Helper()
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		m.t.Skipf("no network interfaces of programs here: %v", err)
	}
	request, err := unix.NewIfreq(name)
	if err != nil {
		m.t.Fatal(err)
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		unix.Close(fd)
		m.t.Skipf("no network interfaces of programs here: %v", err)
	}
	end := os.NewFile(uintptr(fd), name)
	m.t.Cleanup(func() { end.Close() })
	if out, err := exec.Command("ip", "link", "set", name, "netns", m.name).CombinedOutput(); err != nil {
		m.t.Fatalf("moving %s: %v %s", name, err, out)
	}
	m.ip("addr", "add", address, "dev", name)
	m.ip("link", "set", name, "up")
	return end
}

// wire connects two machines.
func wire(t *testing.T, n int, a, b *machine) {
	t.Helper()
	pid := os.Getpid() % 100000
	one := a.plug(fmt.Sprintf("w%dx%da", pid, n), fmt.Sprintf("10.77.%d.1/24", n))
	two := b.plug(fmt.Sprintf("w%dx%db", pid, n), fmt.Sprintf("10.77.%d.2/24", n))
	go carry(one, two, uint64(n))
	go carry(two, one, uint64(n)+100)
}

// carry carries packets until an end is closed. It delays all of them and loses some.
func carry(from, to *os.File, seed uint64) {
	type packet struct {
		due     time.Time
		content []byte
	}
	line := make(chan packet, 10_000)
	defer close(line)
	go func() {
		for p := range line {
			<-time.After(time.Until(p.due))
			to.Write(p.content) // a packet that cannot be written is lost
		}
	}()
	rng := rand.New(rand.NewPCG(seed, 1))
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if errors.Is(err, os.ErrClosed) {
			return
		}
		if err != nil || rng.Float64() < wireLoss {
			continue
		}
		select {
		case line <- packet{time.Now().Add(wireDelay), bytes.Clone(buffer[:n])}:
		default:
		}
	}
}

// Machines train together: a learner and two workers in network namespaces, whose packets are delayed and lost on the
// way.
func TestMachinesTrainTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	if os.Getuid() != 0 {
		t.Skip("network namespaces need root")
	}
	dir := t.TempDir()
	learner, first, second := newMachine(t, "learner"), newMachine(t, "first"), newMachine(t, "second")
	wire(t, 1, learner, first)
	wire(t, 2, learner, second)
	warren, run := filepath.Join(dir, "warren"), filepath.Join(dir, "run")
	must := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	must("go", "build", "-buildvcs=false", "-o", warren, "warren/cmd/warren")
	var texts [3]bytes.Buffer
	start := func(i int, m *machine, args ...string) *exec.Cmd {
		t.Helper()
		c := m.command(args...)
		c.Stdout, c.Stderr = &texts[i], &texts[i]
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			c.Process.Kill()
			c.Wait()
			if t.Failed() {
				t.Logf("%v says:\n%s", args, texts[i].String())
			}
		})
		return c
	}
	for _, name := range []string{"first", "second"} {
		must(warren, "train", "worker", "add", name, "--run", run, "--creds", filepath.Join(dir, name+".creds"))
	}
	c := start(0, learner, warren, "train", "--config", "smoke", "--run", run, "--listen", "nats://0.0.0.0:4222",
		"--set", "loop.mode=async", "--set", "loop.generations=99999", "--set", "loop.bootstrap_games=40", "--set", "loop.games_per_generation=20",
		"--set", "network.blocks=1", "--set", "network.channels=8", "--set", "selfplay.turn_limit=16",
		"--set", "data.games_per_shard=5", "--set", "match.every=2", "--set", "match.games=4")
	s := &site{}
	s.await(t, func() bool {
		_, err := os.Stat(filepath.Join(run, "hub", activityFile))
		return err == nil
	})
	var workers []*exec.Cmd
	for i, m := range []*machine{first, second} {
		name := []string{"first", "second"}[i]
		workers = append(workers, start(1+i, m, warren, "selfplay", "--connect", fmt.Sprintf("nats://10.77.%d.1:4222", 1+i),
			"--creds", filepath.Join(dir, name+".creds"), "--spool", filepath.Join(dir, name)))
	}
	// It continues until both workers have had a part in it, however late one starts.
	s.await(t, func() bool {
		networks, err := filepath.Glob(filepath.Join(run, "networks", "gen-*.safetensors"))
		return err == nil && len(networks) >= 4 && len(played(t, run)) == 2
	})
	c.Process.Signal(os.Interrupt)
	const interrupted = 130
	if c.Wait(); c.ProcessState.ExitCode() != interrupted || !strings.Contains(texts[0].String(), "everything is saved") {
		t.Fatalf("the learner ended with %v", c.ProcessState)
	}
	for _, w := range workers {
		w.Process.Signal(os.Interrupt)
		if w.Wait(); w.ProcessState.ExitCode() != interrupted {
			t.Errorf("a worker ended with %v", w.ProcessState)
		}
	}
	activities := played(t, run)
	for _, a := range activities {
		if a.refused() > 0 {
			t.Errorf("%+v", a)
		}
		t.Logf("%s: %d games, over a wire of %v each way that loses %g of the packets", a.Name, a.Games, wireDelay, wireLoss)
	}
}

// played returns what is known of the workers whose games have counted.
func played(t *testing.T, run string) []Activity {
	t.Helper()
	keys, err := OpenKeys(filepath.Join(run, "hub"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := keys.Activities()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(a Activity) bool { return a.Games == 0 })
}
