//go:build !js

package page

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// node runs a file of tests in JavaScript. The test is skipped if the machine
// cannot.
func node(t *testing.T, file string, env ...string) {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run it")
	}
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok {
		// What hangs is to end while there is time to say which test it was.
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-30*time.Second))
		defer cancel()
	}
	// With --test, node would run the file in a process of its own, and leave it behind when interrupted.
	c := exec.CommandContext(ctx, program, "--test-reporter=spec", filepath.Join("fronttest", file))
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	c.Env = append(os.Environ(), env...)
	output, err := c.CombinedOutput()
	if ctx.Err() != nil {
		t.Errorf("stopped, to be within go test's time limit, in the test after the last of these:\n%s", output)
	} else if err != nil {
		t.Errorf("%v:\n%s", err, output)
	}
	if testing.Verbose() {
		t.Logf("%s", output)
	}
}

func TestFrontEnd(t *testing.T) { node(t, "logic.test.js") }

// chromium returns the path of the browser. The test is skipped if the machine has none, or no time.
func chromium(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes a minute or two")
	}
	if _, err := os.Stat(filepath.Join("node_modules", "playwright-core")); err != nil {
		t.Skip("playwright-core is not installed: run npm ci --ignore-scripts in internal/page")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no Chromium; the Debian package chromium has it")
	return ""
}

// The board that needs no server, as any file server gives it out.
func TestBrowserAlone(t *testing.T) {
	browser, dir := chromium(t), t.TempDir()
	if output, err := exec.Command("browser/static", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	node(t, "static.test.js", "WARREN_CHROMIUM="+browser, "WARREN_STATIC="+dir)
}

// The real page of a real run, in a real browser.
func TestBrowser(t *testing.T) {
	browser := chromium(t)
	dir := t.TempDir()
	program := filepath.Join(dir, "warren")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if output, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, "../../cmd/warren").CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", program, err, strings.TrimSpace(string(output)))
	}
	env := []string{"WARREN_CHROMIUM=" + browser, "WARREN_PROGRAM=" + program}
	if *soak > 0 {
		env = append(env, fmt.Sprintf("WARREN_SOAK=%.0f", soak.Seconds()))
	}
	node(t, "browser.test.js", env...)
}
