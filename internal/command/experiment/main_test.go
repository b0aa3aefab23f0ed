package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"warren/data"
	"warren/data/datatest"
	"warren/internal/arena"
	"warren/internal/console"
	"warren/internal/experiment"
	"warren/internal/nettest"
	"warren/net"
)

// The test binary is the command itself when it is told so, and a worker when the
// command has started it.
func TestMain(m *testing.M) {
	args, ok := os.LookupEnv("WARREN_EXPERIMENT")
	switch {
	case len(os.Args) > 1 && os.Args[1] == experiment.Worker:
		Main(console.Program("experiment"))
	case ok:
		os.Args = append([]string{"experiment"}, strings.Split(args, "\n")...)
		Main(console.Program("experiment"))
	default:
		os.Exit(m.Run())
	}
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	// Without a path there is no nice, under which workers would wait for all other tests.
	c.Env = append(os.Environ(), "WARREN_EXPERIMENT="+strings.Join(args, "\n"), "PATH=")
	return c
}

// brief is an experiment of two variants with two seeds, a second of processor time
// each.
func brief(path string) []string {
	return []string{"--base", "smoke", "--variant", "a:" + small, "--variant", "b:search.cpuct_init=0.5," + small,
		"--seeds", "2", "--budget", "1s", "--milestones", "0.5", "--games", "2", "--milestone-games", "2",
		"--no-standard-references", "--reference", "random", "--turn-limit", "20", "--cores", "2", "--out", path}
}

const small = "loop.bootstrap_games=20,loop.games_per_generation=6,network.blocks=1,network.channels=8,selfplay.turn_limit=16,data.games_per_shard=2"

// output is what a process writes, to be looked at while it does.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// firstNetwork saves a network for the runs of brief to begin with.
func firstNetwork(t *testing.T) (path string) {
	t.Helper()
	v, err := experiment.ParseVariant("smoke", "a:"+small)
	if err != nil {
		t.Fatal(err)
	}
	return nettest.Save(t, filepath.Join(t.TempDir(), "first.safetensors"), nettest.New(t, v.Settings.Network, 5), nil)
}

// An experiment whose processes are killed again and again, the workers or the one
// that has started them, is complete in the end, and nothing is played twice.
func TestKilledExperimentGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes many seconds")
	}
	rng := rand.New(rand.NewPCG(9, 9))
	path, first := filepath.Join(t.TempDir(), "experiment"), firstNetwork(t)
	kills, attempts := 0, 0
	for complete := false; !complete; {
		if attempts++; attempts > 20 {
			t.Fatal("the experiment does not get on")
		}
		c := command(t, append(brief(path), "--from", first)...)
		said := &output{}
		c.Stdout, c.Stderr = said, said
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		exited := make(chan error, 1)
		go func() { exited <- c.Wait() }()
		killed := false
		if kills < 6 {
			if killed = killLater(t, path, rng, c.Process, exited); killed {
				kills++
			}
		}
		err := <-exited
		text := said.String()
		if strings.Contains(text, "panic") || strings.Contains(text, "goroutine ") {
			t.Fatalf("a panic:\n%s", text)
		}
		complete = err == nil && strings.Contains(text, "Finished.")
		if !complete && !killed {
			t.Fatalf("it failed, %v:\n%s", err, text)
		}
	}
	t.Logf("killed %d times", kills)
	if kills == 0 {
		t.Error("it was never killed")
	}
	checkGames(t, path)
	checkFirst(t, path, first)
	checkMatches(t, path)
	checkReport(t, path)
}

// killLater kills the newest worker or the process that has started it at some
// moment, and reports false if that one ended before. Looking at the logs is what
// the moments are counted in.
func killLater(t *testing.T, path string, rng *rand.Rand, parent *os.Process, exited <-chan error) bool {
	t.Helper()
	var workers []int
	for range rng.IntN(6000) + 1000 {
		if workers = started(t, path); len(exited) > 0 {
			return false
		}
	}
	if len(workers) > 0 && rng.IntN(2) == 0 {
		kill(workers[len(workers)-1])
	} else {
		parent.Kill()
	}
	return true
}

// started returns the numbers of the processes in the logs of the workers.
func started(t *testing.T, path string) (numbers []int) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(path, "logs", "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range logs {
		content, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			var number int
			if _, err := fmt.Sscanf(line, "# process %d:", &number); err == nil {
				numbers = append(numbers, number)
			}
		}
	}
	return numbers
}

// kill kills a worker, if it is one still: the system may have given its number to
// another process.
func kill(number int) {
	words, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", number))
	if err != nil || !bytes.Contains(words, []byte("\x00"+experiment.Worker+"\x00")) {
		return
	}
	if p, err := os.FindProcess(number); err == nil {
		p.Signal(syscall.SIGKILL)
	}
}

// checkGames checks that every run has reached its budget, and no game is twice.
func checkGames(t *testing.T, path string) {
	t.Helper()
	for _, run := range []string{"a-1", "a-2", "b-1", "b-2"} {
		var over struct{ Minutes float64 }
		content, err := os.ReadFile(filepath.Join(path, "runs", run, "finished.json"))
		if err == nil {
			err = json.Unmarshal(content, &over)
		}
		if err != nil || over.Minutes*60 < 1 {
			t.Errorf("the run %s is not over: %v after %g minutes", run, err, over.Minutes)
		}
		games := datatest.Read(t, filepath.Join(path, "runs", run, "games"))
		numbers := map[uint64]bool{}
		for _, r := range games {
			numbers[r.Game] = true
		}
		if len(games) < 20 || len(games) != len(numbers) {
			t.Errorf("the run %s has %d games with %d numbers", run, len(games), len(numbers))
		}
	}
}

