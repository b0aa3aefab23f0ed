package train

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	stdnet "net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"warren/data"
	"warren/internal/console"
	"warren/net"
)

// The test binary acts as the command itself if the environment says so.
func TestMain(m *testing.M) {
	if args, ok := os.LookupEnv("WARREN_TRAIN"); ok {
		os.Args = append([]string{"train"}, strings.Split(args, "\n")...)
		Main(console.Program("train"))
		return
	}
	os.Exit(m.Run())
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), "WARREN_TRAIN="+strings.Join(args, "\n"))
	return c
}

// brief holds the settings of a run whose generations take a fraction of a second.
func brief(path, mode string, generations int) []string {
	return []string{"--config", "smoke", "--run", path,
		"--set", "loop.mode=" + mode, "--set", fmt.Sprint("loop.generations=", generations), "--set", "loop.bootstrap_games=20", "--set", "loop.games_per_generation=6",
		"--set", "network.blocks=1", "--set", "network.channels=8", "--set", "selfplay.turn_limit=16",
		"--set", "data.games_per_shard=2", "--set", "match.every=3", "--set", "match.games=2"}
}

// A run that is killed repeatedly, at any moment, finishes in the end. No shard
// that it has written goes missing or is damaged. In synchronous mode its networks,
// and the learner's weights and moments, are those of a run that was never killed.
func TestKilledRunGoesOn(t *testing.T) {
	for _, mode := range []string{"async", "sync"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(7, 7))
			path := filepath.Join(t.TempDir(), "run")
			games := filepath.Join(path, "games")
			saved := map[string]bool{}
			look := func() {
				entries, _ := os.ReadDir(games) // the directory does not exist at first
				for _, e := range entries {
					if strings.HasPrefix(e.Name(), "games-") {
						saved[e.Name()] = true
					}
				}
			}
			kills := 0
			for finished := false; !finished; {
				if kills > 90 {
					t.Fatal("the run does not get on")
				}
				c := command(t, brief(path, mode, 6)...)
				var output bytes.Buffer
				c.Stdout, c.Stderr = &output, &output
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				exited := make(chan error, 1)
				go func() { exited <- c.Wait() }()
				var err error
				killed := false
				// A moment is one look into the directory. The moments grow, so that a
				// busy machine, too, gets on in the end.
				for left := rng.IntN(8000<<(kills/6)) + 500; ; left-- {
					look()
					if left == 0 {
						killed = c.Process.Kill() == nil
					}
					select {
					case err = <-exited:
					default:
						continue
					}
					break
				}
				text := output.String()
				if strings.Contains(text, "panic") || strings.Contains(text, "goroutine ") {
					t.Fatalf("a panic:\n%s", text)
				}
				if strings.Contains(text, "damaged") {
					t.Errorf("something was damaged:\n%s", text)
				}
				switch {
				case err == nil:
					finished = strings.Contains(text, "Finished.") || strings.Contains(text, "is finished")
					if !finished {
						t.Fatalf("it ended, but is not finished:\n%s", text)
					}
				case !killed:
					t.Fatalf("it failed, %v:\n%s", err, text)
				default:
					kills++
				}
			}
			if kills == 0 {
				t.Error("it was never killed")
			}
			for name := range saved {
				if _, err := os.Stat(filepath.Join(games, name)); err != nil {
					t.Errorf("a saved shard is missing: %v", err)
				}
			}
			index, err := data.Scan(games, nil)
			if err != nil || len(index.Damaged) > 0 || index.Games < 20+5*6 {
				t.Errorf("%d games, damaged %v, %v", index.Games, index.Damaged, err)
			}
			if mode == "sync" {
				whole := filepath.Join(t.TempDir(), "run")
				if output, err := command(t, brief(whole, mode, 6)...).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, output)
				}
				same(t, path, whole)
			}
			t.Logf("killed %d times", kills)
		})
	}
}

// same checks that two runs have the same networks and the same newest checkpoint.
func same(t *testing.T, a, b string) {
	t.Helper()
	networks, err := filepath.Glob(filepath.Join(b, "networks", "*.safetensors"))
	if err != nil || len(networks) != 7 {
		t.Fatalf("the networks are %v, %v", networks, err)
	}
	checkpoints, err := filepath.Glob(filepath.Join(b, "learner", "*.safetensors"))
	if err != nil || len(checkpoints) == 0 {
		t.Fatalf("the checkpoints are %v, %v", checkpoints, err)
	}
	for _, path := range append(networks, checkpoints[len(checkpoints)-1]) {
		want, _, err := net.LoadTensors(path)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := net.LoadTensors(strings.Replace(path, b, a, 1))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s differs from that of a run that was never killed", filepath.Base(path))
		}
	}
}

