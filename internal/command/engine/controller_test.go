package engine

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"

	"warren/internal/arena/aei"
)

// controller is the other side of an engine that is served in this process.
type controller struct {
	t     *testing.T
	in    io.Writer
	lines chan string
	seen  []string
}

func newController(t *testing.T, e aei.Engine, id aei.ID) *controller {
	in, toEngine := io.Pipe()
	fromEngine, out := io.Pipe()
	c := &controller{t: t, in: toEngine, lines: make(chan string, 1000)}
	go func() {
		aei.Serve(t.Context(), in, out, id, e)
		in.Close()
		out.Close()
	}()
	go func() {
		defer close(c.lines)
		for lines := bufio.NewScanner(fromEngine); lines.Scan(); {
			c.lines <- lines.Text()
		}
	}()
	return c
}

func (c *controller) send(lines ...string) {
	for _, line := range lines {
		if _, err := fmt.Fprintln(c.in, line); err != nil {
			c.t.Fatalf("sending %q: %v", line, err)
		}
	}
}

// until reads up to the first line with the prefix, and returns the rest of it.
func (c *controller) until(prefix string) string {
	c.t.Helper()
	for line := range c.lines {
		c.seen = append(c.seen, line)
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return rest
		}
	}
	c.t.Fatalf("the engine ended before %q; it wrote %q", prefix, c.seen)
	return ""
}