// checkFirst checks that every run has begun with the network.
func checkFirst(t *testing.T, path, first string) {
	t.Helper()
	want, _, err := net.Load(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"a-1", "a-2", "b-1", "b-2"} {
		got, _, err := net.Load(filepath.Join(path, "runs", run, "networks", "gen-00000.safetensors"))
		if err != nil || !slices.Equal(got.Params[0].Data, want.Params[0].Data) {
			t.Errorf("the run %s does not begin with the network, %v", run, err)
		}
	}
}

// checkMatches checks that every match is complete and no game of it was kept
// twice: at the end four pairings of networks and four with the reference player, earlier two
// and four.
func checkMatches(t *testing.T, path string) {
	t.Helper()
	for moment, want := range map[string]int{"end": 16, "0.50": 12} {
		content, err := os.ReadFile(filepath.Join(path, "matches", moment, arena.GamesFile))
		if err != nil {
			t.Error(err)
			continue
		}
		games := map[string]bool{}
		for line := range strings.Lines(string(content)) {
			var l struct{ Game *arena.GameRecord }
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			if g := l.Game; g != nil {
				key := fmt.Sprint(g.Gold, " ", g.Silver, " ", g.Pair)
				if games[key] {
					t.Errorf("%s: the game %s was played twice", moment, key)
				}
				games[key] = true
			}
		}
		if len(games) != want {
			t.Errorf("%s: %d games, want %d: %v", moment, len(games), want, games)
		}
	}
}

// checkReport checks that the report shows everything, in both forms.
func checkReport(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a against b", "All runs begin with the network", "`search.cpuct_init` 0.5 instead of 0.25", "## At the end", "after 16 games",
		"## At 50% of the budget", "after 12 games", "## Runs", "| b-2 | finished | 100% |"} {
		if !strings.Contains(string(content), want) {
			t.Errorf("the report lacks %q:\n%s", want, content)
		}
	}
	var report experiment.Report
	if content, err = os.ReadFile(filepath.Join(path, "report.json")); err == nil {
		err = json.Unmarshal(content, &report)
	}
	if err != nil || len(report.Runs) != 4 || !slices.ContainsFunc(report.Runs, func(r experiment.RunState) bool { return r.Minutes > 0 && r.Games > 0 }) {
		t.Errorf("report.json lacks figures, %v: %s", err, content)
	}
	for _, r := range report.Runs {
		index, err := data.Scan(filepath.Join(path, "runs", r.Run.String(), "games"), nil)
		if err != nil || r.Games > index.Games {
			t.Errorf("the report counts %d games of %s, and there are %d, %v", r.Games, r.Run, index.Games, err)
		}
	}
}

// An interrupt ends the workers too, and says how to continue.
func TestInterruptSaysHowToGoOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "experiment")
	c := command(t, append(brief(path), "--budget", "1h")...)
	said := &output{}
	c.Stdout, c.Stderr = said, said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- c.Wait() }()
	// Until both workers are at work: one that has not started yet has nothing to keep.
	for _, run := range []string{"a-1", "b-1"} {
		for games := 0; games == 0; {
			select {
			case err := <-exited:
				t.Fatalf("it ended, %v:\n%s", err, said)
			default:
			}
			shards, err := filepath.Glob(filepath.Join(path, "runs", run, "games", "games-*"))
			if err != nil {
				t.Fatal(err)
			}
			games = len(shards)
		}
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		c.Process.Kill()
		t.Skipf("this system has no interrupt to send: %v", err)
	}
	if <-exited; c.ProcessState.ExitCode() != 130 {
		t.Errorf("%v, want the status of Ctrl-C:\n%s", c.ProcessState, said)
	}
	for _, want := range []string{"everything is saved", "same command", "report.md"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	// The workers have let go of their runs and kept them.
	for _, run := range []string{"a-1", "b-1"} {
		saved, err := filepath.Glob(filepath.Join(path, "runs", run, "learner", "step-*"))
		if err != nil || len(saved) == 0 {
			t.Errorf("the run %s has no checkpoint, %v", run, err)
		}
	}
}

func TestBadInputGetsOneLine(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"nothing to compare", nil},
		{"did you mean search.cpuct_init", []string{"--variant", "a:search.cpuct_intit=1", "--variant", "b"}},
		{"did you mean the preset quick", []string{"--base", "quik", "--variant", "a", "--variant", "b"}},
		{"there is no such file", []string{"none.yaml", "--variant", "b"}},
		{"by --budget", []string{"--variant", "a:loop.duration=1h", "--variant", "b"}},
		{"two variants are called a", []string{"--variant", "a", "--variant", "a"}},
		{`did you mean "greedy"`, []string{"--variant", "a", "--reference", "gredy"}},
		{"the engine none cannot be started", []string{"--variant", "a", "--reference", "aei:./none"}},
		{"--cores", []string{"--variant", "a", "--cores", "-1"}},
		{"seeds", []string{"--variant", "a", "--seeds", "0"}},
		{"changes nothing", []string{"--factor", "a"}},
		{"leave out files and --variant", []string{"--factor", "a:learner.batch=16", "--variant", "b"}},
		{"unknown flag", []string{"--sedes", "3"}},
	} {
		content, err := command(t, append(c.args, "--out", out)...).CombinedOutput()
		text := strings.TrimSpace(string(content))
		if err == nil || !strings.Contains(text, c.want) || strings.Count(text, "\n") > 0 || strings.Contains(text, "goroutine") {
			t.Errorf("%q: %v, %q, want one line with %q", c.args, err, text, c.want)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("bad input made a directory")
	}
}