// An interrupted run saves everything and prints how to continue. One that had its rating when the interrupt came is
// finished.
func TestInterruptSaysHowToGoOn(t *testing.T) {
	interrupted(t, 1000, "msg=trained", 130, "everything is saved", "same command")
	interrupted(t, 3, "is rated", 0, "Finished. The newest network is ")
}

// interrupted interrupts a run at a line, and looks at its exit status and what it says.
func interrupted(t *testing.T, generations int, at string, status int, wants ...string) {
	t.Helper()
	c := command(t, brief(filepath.Join(t.TempDir(), "run"), "async", generations)...)
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	var text strings.Builder
	for lines.Scan() {
		text.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), at) {
			if err := c.Process.Signal(os.Interrupt); err != nil {
				c.Process.Kill()
				c.Wait()
				t.Skipf("this system has no interrupt to send: %v", err)
			}
			break
		}
	}
	rest, err := io.ReadAll(stderr)
	if err != nil {
		t.Fatal(err)
	}
	text.Write(rest)
	if c.Wait(); c.ProcessState.ExitCode() != status {
		t.Errorf("%v, want %d:\n%s", c.ProcessState, status, text.String())
	}
	for _, want := range wants {
		if !strings.Contains(text.String(), want) {
			t.Errorf("without %q, it said:\n%s", want, text.String())
		}
	}
}

func TestBadInputGetsOneLine(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("\x00\x01 not settings"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"did you mean the preset quick", []string{"--config", "quik", "--run", dir}},
		{"not YAML", []string{"--config", file, "--run", dir}},
		{"did you mean network.blocks", []string{"--run", dir, "--set", "network.block=3"}},
		{"network.blocks", []string{"--run", dir, "--set", "network.blocks=0"}},
		{"loop.mode", []string{"--run", dir, "--set", "loop.mode=asink"}},
		{"multiple of 8", []string{"--run", dir, "--set", "network.channels=12"}},
		{"beginning a run: ", []string{"--run", filepath.Join(file, "x")}},
		{"--http nowhere: ", []string{"--config", "smoke", "--run", filepath.Join(dir, "http"), "--http", "nowhere"}},
		{"unknown flag", []string{"--ran", dir}},
		{"--replicas is for a cluster", []string{"--run", dir, "--replicas", "3"}},
		{"--replicas is for a cluster", []string{"--run", dir, "--replicas", "3", "--listen", "nats://127.0.0.1:0"}},
		{"--replicas is -3, must be from 1 to 5", []string{"--run", dir, "--replicas", "-3", "--connect", "nats://127.0.0.1:1"}},
		{"--replay is for games that workers play", []string{"--run", dir, "--replay=-1"}},
	} {
		output, err := command(t, c.args...).CombinedOutput()
		text := strings.TrimSpace(string(output))
		if err == nil || !strings.Contains(text, c.want) || strings.Count(text, "\n") > 0 || strings.Contains(text, "goroutine") {
			t.Errorf("%q: %v, %q, want one line with %q", c.args, err, text, c.want)
		}
	}
}

