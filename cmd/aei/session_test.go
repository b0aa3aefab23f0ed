package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"

	"warren/aei"
)

// session is a controller's view of an engine served in this process.
type session struct {
	t     *testing.T
	in    io.Writer
	lines chan string
	seen  []string
}

func newSession(t *testing.T, e aei.Engine, id aei.ID) *session {
	in, toEngine := io.Pipe()
	fromEngine, out := io.Pipe()
	s := &session{t: t, in: toEngine, lines: make(chan string, 1000)}
	go func() {
		aei.Serve(t.Context(), in, out, id, e)
		in.Close()
		out.Close()
	}()
	go func() {
		defer close(s.lines)
		for lines := bufio.NewScanner(fromEngine); lines.Scan(); {
			s.lines <- lines.Text()
		}
	}()
	return s
}

func (s *session) send(lines ...string) {
	for _, line := range lines {
		if _, err := fmt.Fprintln(s.in, line); err != nil {
			s.t.Fatalf("sending %q: %v", line, err)
		}
	}
}

// until reads up to the line that begins with prefix, and returns the rest of it.
func (s *session) until(prefix string) string {
	s.t.Helper()
	for line := range s.lines {
		s.seen = append(s.seen, line)
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return rest
		}
	}
	s.t.Fatalf("the engine ended before %q; it wrote %q", prefix, s.seen)
	return ""
}
