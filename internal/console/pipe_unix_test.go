//go:build unix

package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// saver is set in a process of this test that stops and saves.
const saver = "WARREN_TEST_SAVER"

func TestMain(m *testing.M) {
	path := os.Getenv(saver)
	if path == "" {
		os.Exit(m.Run())
	}
	Command{}.Run(func(ctx context.Context, _ io.Writer) error {
		fmt.Fprintln(os.Stderr, "works")
		<-ctx.Done()
		for { // until the reader is gone
			if _, err := fmt.Fprintln(os.Stderr, "stops"); err != nil {
				return errors.Join(os.WriteFile(path, nil, 0o666), ErrStopped)
			}
		}
	})
}

// TestPipeline: Ctrl-C reaches all programs of a pipeline, and what stops and saves outlives the one that reads. Its
// status is that of Ctrl-C, so that a script does not go on.
func TestPipeline(t *testing.T) {
	path := filepath.Join(t.TempDir(), "saved")
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), saver+"="+path)
	reader, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(reader).ReadString('\n'); line != "works\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	reader.Close()
	if c.Wait(); c.ProcessState.ExitCode() != 130 {
		t.Errorf("it ended with %v", c.ProcessState)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