// With a page the program stays when the training is over, and again when the run
// is already finished, but the hub does not. An interrupt ends it.
func TestPageStaysAfterTheTraining(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process can be interrupted here")
	}
	args := append(brief(filepath.Join(t.TempDir(), "my run"), "async", 1), "--http", "127.0.0.1:0")
	for _, more := range [][]string{nil, {"--listen", "nats://127.0.0.1:0", "--metrics", "127.0.0.1:0"}} {
		c := command(t, append(args, more...)...)
		said, err := c.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Process.Kill(); c.Wait() }) // of one that has not ended
		address, hub, figures := "", "", ""
		lines := bufio.NewScanner(said)
		for lines.Scan() {
			for text, to := range map[string]*string{`page is at (http://[^\s"]+)`: &address, `hub is at nats://([^\s";]+); add a worker with: train worker add NAME --run '[^']+/my run'"`: &hub, `metrics are at ([^\s"]+)`: &figures} {
				if m := regexp.MustCompile(text).FindStringSubmatch(lines.Text()); m != nil {
					*to = m[1]
				}
			}
			if strings.HasPrefix(lines.Text(), "The page stays open") {
				break
			}
		}
		r, err := http.Get(address + "api/events")
		if err != nil {
			t.Fatal(err)
		}
		events := bufio.NewScanner(r.Body)
		for events.Scan() && !strings.HasPrefix(events.Text(), "data:") {
		}
		if ended := "Training is finished."; !strings.Contains(events.Text(), ended) {
			t.Errorf("the page says %q, want %q", events.Text(), ended)
		}
		if more != nil {
			if hub == "" {
				t.Error("no line says where the hub is and how to add a worker")
			}
			if hub, err := stdnet.Dial("tcp", hub); err == nil {
				hub.Close()
				t.Error("the hub is there after the training")
			}
			figures, err := http.Get(figures)
			if err != nil {
				t.Fatal(err)
			}
			content, err := io.ReadAll(figures.Body)
			figures.Body.Close()
			if err != nil || !strings.Contains(string(content), "warren_hub_workers 0") {
				t.Errorf("the metrics are %v, %s", err, content)
			}
		}
		c.Process.Signal(os.Interrupt)
		r.Body.Close()
		for lines.Scan() {
		}
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// A start that is refused leaves nothing behind, and changes nothing that was there.
func TestRefusedStartLeavesNothing(t *testing.T) {
	taken, err := stdnet.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().String()
	parent := t.TempDir()
	path := filepath.Join(parent, "run")
	smoke := flags{Config: "smoke", Run: path, Replicas: usualReplicas, Replay: usualReplay}
	refused := func(want string, change func(f *flags)) {
		t.Helper()
		f := smoke
		change(&f)
		if err := f.run(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for want, change := range map[string]func(f *flags){
		"--http " + port:       func(f *flags) { f.HTTP = port },
		"--metrics " + port:    func(f *flags) { f.Metrics = port },
		"--listen " + port:     func(f *flags) { f.Listen, f.Set = "nats://"+port, []string{"loop.mode=async"} },
		"--http nowhere":       func(f *flags) { f.HTTP = "nowhere" },
		"give one of the two":  func(f *flags) { f.Listen, f.Connect = "nats://127.0.0.1:0", "nats://127.0.0.1:4222" },
		"loop.mode sync":       func(f *flags) { f.Listen, f.Set = "nats://127.0.0.1:0", []string{"loop.mode=sync"} },
		"a share of the games": func(f *flags) { f.Listen, f.Replay, f.Set = "nats://127.0.0.1:0", 2, []string{"loop.mode=async"} },
		"multiple of 8":        func(f *flags) { f.Set = []string{"network.channels=12"} },
		"no address to listen": func(f *flags) { f.Listen, f.Set = "http://127.0.0.1:0", []string{"loop.mode=async"} },
		"has no hub yet; first write the server's configuration: " + smoke.command.Line("server", "--run", path, "--store", "DIR"): func(f *flags) { f.Connect, f.Set = "nats://127.0.0.1:1", []string{"loop.mode=async"} },
		"opencl:98": func(f *flags) {
			f.Listen, f.Set = "nats://127.0.0.1:0", []string{"loop.mode=async", "device=opencl:98"}
		},
		"absent.safetensors": func(f *flags) {
			f.Listen, f.Set, f.From = "nats://127.0.0.1:0", []string{"loop.mode=async"}, filepath.Join(parent, "absent.safetensors")
		},
		"device":                 func(f *flags) { f.Set = []string{"device=opencl:99"} },
		"missing.safetensors":    func(f *flags) { f.From = filepath.Join(parent, "missing.safetensors") },
		"not a safetensors file": func(f *flags) { f.From = os.Args[0] },
		"engine none cannot be":  func(f *flags) { f.Set = []string{"match.baselines=aei:./none"} },
	} {
		refused(want, change)
		if entries, err := os.ReadDir(parent); err != nil || len(entries) != 0 {
			t.Fatalf("%s: left %v, %v", want, entries, err)
		}
	}
	other := filepath.Join(path, "README.md")
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	refused(`holds other things, such as "README.md"`, func(*flags) {})
	if entries, err := os.ReadDir(path); err != nil || len(entries) != 1 {
		t.Errorf("in a directory with other things: left %v, %v", entries, err)
	}
}
