package page

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var (
	costPairs       = flag.Int("cost", 0, "pairs of runs for TestCost")
	costGenerations = flag.Int("cost-generations", 40, "generations of each run of TestCost; fewer are less exact")
)

// What serving costs training: pairs of the same run, without the page and with
// the page and ten readers. Where perf can count instructions, it does. Elsewhere
// the measure is processor time, which needs a quiet machine and many pairs.
//
//	go test ./internal/page -run TestCost -cost 10 -timeout 1h -v
func TestCost(t *testing.T) {
	if *costPairs == 0 {
		t.Skip("-cost 10 measures what serving costs")
	}
	train := filepath.Join(t.TempDir(), "train")
	if output, err := exec.Command("go", "build", "-buildvcs=false", "-o", train, "../../cmd/train").CombinedOutput(); err != nil {
		t.Fatalf("building train: %v\n%s", err, output)
	}
	unit, counted := "s of processor time", perfCounts()
	if counted {
		unit = "billion instructions"
	}
	var relative []float64
	for i := range *costPairs {
		var spent [2]float64
		for _, served := range [2]int{i % 2, 1 - i%2} { // each goes first as often
			spent[served] = trainingCost(t, train, served == 1, counted)
		}
		relative = append(relative, 100*(spent[1]/spent[0]-1))
		t.Logf("pair %d: %.2f %s without the page, %.2f with it and ten readers: %+.2f%%", i+1, spent[0], unit, spent[1], relative[i])
	}
	mean, square := 0.0, 0.0
	for _, x := range relative {
		mean += x / float64(len(relative))
	}
	for _, x := range relative {
		square += (x - mean) * (x - mean)
	}
	margin := math.NaN()
	if n := float64(len(relative)); n > 1 {
		margin = 2 * math.Sqrt(square/(n-1)/n)
	}
	t.Logf("serving costs %+.2f%% +- %.2f%% of training, in %s", mean, margin, unit)
}

// perfCounts reports whether perf can count instructions.
func perfCounts() bool {
	output, err := exec.Command("perf", "stat", "-x,", "-e", "instructions", "true").CombinedOutput()
	return err == nil && instructions(string(output)) > 0
}

// instructions returns the count in a report of perf, or 0.
func instructions(report string) (n float64) {
	if found := regexp.MustCompile(`(?m)^(\d+),,instructions`).FindStringSubmatch(report); found != nil {
		fmt.Sscan(found[1], &n)
	}
	return n
}

// trainingCost trains a small run in synchronous mode, which always plays the same
// games, and returns the instructions in billions, if they are counted, or the
// processor time in seconds.
func trainingCost(t *testing.T, train string, served, counted bool) float64 {
	t.Helper()
	args := []string{"--config", "smoke", "--run", filepath.Join(t.TempDir(), "run"), "--set", "loop.mode=sync", "--set", "match.every=0",
		"--set", fmt.Sprint("loop.generations=", *costGenerations), "--set", "loop.games_per_generation=60"}
	if served {
		args = append(args, "--http", "127.0.0.1:0")
	}
	c := exec.Command(train, args...)
	said, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var perf *exec.Cmd
	var report strings.Builder
	if counted {
		perf = exec.Command("perf", "stat", "-x,", "-e", "instructions", "-p", fmt.Sprint(c.Process.Pid))
		perf.Stderr = &report
		if err := perf.Start(); err != nil {
			t.Fatal(err)
		}
	}
	address := regexp.MustCompile(`page is at (http://[^\s"]+)`)
	lines := bufio.NewScanner(said)
	var all []string
	for lines.Scan() {
		line := lines.Text()
		all = append(all, line)
		if m := address.FindStringSubmatch(line); m != nil {
			for range 10 {
				go follow(m[1] + "api/events")
			}
		}
		if served && strings.HasPrefix(line, "The page stays open") {
			c.Process.Signal(os.Interrupt)
		}
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("%v:\n%s", err, strings.Join(all, "\n"))
	}
	if perf != nil {
		perf.Wait() // perf ends when the process does; its status says nothing
		if n := instructions(report.String()); n > 0 {
			return n / 1e9
		}
		t.Fatalf("perf counted nothing:\n%s", &report)
	}
	return (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
}

// follow reads a stream of events to its end.
func follow(url string) {
	r, err := (&http.Client{Timeout: time.Hour}).Get(url)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer r.Body.Close()
	io.Copy(io.Discard, r.Body)
}
