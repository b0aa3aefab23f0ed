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
// the page and ten readers. It needs a quiet machine.
//
//	go test ./page -run TestCost -cost 10 -timeout 1h -v
func TestCost(t *testing.T) {
	if *costPairs == 0 {
		t.Skip("-cost 10 measures what serving costs")
	}
	train := filepath.Join(t.TempDir(), "train")
	if output, err := exec.Command("go", "build", "-o", train, "../cmd/train").CombinedOutput(); err != nil {
		t.Fatalf("building train: %v\n%s", err, output)
	}
	var relative []float64
	for i := range *costPairs {
		var seconds [2]float64
		for _, served := range [2]int{i % 2, 1 - i%2} { // each goes first as often
			seconds[served] = trainingTime(t, train, served == 1)
		}
		relative = append(relative, 100*(seconds[1]/seconds[0]-1))
		t.Logf("pair %d: %.2f s of processor time without the page, %.2f s with it and ten readers: %+.2f%%", i+1, seconds[0], seconds[1], relative[i])
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
	t.Logf("serving costs %+.2f%% +- %.2f%% of the processor time of training", mean, margin)
}

// trainingTime trains a small run in synchronous mode, which always plays the same
// games, and returns the processor time in seconds.
func trainingTime(t *testing.T, train string, served bool) float64 {
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
