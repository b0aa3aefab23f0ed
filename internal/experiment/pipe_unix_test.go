//go:build unix

package experiment

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// orphan is set in a process of this test that is a worker.
const orphan = "WARREN_TEST_ORPHAN"

func TestMain(m *testing.M) {
	if os.Getenv(orphan) == "" {
		os.Exit(m.Run())
	}
	fmt.Println(Work(context.Background(), nil, strings.NewReader(""), os.Stdout, os.Stderr))
	for { // until the reader is gone
		if _, err := fmt.Println("saves"); err != nil {
			return
		}
	}
}

// TestWorkersOutliveTheirParent: a worker that writes to a parent that is gone still saves its work.
func TestWorkersOutliveTheirParent(t *testing.T) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), orphan+"=1")
	reader, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(reader).ReadString('\n'); line != "a worker is started by the experiment itself\n" {
		t.Errorf("%q, %v", line, err)
	}
	reader.Close()
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}
